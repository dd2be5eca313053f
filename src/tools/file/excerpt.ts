import type { OpenFile } from "../../contract/ports/files.js";
import type { LinePage } from "./lines/line-page.js";
import type { LineReader, ReadDuring } from "./lines/line-reader.js";

/** The start and end of a text, cut at line ends. */
export interface Excerpt {
  /** Head and tail, with a line between them that says what is left out. */
  readonly content: string;
  readonly head: LinePage & { readonly encoding: string };
  readonly tail: LinePage | undefined;
  readonly omitted: { readonly startLine: number; readonly endLine: number } | null;
}

export interface ExcerptOptions {
  readonly maxChars: number;
  readonly lines: LineReader;
  readonly during: ReadDuring;
}

/** Characters reserved for the line between head and tail. */
const separatorChars = 60;

/** Read the whole text if it fits, else as many lines from its start and end as fit. */
export async function cutMiddle(
  file: OpenFile,
  start: Uint8Array,
  { maxChars, lines, during }: ExcerptOptions,
): Promise<Excerpt> {
  const request = { encoding: "auto", head: start, maxLines: Number.MAX_SAFE_INTEGER, numbering: 1 };
  const read = (from: number, end: number | undefined, limit: number): Promise<Excerpt["head"]> =>
    lines.read(file, { ...request, start: from, end, maxChars: limit }, during);
  // One more character, because the last line may have no line end.
  const whole = await read(1, undefined, maxChars + 1);
  if (!whole.cut && whole.content.length <= maxChars) {
    return { content: whole.content, head: whole, tail: undefined, omitted: null };
  }
  const { totalLines } = whole;
  const partChars = Math.floor((maxChars - separatorChars) / 2);
  if (totalLines === undefined || totalLines < 2 || partChars < 1) return headOnly(whole, maxChars);
  const head = await read(1, totalLines - 1, partChars);
  const tail = await readTail(read, { after: head.endLine, totalLines, partChars });
  if (head.partial && tail === undefined) return headOnly(whole, maxChars);
  const first = head.partial ? { ...head, lines: [], content: "", endLine: 0, partial: false } : head;
  return joinParts(first, tail, totalLines);
}

type ReadPage = (from: number, end: number | undefined, limit: number) => Promise<Excerpt["head"]>;

/** The tail is searched in at most this many characters, with fewer lines if they are long. */
const maxTailChars = 500_000;
const tailLines = [4000, 200, 10, 1];

async function readTail(
  read: ReadPage,
  { after, totalLines, partChars }: { after: number; totalLines: number; partChars: number },
): Promise<LinePage | undefined> {
  for (const maxLines of tailLines) {
    const count = Math.min(maxLines, partChars, totalLines - after);
    if (count < 1) return undefined;
    const near = await read(totalLines - count + 1, undefined, maxTailChars);
    if (!near.cut) return lastLines(near, partChars);
  }
  return undefined;
}

/** As many complete lines from the end of a page as fit. */
function lastLines(page: LinePage, partChars: number): LinePage | undefined {
  let chars = 0;
  let count = 0;
  for (const line of page.lines.toReversed()) {
    chars += line.length + 1;
    if (chars > partChars) break;
    count += 1;
  }
  if (count === 0) return undefined;
  const taken = page.lines.slice(-count);
  return { ...page, lines: taken, content: taken.join("\n"), startLine: page.endLine - count + 1 };
}

function joinParts(head: Excerpt["head"], tail: LinePage | undefined, totalLines: number): Excerpt {
  const omitted = { startLine: head.endLine + 1, endLine: (tail?.startLine ?? totalLines + 1) - 1 };
  if (tail === undefined) return { content: head.lines.join("\n"), head, tail, omitted };
  const count = omitted.endLine - omitted.startLine + 1;
  const between = `[… ${count} ${count === 1 ? "line" : "lines"} left out …]`;
  return { content: [...head.lines, between, tail.content].join("\n"), head, tail, omitted };
}

/** If a single line is too long, or two parts do not fit, only the start is returned. */
function headOnly(page: Excerpt["head"], maxChars: number): Excerpt {
  const { totalLines, endLine, lines } = page;
  const rest = totalLines !== undefined && endLine < totalLines;
  const omitted = rest ? { startLine: endLine + 1, endLine: totalLines } : null;
  const text = lines.join("\n");
  if (text.length <= maxChars) return { content: text, head: page, tail: undefined, omitted };
  const head = { ...page, partial: true, cut: true };
  return { content: text.slice(0, maxChars).toWellFormed(), head, tail: undefined, omitted };
}
