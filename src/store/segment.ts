/** How a text is split into terms. */
export interface SegmentOptions {
  /** Single characters of scripts without spaces too, so that a query of one character finds them. */
  readonly singles: boolean;
  /** Stop after this many terms. */
  readonly limit: number;
}

/**
 * Split a text into the terms that are indexed and searched: words, folded (NFKC, case, accents), names in
 * camelCase also by their parts, and pairs of neighboring characters where a script has no spaces, since
 * neither FTS5 nor PostgreSQL would find a Chinese word of two characters. A term holds letters, marks and
 * digits only, so it means nothing in the language of any query.
 */
export function segment(text: string, { singles, limit }: SegmentOptions): string[] {
  const terms: string[] = [];
  // Most texts are plain, and ASCII is several times as fast.
  const plain = ascii.test(text);
  // Full-width letters, ligatures and the like as plain ones; very long texts are cut before that costs.
  const whole = plain ? text.slice(0, maxTextChars) : text.slice(0, maxTextChars).normalize("NFKC");
  for (const [run] of whole.matchAll(plain ? asciiWords : words)) {
    if (plainWord.test(run)) terms.push(run.slice(0, maxTermChars));
    else if (plain) addName(terms, run);
    else addRun(terms, run, { singles, limit });
    if (terms.length >= limit) break;
  }
  return terms.length > limit ? terms.slice(0, limit) : terms;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\x00-\x7f]*$/;
const asciiWords = /[a-z0-9]+/gi;

/** Scripts that write words without spaces, or glue particles onto them. */
const unspacedScripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");

const words = /[\p{L}\p{M}\p{N}]+/gu;
const sameWay = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, "gu");

/** A run of letters, marks and digits, split where the script changes. */
function addRun(terms: string[], run: string, options: SegmentOptions): void {
  for (const [part] of run.matchAll(sameWay)) {
    if (unspaced.test(part)) addPairs(terms, caseless(part), options);
    else addName(terms, part);
    if (terms.length >= options.limit) return;
  }
}

// Longer ones are noise (hashes, encoded data) and differ in their first characters.
const maxTermChars = 64;

const maxTextChars = 1_000_000;

function addPairs(terms: string[], run: string, { singles, limit }: SegmentOptions): void {
  let before: string | undefined;
  for (const character of run) {
    if (singles) terms.push(character);
    if (before !== undefined) terms.push(before + character);
    before = character;
    if (terms.length >= limit) return;
  }
  if (!singles && before === run) terms.push(run);
}

/** A name as a whole and, where it is one of several words, those words. */
function addName(terms: string[], run: string): void {
  const whole = fold(run);
  // Accents alone fold to nothing.
  if (whole !== "") terms.push(whole);
  if (run.length > maxTermChars) return;
  const parts = run.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
  if (parts.length > 1) terms.push(...parts.map(fold).filter((part) => part !== ""));
}

/** The normalized form of a word, with a maximum length. */
function fold(word: string): string {
  if (plainWord.test(word)) return word.slice(0, maxTermChars);
  return Array.from(caseless(word)).slice(0, maxTermChars).join("");
}

const plainWord = /^[a-z0-9]+$/;

function caseless(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
}
