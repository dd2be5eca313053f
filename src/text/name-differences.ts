import { codePoint } from "./make-splice.js";
import { foldKinds, foldLine, invisible, oddBlanks, trimTrailing, type FoldKind } from "./fold-text.js";
import { plural } from "./plural.js";

/** Lines as they stand in the file, and as they were given. */
export interface LinePair {
  /** The line in the file, from 1. */
  readonly number: number;
  readonly actual: string;
  readonly given: string;
}

/** Say in words how lines differ: each kind once, by its first example, and the first line that is other text. */
export function nameDifferences(pairs: readonly LinePair[]): string[] {
  const named = new Map<FoldKind, string>();
  let other: string | undefined;
  for (const pair of pairs) {
    if (pair.actual === pair.given) continue;
    const [actual, given] = [pair.actual.slice(0, maxLine), pair.given.slice(0, maxLine)];
    if (foldLine(actual) !== foldLine(given)) {
      other ??= `line ${pair.number} differs: ${firstDifference(pair)}`;
      continue;
    }
    for (const kind of kindsBetween(actual, given)) {
      if (!named.has(kind)) named.set(kind, sentences[kind](pair));
    }
  }
  return [...named.values(), ...(other === undefined ? [] : [other])];
}

const maxLine = 20_000;

/** The kinds without which the lines would not come out the same. */
function kindsBetween(actual: string, given: string): FoldKind[] {
  const needed = foldKinds.filter((kind) => foldLine(actual, kind) !== foldLine(given, kind));
  return needed.length > 0 ? needed : ["look-alike"];
}

const sentences: Readonly<Record<FoldKind, (pair: LinePair) => string>> = {
  indentation: ({ number, actual, given }) =>
    `indentation: line ${number} of the file begins with ${describeBlanks(leading(actual))}, the given text with ${describeBlanks(leading(given))}`,
  trailing: ({ number, actual, given }) =>
    `trailing whitespace: line ${number} of the file ends with ${describeBlanks(trailing(actual))}, the given text with ${describeBlanks(trailing(given))}`,
  blanks: (pair) => `whitespace within the line: ${firstDifference(pair)}`,
  quotes: (pair) => `quotes: ${firstDifference(pair)}`,
  dashes: (pair) => `dashes or dots: ${firstDifference(pair)}`,
  escapes: (pair) => `backslashes (escaping): ${firstDifference(pair)}`,
  case: (pair) => `case (upper and lower letters): ${firstDifference(pair)}`,
  "normal-form": (pair) => `Unicode normal form (composed or decomposed accents): ${firstDifference(pair)}`,
  "look-alike": (pair) => `characters that look alike: ${firstDifference(pair)}`,
  invisible: ({ number, actual, given }) =>
    `invisible characters: line ${number} of the file has ${listOdd(actual)}, the given text has ${listOdd(given)}`,
};

function leading(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

function trailing(line: string): string {
  return line.slice(trimTrailing(line).length);
}

/** "2 tabs and 1 space", runs in their order. */
function describeBlanks(blanks: string): string {
  const runs = blanks.match(/ +|\t+|\r+|[^ \t\r]+/g) ?? [];
  if (runs.length === 0) return "none";
  return runs.slice(0, 4).map(describeRun).join(" and ");
}

function describeRun(run: string): string {
  const name = run.startsWith(" ") ? "space" : run.startsWith("\t") ? "tab" : blankName(run);
  return plural(run.length, name);
}

function blankName(run: string): string {
  return run.startsWith("\r") ? "carriage return" : `other blank (${codePoint(run)})`;
}

function listOdd(line: string): string {
  const odd = [...(line.match(invisible) ?? []), ...(line.match(oddBlanks) ?? [])];
  if (odd.length === 0) return "none there";
  return [...new Set(odd.map((char) => names.get(char) ?? codePoint(char)))].slice(0, 4).join(", ");
}

const names: ReadonlyMap<string, string> = new Map([
  ["\u00A0", "U+00A0 (no-break space)"],
  ["\u200B", "U+200B (zero-width space)"],
  ["\u200D", "U+200D (zero-width joiner)"],
  ["\u00AD", "U+00AD (soft hyphen)"],
  ["\uFEFF", "U+FEFF (byte order mark)"],
  ["\u3000", "U+3000 (ideographic space)"],
]);

/** Both lines around the first character in which they differ. */
function firstDifference({ number, actual, given }: LinePair): string {
  let at = 0;
  while (at < actual.length && at < given.length && actual[at] === given[at]) at += 1;
  const from = at > 40 ? at - 30 : 0;
  return `line ${number} of the file has ${excerpt(actual, from, at)}, the given text has ${excerpt(given, from, at)}`;
}

function excerpt(line: string, from: number, at: number): string {
  const part = line.slice(from, at + 50).toWellFormed();
  const shown = `${from > 0 ? "…" : ""}${part}${line.length > at + 50 ? "…" : ""}`;
  // The sign itself, where it can hardly be told from another.
  const char = line.slice(at).match(/^./u)?.[0];
  // oxlint-disable-next-line no-control-regex -- all that is not plain ASCII text
  return char === undefined || /[\u0020-\u007E]/.test(char)
    ? JSON.stringify(shown)
    : `${JSON.stringify(shown)} (${codePoint(char)})`;
}
