export interface LineEvents {
  /** A line without its line end; blank lines are skipped. */
  readonly onLine: (line: string) => void;
  /** A line exceeded the limit; only its first and last bytes are still known. */
  readonly onTooLong: (line: OversizedLine) => void;
}

export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
}

const newline = 0x0a;
/** Bytes kept from either end of an oversized line: enough to find the id of an answer. */
const edgeBytes = 512;

/** Splits a stream into lines. Holds at most `maxBytes` of an unfinished line. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #events: LineEvents;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Set once the current line exceeds the limit. */
  #head: Buffer | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, events: LineEvents) {
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#append(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
  }

  /** The stream has ended: treat an unterminated rest as a line. */
  end(): void {
    if (this.#bytes > 0) this.#finishLine();
  }

  #append(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#head === undefined && this.#bytes <= this.#maxBytes) {
      this.#parts.push(piece);
      return;
    }
    if (this.#head === undefined) {
      const held = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#head = Buffer.concat([held.subarray(0, edgeBytes), piece.subarray(0, edgeBytes)]);
      this.#tail = held.subarray(-edgeBytes);
    }
    // Copied, so that a short tail does not keep the whole chunk in memory.
    this.#tail = Buffer.from(Buffer.concat([this.#tail, piece.subarray(-edgeBytes)]).subarray(-edgeBytes));
  }

  #finishLine(): void {
    const [parts, head, tail, bytes] = [this.#parts, this.#head, this.#tail, this.#bytes];
    this.#parts = [];
    this.#bytes = 0;
    this.#head = undefined;
    if (head !== undefined) {
      const start = head.subarray(0, edgeBytes).toString();
      return this.#events.onTooLong({ head: start, tail: tail.toString(), bytes });
    }
    const [only] = parts;
    const text = (parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString();
    if (text.trim() !== "") this.#events.onLine(text.endsWith("\r") ? text.slice(0, -1) : text);
  }
}
