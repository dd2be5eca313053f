/** Finds lines by their text. */
export interface LineIndex {
  /** Every line at which these lines stand in a row, ascending. */
  find(lines: readonly string[]): readonly number[];
  /** Every line whose text passes a test. */
  where(test: (text: string) => boolean): readonly number[];
}

/** More places than this are not looked for. */
const maxFound = 100_000;

/** Index the lines of a text: many searches then cost no more than one pass over it. */
export function createLineIndex(count: number, textOf: (at: number) => string): LineIndex {
  const texts: string[] = Array.from({ length: count }, (_, at) => textOf(at));
  // The first line of each text; from there, `next` leads through the equal ones. An array for each text would cost more.
  const first = new Map<string, number>();
  const next = new Int32Array(count).fill(-1);
  const equal = new Int32Array(count);
  for (let at = count - 1; at >= 0; at -= 1) {
    const text = texts[at] ?? "";
    const after = first.get(text) ?? -1;
    next[at] = after;
    equal[at] = 1 + (equal[after] ?? 0);
    first.set(text, at);
  }
  return {
    find(lines) {
      // The rarest line of those that are sought leaves the fewest places to compare.
      let rarest: { readonly at: number; readonly place: number } | undefined;
      for (const [at, text] of lines.entries()) {
        const place = first.get(text);
        if (place === undefined) return [];
        if (rarest === undefined || (equal[place] ?? 0) < (equal[rarest.place] ?? 0)) rarest = { at, place };
        if (equal[place] === 1) break;
      }
      const found: number[] = [];
      if (rarest === undefined) return found;
      for (let { place } = rarest; place !== -1; place = next[place] ?? -1) {
        const start = place - rarest.at;
        if (start >= 0 && lines.every((text, at) => texts[start + at] === text)) found.push(start);
        if (found.length >= maxFound) break;
      }
      return found;
    },
    where: (test) => texts.flatMap((text, at) => (test(text) ? [at] : [])),
  };
}
