import type { IntList } from "./int-list.js";
import type { NamePool } from "./name-pool.js";

/** Which names of a file were collected already: the number of the file, by name. */
export interface Stamps {
  values: Int32Array;
  file: number;
}

/**
 * Collect every name that looks as if it were defined here, by the bytes around it. It collects too many rather
 * than too few: the syntax tree decides which of them are definitions when the name is searched for.
 * An entry in `found` is twice the number of the name, plus one where a keyword such as `function` precedes it.
 */
export function scanNames(
  source: Uint8Array,
  language: string,
  { pool, stamps, found }: { pool: NamePool; stamps: Stamps; found: IntList },
): void {
  const kinds = kindsFor(language);
  const everything = language === "css" || language === "ini";
  const languageFlags = (language === "go" ? fieldsFirst : 0) | (language === "ruby" ? dottedNames : 0);
  const length = source.length;
  const span = { start: 0, end: 0 };
  stamps.file += 1;
  // The last byte that is not a space, the role of the word it ended, and whether a line began since.
  let before = newline;
  let wordBefore = 0;
  let lineBegan = true;
  let at = 0;
  while (at < length) {
    const byte = source[at]!;
    const kind = kinds[byte]!;
    if (kind === other) {
      before = byte;
      wordBefore = 0;
      lineBegan = false;
      at += 1;
      continue;
    }
    if (kind === space) {
      if (byte === newline) lineBegan = true;
      at += 1;
      continue;
    }
    const start = at;
    do at += 1;
    while (at < length && kinds[source[at]!]! >= word);
    if (kind === digit) {
      before = byte;
      wordBefore = 0;
      lineBegan = false;
      continue;
    }
    const role = roleOf(source, start, at);
    const next = skipBlanks(source, at);
    const strong = wordBefore === defining;
    if (
      at - start <= maxNameLength &&
      (strong ||
        everything ||
        looksDefined(source, next, before | (wordBefore << 8) | (lineBegan ? lineStart : 0) | languageFlags))
    ) {
      span.start = start;
      span.end = at;
      const id = pool.add(source, span, hashBytes(source, start, at));
      if (id >= stamps.values.length) growStamps(stamps, id);
      if (stamps.values[id] !== stamps.file) {
        stamps.values[id] = stamps.file;
        found.push(id * 2 + (strong ? 1 : 0));
      }
    }
    before = wordByte;
    wordBefore = role;
    lineBegan = false;
  }
}

function skipBlanks(source: Uint8Array, from: number): number {
  let at = from;
  while (at < source.length && blanks[source[at]!] === 1) at += 1;
  return at;
}

const maxNameLength = 200;
const maxKeywordLength = 13;
const newline = 10;
/** Stands for "a word" where a byte is expected. */
const wordByte = byteOf("a");

/** Flags next to the byte before and the role of the word before: the line begins here, fields come before their types, names follow a dot. */
const lineStart = 1 << 10;
const fieldsFirst = 1 << 11;
const dottedNames = 1 << 12;

/** Decides by the surrounding bytes, packed into one number because this runs for every word of every file. */
function looksDefined(source: Uint8Array, next: number, around: number): boolean {
  const lineBegan = (around & lineStart) !== 0;
  const after = next < source.length ? source[next]! : newline;
  const afterThat = next + 1 < source.length ? source[next + 1]! : newline;
  // `name =`, `name :`, `name?:`, but not `==`, `=>` and `::`.
  if (after === equalsSign) return equalsOrArrow[afterThat] === 0;
  if (after === colon) return afterThat !== colon || lineBegan;
  if (optionalMark[after] === 1 && afterOptional[afterThat] === 1) return true;
  // `"name":`, `'name'(`, `module "name" {`.
  if (quotes[after] === 1) return afterQuote[afterThat] === 1;
  if (((around >> 8) & 3) === plainWord && typeEnd[after] === 1) return true;
  if (lineBegan) return declarationEnd[after] === 1 || ((around & fieldsFirst) !== 0 && after !== dot);
  return looksDefinedAfter(around & 255, after, around);
}

