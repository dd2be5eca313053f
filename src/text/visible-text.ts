export interface VisiblePiece {
  readonly text: string;
  /** Whether the piece is a character that was written out, such as `⟨ESC⟩`. */
  readonly written: boolean;
}

/**
 * Turn any text into a form in which a person sees every character that is there.
 *
 * Characters that cannot be seen, that steer a terminal or the direction of text, or that cannot be told apart from
 * others are written out: `⟨ESC⟩`, `⟨U+202E⟩`. Line feeds, tabs and standard emoji sequences stay. Every `⟨…⟩` in the
 * visible form is exactly one character of the text, so {@link fromVisibleText} gives back the same code points.
 */
export function toVisibleText(text: string): string {
  if (isPlain(text)) return text;
  const parts: string[] = [];
  for (const piece of toVisiblePieces(text)) parts.push(piece.text);
  return parts.join("");
}

/** The visible form of a name, a title or other text in one line: `⟨LF⟩` and `⟨TAB⟩` are written out too. */
export function toVisibleLine(text: string): string {
  return toVisibleText(text).replace(/[\t\n]/g, (char) => nameOf(char.charCodeAt(0)));
}

/** The visible form in pieces, so that what was written out can be highlighted. */
export function toVisiblePieces(text: string): readonly VisiblePiece[] {
  if (text === "") return [];
  if (isPlain(text)) return [{ text, written: false }];
  const marks = findUnclear(text);
  const pieces: VisiblePiece[] = [];
  let start = 0;
  for (let at = marks.indexOf(WRITE); at !== -1; at = marks.indexOf(WRITE, start)) {
    if (at > start) pieces.push({ text: text.slice(start, at), written: false });
    const code = text.codePointAt(at) ?? 0;
    pieces.push({ text: nameOf(code), written: true });
    start = at + (code > 0xffff ? 2 : 1);
  }
  if (start < text.length) pieces.push({ text: text.slice(start), written: false });
  return pieces;
}

/** The text whose visible form this is. */
export function fromVisibleText(visible: string): string {
  return visible.replace(
    /⟨(?:U\+([0-9A-F]{4,6})|([A-Z][A-Z0-9]{1,2}))⟩/g,
    (whole, hex?: string, name?: string) => {
      const code = hex === undefined ? (codeByName.get(name ?? "") ?? -1) : Number.parseInt(hex, 16);
      return code < 0 || code > 0x10ffff ? whole : String.fromCodePoint(code);
    },
  );
}

/** How much of a text is not shown. */
export interface FoldedText {
  /** The beginning of the text; it ends between two characters, at the end of a line where it can. */
  readonly shown: string;
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

/** Keep the beginning of a text within limits and count the rest, so that nothing is left out without saying so. */
export function foldText(text: string, limits: { lines: number; characters: number }): FoldedText {
  const end = foldAt(text, limits);
  if (end >= text.length) return { shown: text, hiddenLines: 0, hiddenCharacters: 0 };
  const rest = text.slice(end);
  const hiddenLines = countOf(rest, "\n") + (rest.endsWith("\n") ? 0 : 1);
  return { shown: text.slice(0, end), hiddenLines, hiddenCharacters: rest.length };
}

/** Say how much is folded: "… 412 more lines, 18,203 characters"; nothing where the text is whole. */
export function foldNote({ hiddenLines, hiddenCharacters }: Omit<FoldedText, "shown">): string {
  if (hiddenCharacters === 0) return "";
  const count = (n: number, unit: string): string =>
    `${n.toLocaleString("en-US")} ${unit}${n === 1 ? "" : "s"}`;
  return `… ${count(hiddenLines, "more line")}, ${count(hiddenCharacters, "character")}`;
}

function foldAt(text: string, { lines, characters }: { lines: number; characters: number }): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf("\n", end);
    const after = next === -1 ? text.length : next + 1;
    if (after > characters) return end > 0 ? end : betweenCharacters(text, characters);
    end = after;
    if (next === -1) break;
  }
  return end;
}

/** Never within a surrogate pair, whose halves would be shown as something that is not there. */
function betweenCharacters(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

/** Most texts are ASCII, in which only control characters need a second look. */
function isPlain(text: string): boolean {
  return !/[^\t\n\x20-\x7e]/.test(text);
}

const WRITE = 1;
const KEEP = 2;

/**
 * For each code unit where a character starts: whether it is written out. Here and below, expressions with classes of Unicode are made
 * where they are used: making them takes V8 two milliseconds, which a short command with plain output does not have.
 */
function findUnclear(text: string): Uint8Array {
  const marks = new Uint8Array(text.length);
  keepEmoji(text, marks);
  /*
   * Controls, formats, surrogates, private use, unassigned, separators and all blanks but the space; what a font may
   * draw as nothing at all (fillers, selectors, the braille blank, the null note head, the object placeholder); what is
   * canonically the same as a character of ASCII or as another sign; and the bracket that this form itself uses.
   */
  const unclear =
    /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u037e\u1fef\u2126\u212a\u212b\u2329\u232a⟨]/gu;
  for (const { index } of text.matchAll(unclear)) if (marks[index] !== KEEP) marks[index] = WRITE;
  if (/\p{M}/u.test(text)) findStrayMarks(text, marks);
  findMixedWords(text, marks);
  return marks;
}

