/** The lines that are asked for, and how much of them fits into an answer. */
export interface PageRequest {
  /** From 1. */
  readonly start: number;
  /** The last line that is wanted; `undefined` for all. */
  readonly end: number | undefined;
  readonly maxLines: number;
  readonly maxChars: number;
  /** Characters that each line takes besides its own: its number, a tab and its end. @default 8 */
  readonly numbering?: number;
}

/** Some lines of a file, as many as fit. */
export interface LinePage {
  /** The text as the file has it, from the first line to the last. */
  readonly content: string;
  /** The lines without their ends. */
  readonly lines: readonly string[];
  readonly startLine: number;
  /** The last line of the page; one less than the first where there is none. */
  readonly endLine: number;
  readonly totalLines: number | undefined;
  /** More lines were wanted than fit. */
  readonly cut: boolean;
  /** The last line itself is not whole. */
  readonly partial: boolean;
}

/** Lines from the start of a page on, and what is known of the file around them. */
export interface FoundLines {
  readonly lines: readonly LineAndEnd[];
  readonly totalLines: number | undefined;
  /** The last of the lines goes on. */
  readonly partial: boolean;
}

/** A line and its end ("" for a last line without one). */
export interface LineAndEnd {
  readonly text: string;
  readonly end: string;
}

/** Split a text at the mark that ends lines in its file; joining gives it back. */
export function splitAt(text: string, mark: "\n" | "\r", most = Number.POSITIVE_INFINITY): LineAndEnd[] {
  const lines: LineAndEnd[] = [];
  for (let at = 0; at < text.length && lines.length < most;) {
    const found = text.indexOf(mark, at);
    const next = found === -1 ? text.length : found + 1;
    const before = mark === "\n" && found > at && text[found - 1] === "\r" ? found - 1 : found;
    const end = found === -1 ? next : before;
    lines.push({ text: text.slice(at, end), end: text.slice(end, next) });
    at = next;
  }
  return lines;
}

/** Make a page of the lines that were found: as many whole ones as fit, or the beginning of the first. */
export function toPage(request: PageRequest, found: FoundLines): LinePage {
  const { start, end, maxLines, maxChars, numbering = 8 } = request;
  const wanted = Math.min(maxLines, end === undefined ? maxLines : end - start + 1);
  let chars = 0;
  let fitting = 0;
  for (const line of found.lines.slice(0, wanted)) {
    chars += line.text.length + numbering;
    if (chars > maxChars) break;
    fitting += 1;
  }
  const partial = fitting === 0 && found.lines.length > 0 && wanted > 0;
  const taken = partial ? [beginning(found.lines[0]!, maxChars)] : found.lines.slice(0, fitting);
  const endLine = start + taken.length - 1;
  const last = Math.min(end ?? Number.POSITIVE_INFINITY, found.totalLines ?? Number.POSITIVE_INFINITY);
  // The last of all lines that are known may itself have been read in part only.
  const half = partial || (found.partial && fitting === found.lines.length && fitting > 0);
  const cut = half || endLine < last;
  const toTheEnd = !cut && (end === undefined || end > (found.totalLines ?? 0));
  return {
    content: contentOf(taken, toTheEnd),
    lines: taken.map((line) => line.text),
    startLine: start,
    endLine,
    totalLines: found.totalLines,
    cut,
    partial: half,
  };
}

function beginning({ text }: LineAndEnd, maxChars: number): LineAndEnd {
  return { text: text.slice(0, maxChars).toWellFormed(), end: "" };
}

/** A range is given without the end of its last line, a file to its end as it is. */
function contentOf(lines: readonly LineAndEnd[], toTheEnd: boolean): string {
  const last = lines.length - 1;
  return lines.map(({ text, end }, at) => (at === last && !toTheEnd ? text : text + end)).join("");
}
