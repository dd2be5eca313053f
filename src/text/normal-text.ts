/** A text with every line end written as a line feed, and where its characters stood before. */
export interface NormalText {
  readonly text: string;
  /** The index in the original text; one after a line end is after all of its characters. */
  readonly original: (index: number) => number;
}

/** Write the pairs of a packed text as line feeds, to find what differs in nothing else. */
export function normalizeLineEnds(packed: string, loneReturns: boolean): NormalText {
  if (!packed.includes("\r")) return { text: packed, original: (index) => index };
  const text = packed.replaceAll(loneReturns ? /\r\n?/g : /\r\n/g, "\n");
  const start = { normal: 0, original: 0, nextPair: packed.indexOf("\r\n") };
  let cursor = { ...start };
  return {
    text,
    original(index) {
      if (index < cursor.normal) cursor = { ...start };
      // Every pair before the index made the text one character shorter.
      for (let step = index - cursor.normal; step > 0; step = index - cursor.normal) {
        const distance = cursor.nextPair - cursor.original;
        if (cursor.nextPair === -1 || distance >= step) {
          cursor.normal = index;
          cursor.original += step;
        } else {
          cursor.normal += distance + 1;
          cursor.original = cursor.nextPair + 2;
          cursor.nextPair = packed.indexOf("\r\n", cursor.original);
        }
      }
      return cursor.original;
    },
  };
}
