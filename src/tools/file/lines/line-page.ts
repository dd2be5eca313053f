/** The requested lines, and how much of them fits into a result. */
export interface PageRequest {
  /** Counts from 1; a negative number counts from the end, -1 is the last line. */
  readonly start: number;
  /** The last requested line, counted in the same way; `undefined` for all. */
  readonly end: number | undefined;
  readonly maxLines: number;
  readonly maxChars: number;
  /** Extra characters for each line: its number, a tab and the line end. @default 8 */
  readonly numbering?: number;
}

/** Some lines of a file, as many as fit. */
export interface LinePage {
  /** The text of the file from the first line to the last. */
  readonly content: string;
  /** The lines without line ends. */
  readonly lines: readonly string[];
  readonly startLine: number;
  /** The last line of the page; `startLine - 1` if the page is empty. */
  readonly endLine: number;
  readonly totalLines: number | undefined;
  /** Whether more lines were requested than fit. */
  readonly cut: boolean;
  /** Whether the last line is incomplete. */
  readonly partial: boolean;
}

/** The lines from the start of a page on. */
export interface FoundLines {
  readonly lines: readonly LineAndEnd[];
  readonly totalLines: number | undefined;
  /** Whether the last of the lines is incomplete. */
  readonly partial: boolean;
  /** The text that all of the lines are, where it is at hand. */
  readonly text?: string | undefined;
}

/** A line and its line end ("" for a last line without one). */
export interface LineAndEnd {
  readonly text: string;
  readonly end: string;
}

/** Split a text at its line ends; joining the parts gives the text back. */
export function splitAt(text: string, mark: "\n" | "\r", maxLines = Number.POSITIVE_INFINITY): LineAndEnd[] {
  const lines: LineAndEnd[] = [];
  for (let at = 0; at < text.length && lines.length < maxLines;) {
    const found = text.indexOf(mark, at);
    const next = found === -1 ? text.length : found + 1;
    const before = mark === "\n" && found > at && text[found - 1] === "\r" ? found - 1 : found;
    const end = found === -1 ? next : before;
    lines.push({ text: text.slice(at, end), end: text.slice(end, next) });
    at = next;
  }
  return lines;
}

/** The lines of a text without their ends, as `splitAt` finds them. */
export function linesIn(text: string, mark: "\n" | "\r"): string[] {
  // Without a "\r" the engine splits it faster.
  if (mark === "\r" || text.includes("\r")) return splitAt(text, mark).map((line) => line.text);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The same lines, counted from 1. */
export function fromStart<Request extends Pick<PageRequest, "start" | "end">>(
  request: Request,
  totalLines: number,
): Request {
  const count = (line: number): number => (line < 0 ? Math.max(totalLines + 1 + line, 1) : line);
  const { start, end } = request;
  return { ...request, start: count(start), end: end === undefined ? undefined : count(end) };
}

/** Build a page: as many complete lines as fit, or the start of the first one. */
export function toPage(request: PageRequest, found: FoundLines): LinePage {
  const { start, end, maxLines, maxChars, numbering = 8 } = request;
  const wanted = Math.max(0, Math.min(maxLines, end === undefined ? maxLines : end - start + 1));
  let chars = 0;
  let fitting = 0;
  for (const line of found.lines.slice(0, wanted)) {
    chars += line.text.length + numbering;
    if (chars > maxChars) break;
    fitting += 1;
  }
  const partial = fitting === 0 && found.lines.length > 0 && wanted > 0;
  const taken = partial ? [startOfLine(found.lines[0]!, maxChars)] : found.lines.slice(0, fitting);
  const endLine = start + taken.length - 1;
  const last = Math.min(end ?? Number.POSITIVE_INFINITY, found.totalLines ?? Number.POSITIVE_INFINITY);
  // The last of the known lines may have been read only in part.
  const incomplete = partial || (found.partial && fitting === found.lines.length && fitting > 0);
  const cut = incomplete || endLine < last;
  const toTheEnd = !cut && (end === undefined || end > (found.totalLines ?? 0));
  const isAll = toTheEnd && taken.length === found.lines.length;
  return {
    content: (isAll ? found.text : undefined) ?? contentOf(taken, toTheEnd),
    lines: taken.map((line) => line.text),
    startLine: start,
    endLine,
    totalLines: found.totalLines,
    cut,
    partial: incomplete,
  };
}

function startOfLine({ text }: LineAndEnd, maxChars: number): LineAndEnd {
  return { text: text.slice(0, maxChars).toWellFormed(), end: "" };
}

/** A range omits the line end of its last line; a file up to its end is returned unchanged. */
function contentOf(lines: readonly LineAndEnd[], toTheEnd: boolean): string {
  const last = lines.length - 1;
  return lines.map(({ text, end }, at) => (at === last && !toTheEnd ? text : text + end)).join("");
}