const joining = /\u200d|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}]/u;

function keepEmoji(text: string, marks: Uint8Array): void {
  if (!joining.test(text)) return;
  // Written as a string because the compiler's target does not know the flag yet.
  const standard = new RegExp(String.raw`^\p{RGI_Emoji}$`, "v");
  // Emoji joined by the characters that such sequences are made of; whether they are standard is looked up.
  const joinedEmoji =
    /\p{Emoji}(?:\p{EMod}|\ufe0f?\u20e3|\ufe0f|[\u{e0020}-\u{e007f}]{1,40})?(?:\u200d\p{Emoji}(?:\p{EMod}|\ufe0f)?){0,12}/gu;
  for (const { 0: found, index } of text.matchAll(joinedEmoji)) {
    if (joining.test(found) && standard.test(found)) marks.fill(KEEP, index, index + found.length);
  }
}

const maxMarks = 4;

/** Write out marks that stand on no letter, that cover it, or that are more than a handful. */
function findStrayMarks(text: string, marks: Uint8Array): void {
  // Marks that enclose or strike through what they stand on.
  const coveringMark = /[\p{Me}\u0334-\u0338\u20d0-\u20f0]/u;
  for (const { 0: run, 1: base = "", index } of text.matchAll(/(\p{L}?)\p{M}+/gu)) {
    let at = index + base.length;
    let count = 0;
    const based = base !== "" && marks[index] !== WRITE;
    for (const mark of run.slice(base.length)) {
      if (/\P{Mc}/u.test(mark)) count += 1;
      if (marks[at] !== KEEP && (!based || count > maxMarks || coveringMark.test(mark))) marks[at] = WRITE;
      at += mark.length;
    }
  }
}

/** Write out the letters that do not belong to the script of their word, and digits that imitate others. */
function findMixedWords(text: string, marks: Uint8Array): void {
  const known = new Map<string, string>();
  // Letters, digits and marks in a row; what is written out anyway does not part a word.
  const word = /[\p{L}\p{M}\p{N}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
  for (const { 0: found, index } of text.matchAll(word)) {
    // oxlint-disable-next-line no-control-regex -- the range of ASCII
    if (/^[\x00-\x7f]*$/.test(found)) continue;
    const main = mainScript(found, known);
    const digits = /[0-9]/.test(found);
    let at = index;
    for (const char of found) {
      const script = char > "\x7f" ? scriptOf(char, known) : "";
      const foreign = script !== "" && main !== "" && script !== main;
      if (marks[at] !== KEEP && (foreign || (digits && char > "\x7f" && /\p{Nd}/u.test(char))))
        marks[at] = WRITE;
      at += char.length;
    }
  }
}

/** Latin where the word has any, since commands, names and addresses are Latin; else the script it begins with. */
function mainScript(found: string, known: Map<string, string>): string {
  let first = "";
  for (const char of found) {
    const script = scriptOf(char, known);
    if (script === "Latin") return script;
    first ||= script;
  }
  return first;
}

/** The script of a letter or digit; none where it goes with every script. */
function scriptOf(char: string, known: Map<string, string>): string {
  if (char <= "\x7f") return /[A-Za-z]/.test(char) ? "Latin" : "";
  let script = known.get(char);
  if (script === undefined) {
    script = /[\p{L}\p{N}]/u.test(char) && !goesTogether(char) ? scriptByName(char) : "";
    known.set(char, script);
  }
  return script;
}

/** Signs of no script, and scripts that are written without spaces or together with Latin every day. */
function goesTogether(char: string): boolean {
  return /[\p{sc=Common}\p{sc=Inherited}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(
    char,
  );
}

function scriptByName(char: string): string {
  scripts ??= scriptNames.split(" ").map((name) => ({ name, test: new RegExp(`\\p{scx=${name}}`, "u") }));
  return scripts.find(({ test }) => test.test(char))?.name ?? "other";
}

let scripts: readonly { readonly name: string; readonly test: RegExp }[] | undefined;

const scriptNames =
  "Latin Cyrillic Greek Armenian Hebrew Arabic Georgian Cherokee Coptic Lisu Deseret Glagolitic Gothic Old_Italic " +
  "Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Tibetan Ethiopic Thaana Syriac " +
  "Canadian_Aboriginal Mongolian Runic Ogham Nko Vai Tifinagh Osage Adlam Warang_Citi";

const names =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

const codeByName = new Map([...names.map((name, code) => [name, code] as const), ["DEL", 0x7f] as const]);

function nameOf(code: number): string {
  const name = code === 0x7f ? "DEL" : names[code];
  return `⟨${name ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}
