/** How two texts can look the same, or nearly, and yet differ; folded in this order, because blanks must be plain first. */
export const foldKinds = [
  "invisible",
  "quotes",
  "dashes",
  "normal-form",
  "look-alike",
  "escapes",
  "case",
  "trailing",
  "indentation",
  "blanks",
] as const;

export type FoldKind = (typeof foldKinds)[number];

/** Remove every difference in appearance from a line, except for one kind. */
export function foldLine(line: string, except?: FoldKind): string {
  let folded = line;
  for (const kind of foldKinds) {
    if (kind !== except) folded = folds[kind](folded);
  }
  return folded;
}

/** Characters that are not visible: zero-width ones, direction marks, soft hyphens. */
export const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

/** Blanks other than the space. */
export const oddBlanks = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/gu;

const folds: Readonly<Record<FoldKind, (line: string) => string>> = {
  invisible: (line) => line.replaceAll(invisible, "").replaceAll(oddBlanks, " "),
  quotes: (line) => line.replaceAll(/[\u2018-\u201F\u2032\u2033\u00B4\u00AB\u00BB\u2039\u203A'"`]/gu, '"'),
  dashes: (line) => line.replaceAll(/[\u2010-\u2015\u2212]/gu, "-").replaceAll("\u2026", "..."),
  "normal-form": (line) => line.normalize("NFC"),
  "look-alike": (line) => line.replaceAll(/[\u0080-\u{10FFFF}]/gu, plainTwin),
  escapes: (line) => line.replaceAll("\\", ""),
  case: (line) => line.toLowerCase(),
  trailing: trimTrailing,
  indentation: (line) => line.replace(/^[ \t\f\v]+/, ""),
  blanks: (line) => line.replaceAll(/(?<=\S)[ \t\f\v]+(?=\S)/g, ""),
};

/** Remove trailing blanks. Not by a pattern, which takes quadratic time for blanks in the middle of a line. */
export function trimTrailing(line: string): string {
  let end = line.length;
  while (end > 0 && " \t\f\v\r".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

/** Greek and Cyrillic letters that are drawn like Latin ones. */
const cyrillic = "АВЕЅІЈКМНОРСТХУаеѕіјорсухԁ";
const greek = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο";
const twins: ReadonlyMap<string, string> = new Map([
  ...Array.from(cyrillic, (char, at) => [char, "ABESIJKMHOPCTXYaesijopcyxd".charAt(at)] as const),
  ...Array.from(greek, (char, at) => [char, "ABEZHIKMNOPTYXo".charAt(at)] as const),
]);

/** Blanks, dots, quotes and dashes are folded by other kinds. */
const otherKinds = /[\s\u00A0-\u00BF\u2000-\u206F\u2212]/u;

function plainTwin(char: string): string {
  const twin = twins.get(char);
  if (twin !== undefined) return twin;
  return otherKinds.test(char) ? char : char.normalize("NFKC");
}
