/** What a stream of lines brought. */
export interface LineEvents {
  readonly onLine: (line: string) => void;
  /** A line was longer than the limit; its first and last part are all that was kept. */
  readonly onTooLong: (head: string, tail: string, bytes: number) => void;
}

/** Takes a stream apart into lines, in bounded memory whatever comes. */
export interface LineReader {
  push(chunk: Buffer): void;
}

const newline = 0x0a;
/** What is kept of a line that is too long: enough to see whose answer it is. */
const edge = 512;

/** Make a reader of lines of at most `limit` bytes. */
export function createLineReader(limit: number, events: LineEvents): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: string | undefined;
  let tail: Buffer = Buffer.alloc(0);

  const take = (piece: Buffer): void => {
    bytes += piece.length;
    if (head === undefined && bytes <= limit) {
      parts.push(piece);
      return;
    }
    if (head === undefined) {
      const kept = Buffer.concat(parts);
      parts = [];
      const start = Buffer.concat([kept.subarray(0, edge), piece.subarray(0, edge)]);
      head = start.subarray(0, edge).toString("utf8");
      tail = kept.subarray(-edge);
    }
    // Copied, so that a small rest does not hold the whole chunk.
    tail = Buffer.from(Buffer.concat([tail, piece.subarray(-edge)]).subarray(-edge));
  };

  const end = (): void => {
    const [line, start, last, length] = [parts, head, tail, bytes];
    parts = [];
    head = undefined;
    tail = Buffer.alloc(0);
    bytes = 0;
    if (start !== undefined) return events.onTooLong(start, last.toString("utf8"), length);
    const text =
      line.length === 1 ? (line[0] as Buffer).toString("utf8") : Buffer.concat(line).toString("utf8");
    events.onLine(text.endsWith("\r") ? text.slice(0, -1) : text);
  };

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(newline, from);
        if (at < 0) break;
        take(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
    },
  };
}
