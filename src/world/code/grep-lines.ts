import type { GrepLine, ShownLines } from "../../contract/ports/code.js";
import type { Files, OpenFile } from "../../contract/ports/files.js";
import { linesOfOpen } from "./file-lines.js";
import type { GrepHit } from "./grep-program.js";
import { maxShownLength } from "./show-matches.js";

/** Read the lines to show through the call's own files. What cannot be read any more is left out. */
export async function readGrepLines(
  files: Files,
  hits: readonly GrepHit[],
): Promise<{ lines: GrepLine[]; shown: ShownLines[] }> {
  const lines: GrepLine[] = [];
  const shown: ShownLines[] = [];
  for (let at = 0; at < hits.length;) {
    const { file } = hits[at] as GrepHit;
    let end = at;
    while (hits[end]?.file === file) end += 1;
    const open = await files.open(file).catch(() => undefined);
    if (open !== undefined) {
      try {
        readFile(open, hits.slice(at, end), { lines, shown });
      } finally {
        open.close();
      }
    }
    at = end;
  }
  return { lines, shown };
}

/** Bytes that are read of a line; more are not shown. */
const maxLineBytes = 4 * maxShownLength + 8;

function readFile(
  open: OpenFile,
  hits: readonly GrepHit[],
  { lines, shown }: { lines: GrepLine[]; shown: ShownLines[] },
): void {
  const lineAt = hasMark(open) || hits.some(({ offset }) => offset < 0) ? linesOfOpen(open) : undefined;
  for (const { file, line, offset, isMatch } of hits) {
    const read = lineAt === undefined ? lineAtByte(open, offset) : lineAt(line);
    if (read === undefined) continue;
    const isWhole = read.length <= maxShownLength;
    lines.push({
      file,
      line,
      isMatch,
      text: isWhole ? read : `${read.slice(0, maxShownLength).toWellFormed()}…`,
    });
    if (!isWhole || read.includes("\r") || read.includes("\uFFFD")) continue;
    const last = shown.at(-1);
    const { identity } = open.stat;
    if (last?.file === file && last.start + last.lines.length === line) {
      shown[shown.length - 1] = { ...last, lines: [...last.lines, read] };
    } else shown.push({ file, identity, start: line, lines: [read] });
  }
}

/** Offsets of files with a byte order mark are those of the decoded text. */
function hasMark(open: OpenFile): boolean {
  const head = Buffer.alloc(3);
  const got = open.readInto(head, 0);
  return (got >= 2 && /^(fffe|feff)/.test(head.toString("hex"))) || head.toString("hex") === "efbbbf";
}

/** The line that begins at a byte; `undefined` if no line begins there any more. */
function lineAtByte(open: OpenFile, offset: number): string | undefined {
  const from = Math.max(0, offset - 1);
  const bytes = Buffer.alloc(maxLineBytes + 1);
  const got = open.readInto(bytes, from);
  if (offset > 0 && bytes[0] !== 10) return undefined;
  const start = offset - from;
  const end = bytes.indexOf(10, start);
  const stop = end === -1 || end > got ? got : end;
  return bytes.toString("utf8", start, stop).replace(/\r$/, "");
}
