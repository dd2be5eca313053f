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
  const texts: string[] = [];
  const byText = new Map<string, number[]>();
  for (let at = 0; at < count; at += 1) {
    const text = textOf(at);
    texts.push(text);
    const places = byText.get(text);
    if (places === undefined) byText.set(text, [at]);
    else places.push(at);
  }
  return {
    find(lines) {
      // The rarest line of those that are sought leaves the fewest places to compare.
      let rarest: { readonly at: number; readonly places: readonly number[] } | undefined;
      for (const [at, text] of lines.entries()) {
        const places = byText.get(text);
        if (places === undefined) return [];
        if (rarest === undefined || places.length < rarest.places.length) rarest = { at, places };
        if (places.length === 1) break;
      }
      const { at: offset, places } = rarest ?? { at: 0, places: [] };
      const found: number[] = [];
      for (const place of places) {
        const start = place - offset;
        if (start >= 0 && lines.every((text, at) => texts[start + at] === text)) found.push(start);
        if (found.length >= maxFound) break;
      }
      return found;
    },
    where: (test) => texts.flatMap((text, at) => (test(text) ? [at] : [])),
  };
}
