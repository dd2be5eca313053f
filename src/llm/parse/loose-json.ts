import { setOwn } from "../../contract/set-own.js";
import { Unreadable, type Reader } from "./reader.js";

/** How a value is read. */
export interface LooseOptions {
  /** Tuples and triple quotes too. @default false */
  readonly python?: boolean;
  /** Brackets that are still open where this stands may be left out; nothing else may. */
  readonly end?: string;
}

const maxDepth = 100;

/**
 * Read one value as models write JSON: comments, trailing commas, single quotes, bare keys, raw line breaks in
 * strings, Python's True, False and None. A value that is cut off, or that has two readings, is not read.
 */
export function readLooseJson(reader: Reader, options: LooseOptions = {}): unknown {
  return readValue(reader, options, 0);
}

/** Read a text that is one value and nothing else; `undefined` where it is not. */
export function parseLooseJson(reader: Reader): unknown {
  try {
    const value = readLooseJson(reader);
    skipFiller(reader);
    return reader.atEnd ? value : undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Step over space and comments. */
export function skipFiller(reader: Reader): void {
  for (;;) {
    reader.skipSpace();
    if (reader.sees("//") || (reader.sees("#") && !reader.sees("#:"))) {
      const end = reader.find("\n");
      reader.pos = end === -1 ? reader.text.length : end;
    } else if (reader.sees("/*")) {
      const end = reader.find("*/");
      if (end === -1) throw new Unreadable("incomplete", "A comment does not end.");
      reader.pos = end + 2;
    } else return;
  }
}

function readValue(reader: Reader, options: LooseOptions, depth: number): unknown {
  if (depth > maxDepth) throw new Unreadable("too_deep", `The arguments nest deeper than ${maxDepth}.`);
  skipFiller(reader);
  reader.spend(8);
  const { char } = reader;
  if (char === "{") return readObject(reader, options, depth);
  if (char === "[") return readList(reader, { ...options, depth, close: "]" });
  if (char === "(" && options.python === true) return readList(reader, { ...options, depth, close: ")" });
  if (char === '"' || char === "'") return readString(reader, options);
  return readWord(reader);
}

function readObject(reader: Reader, options: LooseOptions, depth: number): Record<string, unknown> {
  reader.pos++;
  const object: Record<string, unknown> = {};
  for (;;) {
    skipFiller(reader);
    if (closes(reader, "}", options)) return object;
    const key = readKey(reader, options);
    skipFiller(reader);
    if (!reader.take(":")) throw broken(reader, `":" after the key "${key.slice(0, 40)}"`);
    const value = readValue(reader, options, depth + 1);
    if (Object.hasOwn(object, key) && JSON.stringify(object[key]) !== JSON.stringify(value))
      throw new Unreadable("ambiguous", `The key "${key.slice(0, 40)}" occurs twice with different values.`);
    setOwn(object, key, value);
    skipFiller(reader);
    if (!reader.take(",") && !seesClose(reader, "}", options)) throw broken(reader, '"," or "}"');
  }
}

function readList(
  reader: Reader,
  at: LooseOptions & { readonly depth: number; readonly close: string },
): unknown[] {
  reader.pos++;
  const list: unknown[] = [];
  for (;;) {
    skipFiller(reader);
    if (closes(reader, at.close, at)) return list;
    list.push(readValue(reader, at, at.depth + 1));
    skipFiller(reader);
    if (!reader.take(",") && !seesClose(reader, at.close, at)) throw broken(reader, `"," or "${at.close}"`);
  }
}

/** A bracket that is missing counts as written where what must follow it stands. */
function closes(reader: Reader, bracket: string, { end }: LooseOptions): boolean {
  return reader.take(bracket) || (end !== undefined && reader.sees(end));
}

function seesClose(reader: Reader, bracket: string, { end }: LooseOptions): boolean {
  return reader.sees(bracket) || (end !== undefined && reader.sees(end));
}

function readKey(reader: Reader, options: LooseOptions): string {
  if (reader.char === '"' || reader.char === "'") return readString(reader, options);
  const key = reader.match(/[A-Za-z_$][\w$-]*/y);
  if (key === undefined) throw broken(reader, 'a key or "}"');
  return key;
}

/** Read a string in its quotes. */
function readString(reader: Reader, { python }: LooseOptions): string {
  const quote = reader.char;
  const triple = quote.repeat(3);
  if (python === true && reader.take(triple)) return readUpTo(reader, triple);
  reader.pos++;
  return readUpTo(reader, quote);
}

function readUpTo(reader: Reader, end: string): string {
  const { text } = reader;
  let result = "";
  let from = reader.pos;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === end[0] && text.startsWith(end, at)) {
      reader.spend(at - reader.pos + 1);
      reader.pos = at + end.length;
      return result + text.slice(from, at);
    }
    if (char !== "\\") continue;
    const [meant, length] = readEscape(text, at);
    result += text.slice(from, at) + meant;
    at += length - 1;
    from = at + 1;
  }
  reader.spend(text.length - reader.pos);
  throw new Unreadable("incomplete", "A string does not end.");
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  '"': '"',
  "'": "'",
  "`": "`",
  "\\": "\\",
  "/": "/",
  "\n": "",
};

/** The character that an escape means and how long it is written. */
function readEscape(text: string, at: number): [char: string, length: number] {
  const letter = text.charAt(at + 1);
  const plain = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
  if (plain !== undefined) return [plain, 2];
  const digits = letter === "u" ? 4 : letter === "x" ? 2 : 0;
  const hex = text.slice(at + 2, at + 2 + digits);
  if (digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex))
    return [String.fromCharCode(Number.parseInt(hex, 16)), 2 + digits];
  if (letter === "") throw new Unreadable("incomplete", "A string ends within an escape.");
  throw new Unreadable(
    "ambiguous",
    `"\\${letter}" in a string could mean "${letter}" or a backslash and "${letter}"; write "\\\\${letter}".`,
  );
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

function readWord(reader: Reader): unknown {
  const number = reader.match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
  if (number !== undefined) {
    return exactNumber(number);
  }
  const word = reader.match(/[A-Za-z]+(?!\w)/y);
  if (word !== undefined && words.has(word)) return words.get(word);
  throw broken(reader, "a value");
}

/** A number as it is written; a whole number that would become another one is not read. */
export function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new Unreadable("malformed", `${text.slice(0, 40)} is too large a number.`);
  if (Number.isSafeInteger(value) || /[.eE]/.test(text) || String(value) === text) return value;
  throw new Unreadable(
    "ambiguous",
    `${text.slice(0, 40)} is too large to be represented exactly; write it as a string where one is accepted.`,
  );
}

function broken(reader: Reader, expected: string): Unreadable {
  if (reader.atEnd) return new Unreadable("incomplete", `The text ends where ${expected} should stand.`);
  const found = JSON.stringify(reader.text.slice(reader.pos, reader.pos + 20));
  return new Unreadable("malformed", `Expected ${expected}, found ${found}.`);
}
