import type { SearchSpace } from "./search-space.js";

/** More places than this are not looked for where only one is wanted. */
const maxCounted = 100_000;

/** Every place where a packed string begins, overlapping ones too, up to a number. */
export function findOccurrences(space: Pick<SearchSpace, "finder" | "slice">, needle: string): number[] {
  const find = space.finder(needle);
  const found: number[] = [];
  let period = 0;
  for (let at = find(0); at !== -1 && found.length < maxCounted;) {
    const last = found.at(-1);
    found.push(at);
    // Where occurrences overlap, the next is one period on or nearly a whole needle away. Along a run only
    // one period more needs to be compared, or equal lines would take the square of their number.
    if (last !== undefined && at - last < needle.length) period ||= smallestPeriod(needle);
    at = period > 0 && continues(space, needle, [at, period]) ? at + period : find(at + 1);
  }
  return found;
}

/** Every place, none overlapping another, from the left as `String.replaceAll` takes them. */
export function findDisjoint(space: Pick<SearchSpace, "finder">, needle: string): number[] {
  const find = space.finder(needle);
  const found: number[] = [];
  for (let at = find(0); at !== -1; at = find(at + needle.length)) found.push(at);
  return found;
}

function continues(
  space: Pick<SearchSpace, "slice">,
  needle: string,
  [at, period]: readonly [number, number],
): boolean {
  const end = at + needle.length;
  return space.slice(end, end + period) === needle.slice(needle.length - period);
}

/** By the failure function of Knuth, Morris and Pratt. */
function smallestPeriod(needle: string): number {
  const border = new Int32Array(needle.length + 1);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = border[length] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length += 1;
    border[at + 1] = length;
  }
  return needle.length - length;
}

/** The same questions asked of a plain string. */
export function searchString(text: string): Pick<SearchSpace, "finder" | "slice"> {
  return {
    finder: (packed) => (from) => (from > text.length ? -1 : text.indexOf(packed, from)),
    slice: (start, end) => text.slice(start, end),
  };
}
