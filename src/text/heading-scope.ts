import type { FileLines } from "./file-lines.js";

/** The lines that the innermost of nested headings may mean, ascending; or the heading that no line matches. */
export function headingPlaces(
  file: FileLines,
  headings: readonly string[],
): readonly number[] | { readonly missing: string } {
  let anchors: readonly number[] | undefined;
  for (const heading of headings) {
    const all = file.findHeading(heading);
    const inner = anchors === undefined ? all : withinHeadings(file, anchors, all);
    if (inner.length === 0) return { missing: heading };
    anchors = inner;
  }
  return anchors ?? [];
}

/**
 * The places inside the block that a heading opens, for each line that the heading may mean; if its block has none, all
 * places between it and the next such line. Which of these lines is meant is for the order of the hunks to decide.
 */
export function withinHeadings(
  file: FileLines,
  anchors: readonly number[],
  places: readonly number[],
): readonly number[] {
  const within: number[] = [];
  // Both ascend: each place is looked at once.
  let from = 0;
  for (const [index, anchor] of anchors.entries()) {
    const next = anchors[index + 1] ?? Number.POSITIVE_INFINITY;
    // The heading may be repeated as the first context line.
    while ((places[from] ?? next) < anchor) from += 1;
    let to = from;
    while ((places[to] ?? next) < next) to += 1;
    const end = to - from > 1 ? blockEnd(file, anchor) : next;
    const hasInside = (places[from] ?? next) < end;
    for (let at = from; at < to; at += 1) {
      const place = places[at] as number;
      if (!hasInside || place < end) within.push(place);
    }
    from = to;
  }
  return within;
}

/** The line after the block that a heading opens: indented lines, or all up to the next similar heading. */
function blockEnd(file: FileLines, heading: number): number {
  const known = file.blockEnds.get(heading);
  if (known !== undefined) return known;
  const { indent, opening } = shapeOf(file.line(heading).text);
  let isIndented: boolean | undefined;
  let at = heading + 1;
  for (; at < file.count; at += 1) {
    const { text } = file.line(at);
    if (text.trim() === "") continue;
    const shape = shapeOf(text);
    isIndented ??= shape.indent > indent || /^[{([]/.test(shape.opening);
    if (shape.indent > indent) continue;
    if (isIndented ? !isBracket(shape.opening) : shape.indent === indent && shape.opening === opening) break;
  }
  file.blockEnds.set(heading, at);
  return at;
}

/** A line with only brackets belongs to the block that it opens or closes. */
function isBracket(opening: string): boolean {
  return /^[{}()[\];,]+$/.test(opening);
}

/** The indentation of a line, and the word or the signs that it begins with. */
function shapeOf(text: string): { readonly indent: number; readonly opening: string } {
  const [, blanks = "", opening = ""] = /^([ \t]*)(\w+|[^\w\s]+)?/.exec(text) ?? [];
  return { indent: blanks.length, opening };
}
