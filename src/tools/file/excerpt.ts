import type { OpenFile } from "../../contract/ports/files.js";
import type { LinePage } from "./lines/line-page.js";
import type { LineReader, ReadDuring } from "./lines/line-reader.js";

/** The beginning and the end of a text, cut at line ends. */
export interface Excerpt {
  /** Head, a line that says what is left out, and tail. */
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

/** Characters kept for the line between head and tail. */
const gap = 60;
/** How many lines are looked at for the tail: enough, since each takes a character at least. */
const mostTail = 4000;

/** Read the whole of a text where it fits, else as many lines of its beginning and its end as do. */
export async function cutMiddle(
  file: OpenFile,
  start: Uint8Array,
  { maxChars, lines, during }: ExcerptOptions,
): Promise<Excerpt> {
  const request = { encoding: "auto", head: start, maxLines: Number.MAX_SAFE_INTEGER, numbering: 0 };
  const whole = await lines.read(file, { ...request, start: 1, end: undefined, maxChars }, during);
  if (!whole.cut) return { content: whole.content, head: whole, tail: undefined, omitted: null };
  const { totalLines } = whole;
  const room = Math.floor((maxChars - gap) / 2);
  if (totalLines === undefined || totalLines < 2 || room < 1) return headOnly(whole);
  const half = { ...request, maxChars: room };
  const head = await lines.read(file, { ...half, start: 1, end: totalLines - 1 }, during);
  const from = Math.max(head.endLine + 1, totalLines - Math.min(room, mostTail) + 1);
  const near = await lines.read(
    file,
    { ...request, start: from, end: undefined, maxChars: mostChars },
    during,
  );
  const tail = lastLines(near, room);
  if (head.partial && tail === undefined) return headOnly(whole);
  const first = head.partial ? { ...head, lines: [], content: "", endLine: 0 } : head;
  return join(first, tail, totalLines);
}

/** The tail is looked for in so many characters. */
const mostChars = 1_000_000;

/** As many whole lines from the end of a page as fit. */
function lastLines(page: LinePage, room: number): LinePage | undefined {
  if (page.cut) return undefined;
  let chars = 0;
  let count = 0;
  for (const line of page.lines.toReversed()) {
    chars += line.length + 1;
    if (chars > room) break;
    count += 1;
  }
  if (count === 0) return undefined;
  const taken = page.lines.slice(-count);
  return { ...page, lines: taken, content: taken.join("\n"), startLine: page.endLine - count + 1 };
}

function join(head: Excerpt["head"], tail: LinePage | undefined, totalLines: number): Excerpt {
  const omitted = { startLine: head.endLine + 1, endLine: (tail?.startLine ?? totalLines + 1) - 1 };
  const count = omitted.endLine - omitted.startLine + 1;
  const between = `[… ${count} ${count === 1 ? "line" : "lines"} left out …]`;
  const parts = [head.lines.join("\n"), between, tail?.content];
  const shown = parts.filter((part, at) => part !== undefined && (at > 0 || head.lines.length > 0));
  return { content: shown.join("\n"), head, tail, omitted };
}

/** Where one line alone is too long, its beginning has to do. */
function headOnly(page: Excerpt["head"]): Excerpt {
  const { totalLines, endLine, partial } = page;
  const rest = totalLines !== undefined && endLine < totalLines;
  const omitted = rest && !partial ? { startLine: endLine + 1, endLine: totalLines } : null;
  const content = omitted === null ? page.content : `${page.lines.join("\n")}\n[… the rest is left out …]`;
  return { content, head: { ...page, partial: true }, tail: undefined, omitted };
}
