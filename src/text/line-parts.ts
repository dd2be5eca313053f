/** A part of a line of a text; the first character of a line has the number 1. */
export interface LinePart {
  readonly line: number;
  readonly char: number;
  readonly text: string;
  /** Whether the line ends with it. */
  readonly isEnd: boolean;
}

/** Put a part among others: where they overlap it is the one that counts, and what touches becomes one. */
export function mergePart(parts: readonly LinePart[], part: LinePart): LinePart[] {
  const after = part.char + part.text.length;
  const pieces = parts.flatMap((each) => {
    if (each.line !== part.line) return [each];
    return [cutPart(each, each.char, part.char), cutPart(each, after, charAfter(each))];
  });
  return joinParts([...pieces, part]);
}

/** Whether the characters of a line from index `from` to before index `to` lie within one of the parts. */
export function coversChars(
  parts: readonly LinePart[],
  line: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  return parts.some((part) => part.line === line && part.char - 1 <= from && to <= charAfter(part) - 1);
}

/** Whether the part is the whole line. */
export function isWholeLine({ char, isEnd }: LinePart): boolean {
  return char === 1 && isEnd;
}

/** The characters of a part from the number `first` to before the number `next`. */
function cutPart(part: LinePart, first: number, next: number): LinePart {
  const start = Math.max(first, part.char);
  const end = Math.min(next, charAfter(part));
  const text = part.text.slice(start - part.char, Math.max(end, start) - part.char);
  return { ...part, char: start, text, isEnd: part.isEnd && end === charAfter(part) };
}

function charAfter({ char, text }: LinePart): number {
  return char + text.length;
}

/** Parts in order, those that touch as one; empty ones are left out. */
function joinParts(parts: readonly LinePart[]): LinePart[] {
  const sorted = parts
    .filter(({ text }) => text !== "")
    .sort((one, other) => one.line - other.line || one.char - other.char);
  const joined: LinePart[] = [];
  for (const part of sorted) {
    const last = joined.at(-1);
    if (last?.line !== part.line || charAfter(last) !== part.char) joined.push(part);
    else joined[joined.length - 1] = { ...last, text: last.text + part.text, isEnd: part.isEnd };
  }
  return joined;
}

/** The part of a line once the line became another: what stays the same at its start and end, and what is new between. */
export function editPart(part: LinePart, before: string, after: string): LinePart[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const growth = after.length - before.length;
  const [from, to] = [part.char - 1, charAfter(part) - 1];
  const toPart = (start: number, end: number): LinePart => ({
    ...part,
    char: start + 1,
    text: after.slice(start, end),
    isEnd: end === after.length,
  });
  // The whole change is within the part.
  if (from <= head && to >= before.length - tail) return [toPart(from, to + growth)];
  const pieces: LinePart[] = [];
  if (from < head) pieces.push(toPart(from, Math.min(to, head)));
  const kept = Math.max(from, before.length - tail);
  if (kept < to) pieces.push(toPart(kept + growth, to + growth));
  return pieces;
}