/** The same for a name in the middle of a line, by the byte before it. */
function looksDefinedAfter(before: number, after: number, around: number): boolean {
  if (beforeName[before] === 1) return typeEnd[after] === 1;
  if (beforeMember[before] === 1) {
    const follows = before === comma && (after === openBracket || (around & fieldsFirst) !== 0);
    return follows || declarationEnd[after] === 1;
  }
  if (before !== dot) return false;
  return afterDotted[after] === 1 || ((around & dottedNames) !== 0 && typeEnd[after] === 1);
}

function byteOf(character: string): number {
  return character.charCodeAt(0);
}

/** A lookup table: 1 for each of these ASCII characters. */
function byteSet(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[byteOf(character)] = 1;
  return table;
}

const dot = byteOf(".");
const comma = byteOf(",");
const colon = byteOf(":");
const equalsSign = byteOf("=");
const openBracket = byteOf("[");
const blanks = byteSet(" \t");
const equalsOrArrow = byteSet("=>");
const optionalMark = byteSet("?!");
const afterOptional = byteSet(":(;");
const quotes = byteSet("\"'");
const afterQuote = byteSet(":( ");
/** After a declared name: neither a word nor an operator continues. */
const typeEnd = byteSet("(),;[<{}\n\r");
const declarationEnd = byteSet("(<{,};\n\r");
/** Between a type, or a receiver, and its name. */
const beforeName = byteSet("*&>])}~#:$@\"'");
/** Begin a member, a key or a pattern. */
const beforeMember = byteSet("{,;|");
const afterDotted = byteSet("{,");

const space = 0;
const other = 1;
const word = 2;
const digit = 3;

function byteKinds({ hyphens, dollars }: { hyphens: boolean; dollars: boolean }): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    if (byte <= byteOf(" ")) return space;
    if (/[0-9]/.test(character)) return digit;
    if (byte >= 0x80 || /[A-Za-z_]/.test(character)) return word;
    if (character === "$") return dollars ? word : other;
    return character === "-" && hyphens ? word : other;
  });
}

const plainKinds = byteKinds({ hyphens: false, dollars: true });
const scriptKinds = byteKinds({ hyphens: true, dollars: false });
const phpKinds = byteKinds({ hyphens: false, dollars: false });
/** Languages with hyphens in names; there, as in PHP, `$` begins a variable and is not part of its name. */
const hyphenated = new Set(["css", "ini", "powershell", "bash", "shell", "sh", "zsh"]);

function kindsFor(language: string): Uint8Array {
  if (hyphenated.has(language)) return scriptKinds;
  return language === "php" ? phpKinds : plainKinds;
}

const plainWord = 1;
/** The next word is what is defined. */
const defining = 2;
/** The next word is used, not defined. */
const using = 3;

const definingWords =
  "function class interface struct enum trait type def fn func const let var val static module namespace mod union define defn macro macro_rules record object protocol impl package typedef define_method alias";
const usingWords =
  "return new throw await yield typeof in of instanceof case delete else extends implements import from as and or not is if while elif assert raise goto with then do unless until when";

const keywords = new Map<number, number>([
  ...definingWords.split(" ").map((text): [number, number] => [hashOfText(text), defining]),
  ...usingWords.split(" ").map((text): [number, number] => [hashOfText(text), using]),
]);

/** By first byte, the lengths of keywords as bits: this alone rules out most words. */
const keywordLengths = `${definingWords} ${usingWords}`.split(" ").reduce((lengths, text) => {
  const first = text.charCodeAt(0);
  lengths[first] = lengths[first]! | (1 << text.length);
  return lengths;
}, new Int32Array(256));

function roleOf(source: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length > maxKeywordLength || (keywordLengths[source[start]!]! & (1 << length)) === 0) return plainWord;
  return keywords.get(hashBytes(source, start, end)) ?? plainWord;
}

/** FNV-1a over a range of bytes. */
export function hashBytes(source: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ source[at]!, 0x01000193);
  return hash;
}

function hashOfText(text: string): number {
  return hashBytes(Buffer.from(text), 0, text.length);
}

function growStamps(stamps: Stamps, id: number): void {
  const larger = new Int32Array(Math.max(1 << 14, id * 2));
  larger.set(stamps.values);
  stamps.values = larger;
}
