import type { IntList } from "./int-list.js";
import type { NamePool } from "./name-pool.js";

/** Which names of a file were noted already: the number of the file, by name. */
export interface Stamps {
  values: Int32Array;
  file: number;
}

/**
 * Note every name that looks as if it were defined here, by the bytes around it. It takes too many rather
 * than too few: which of them are definitions the syntax tree says, when somebody asks for the name.
 * A number in `found` is twice that of the name, and one more where a keyword says so.
 */
export function scanNames(
  source: Uint8Array,
  language: string,
  { pool, stamps, found }: { pool: NamePool; stamps: Stamps; found: IntList },
): void {
  const kinds = kindsFor(language);
  const everything = language === "css" || language === "ini";
  const habits = (language === "go" ? fieldsFirst : 0) | (language === "ruby" ? dottedNames : 0);
  const length = source.length;
  const span = { start: 0, end: 0 };
  stamps.file += 1;
  // What stood before: the last byte that is no space, whether a line began since, and the word that it ended.
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
    let next = at;
    while (next < length && (source[next] === 32 || source[next] === 9)) next += 1;
    const strong = wordBefore === defining;
    if (
      at - start <= longestName &&
      (strong ||
        everything ||
        looksDefined(source, next, before | (wordBefore << 8) | (lineBegan ? lineStart : 0) | habits))
    ) {
      span.start = start;
      span.end = at;
      const id = pool.add(source, span, hashOf(source, start, at));
      if (id >= stamps.values.length) grow(stamps, id);
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

const longestName = 200;
const longestKeyword = 13;
const newline = 10;
/** Stands for "a word" where a byte is asked for. */
const wordByte = 97;

/** Bits beside the byte before and the role of the word before: the line begins here, fields come before their types, names follow a dot. */
const lineStart = 1 << 10;
const fieldsFirst = 1 << 11;
const dottedNames = 1 << 12;

/** By what stands around, packed into one number: this is asked for every word of every file. */
function looksDefined(source: Uint8Array, next: number, around: number): boolean {
  const before = around & 255;
  const wordBefore = (around >> 8) & 3;
  const lineBegan = (around & lineStart) !== 0;
  const after = next < source.length ? source[next]! : newline;
  const beyond = next + 1 < source.length ? source[next + 1]! : newline;
  // `name =`, `name :`, `name?:`, but not `==`, `=>` and `::`.
  if (after === 61) return beyond !== 61 && beyond !== 62;
  if (after === 58) return beyond !== 58 || lineBegan;
  if ((after === 63 || after === 33) && (beyond === 58 || beyond === 40 || beyond === 59)) return true;
  // `"name":`, `'name'(`, `module "name" {`.
  if (after === 34 || after === 39) return beyond === 58 || beyond === 40 || beyond === 32;
  if (wordBefore === plainWord && isTypeEnd(after)) return true;
  if (lineBegan) return endsDeclaration(after) || ((around & fieldsFirst) !== 0 && after !== 46);
  // `* & > ] ) } ~ # : $ @` stand between a type, or a receiver, and its name.
  if (typeBytes[before] === 1) return isTypeEnd(after);
  // `{ , ; |` begin a member, a key, a pattern.
  if (before === 123 || before === 44 || before === 59 || before === 124) {
    if (before === 44 && (after === 91 || (around & fieldsFirst) !== 0)) return true;
    return endsDeclaration(after);
  }
  return (
    before === 46 && (after === 123 || after === 44 || ((around & dottedNames) !== 0 && isTypeEnd(after)))
  );
}

/** No word goes on and no operator: `( ) , ; { [ < = }` or the end of the line. */
function isTypeEnd(after: number): boolean {
  return (
    after === 40 || after === 41 || after === 44 || after === 59 || after === 91 || endsDeclaration(after)
  );
}

/** `( < { , } ;` or the end of the line. */
function endsDeclaration(after: number): boolean {
  return (
    after === 40 ||
    after === 60 ||
    after === 123 ||
    after === 44 ||
    after === 125 ||
    after === 59 ||
    after === newline ||
    after === 13
  );
}

const typeBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  "*&>])}~#:$@\"'".includes(String.fromCharCode(byte)) ? 1 : 0,
);

const space = 0;
const other = 1;
const word = 2;
const digit = 3;

function kindsOf({ hyphens, dollars }: { hyphens: boolean; dollars: boolean }): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte <= 32) return space;
    if (byte >= 48 && byte <= 57) return digit;
    if (byte >= 128 || byte === 95 || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)) return word;
    if (byte === 36) return dollars ? word : other;
    return byte === 45 && hyphens ? word : other;
  });
}

const plainKinds = kindsOf({ hyphens: false, dollars: true });
const scriptKinds = kindsOf({ hyphens: true, dollars: false });
const phpKinds = kindsOf({ hyphens: false, dollars: false });
/** Where a hyphen can stand in a name; there, as in PHP, `$` begins a variable and is no part of it. */
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

/** Lengths that keywords which begin with a byte have, as bits: most words are told apart by that alone. */
const keywordLengths = `${definingWords} ${usingWords}`.split(" ").reduce((lengths, text) => {
  const first = text.charCodeAt(0);
  lengths[first] = lengths[first]! | (1 << text.length);
  return lengths;
}, new Int32Array(256));

function roleOf(source: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length > longestKeyword || (keywordLengths[source[start]!]! & (1 << length)) === 0) return plainWord;
  return keywords.get(hashOf(source, start, end)) ?? plainWord;
}

function hashOf(source: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ source[at]!, 0x01000193);
  return hash;
}

function hashOfText(text: string): number {
  return hashOf(Buffer.from(text), 0, text.length);
}

function grow(stamps: Stamps, id: number): void {
  const larger = new Int32Array(Math.max(1 << 14, id * 2));
  larger.set(stamps.values);
  stamps.values = larger;
}
