import { trimTrailing } from "./fold-text.js";

/** Typographic characters that models write in the place of plain ones, and the other way round. */
const typographic: readonly (readonly [plain: string, others: string])[] = [
  ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"],
  ["'", "\u2018\u2019\u201A\u201B"],
  ['"', "\u201C\u201D\u201E\u201F"],
  [" ", "\u00A0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000"],
];

/**
 * Create a function that removes trailing blanks and writes typographic quotes, dashes and spaces as plain ones.
 *
 * @param pack The form in which the lines are searched.
 */
export function createLooseFold(pack: (text: string) => string): (line: string) => string {
  const pairs = typographic.flatMap(([plain, others]) =>
    Array.from(others, (other) => [pack(other), plain] as const),
  );
  return (line) => {
    let folded = line;
    // oxlint-disable-next-line no-control-regex -- all of ASCII
    if (!/^[\x00-\x7F]*$/.test(line)) {
      for (const [other, plain] of pairs) folded = folded.replaceAll(other, plain);
    }
    return trimTrailing(folded);
  };
}
