/** A text is not JSON: where, and why. */
export class JsonFault extends Error {
  readonly position: number;
  readonly path: JsonPath;

  constructor(position: number, path: JsonPath, message: string) {
    super(message);
    this.position = position;
    this.path = path;
  }
}

type JsonPath = readonly (string | number)[];

/** What to be told while a text is read; either may throw a `JsonFault`. */
export interface JsonVisitor {
  /** A value begins. */
  readonly onValue: (path: JsonPath, position: number, keyPosition: number | undefined) => void;
  /** An object has a key; `false` leaves the member out. */
  readonly onKey: (path: JsonPath, position: number, object: Readonly<Record<string, unknown>>) => boolean;
}

const noVisitor: JsonVisitor = { onValue: () => {}, onKey: () => true };

/** Read JSON with exact positions and duplicate keys, unlike `JSON.parse`. It recurses: the caller bounds the depth. */
export function readJson(text: string, visitor: JsonVisitor = noVisitor): unknown {
  const reader: Reader = { text, position: 0, visitor };
  skipSpace(reader);
  if (reader.position === text.length) stop(reader, [], "Unexpected end: the text is empty");
  const value = readValue(reader, []);
  skipSpace(reader);
  if (reader.position < text.length)
    stop(reader, [], `Unexpected ${showCharacter(reader)} after the end of the JSON`);
  return value;
}

/** The first fault of a text, or `undefined` if it is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  try {
    readJson(text);
    return undefined;
  } catch (fault) {
    if (fault instanceof JsonFault) return fault;
    throw fault;
  }
}

interface Reader {
  readonly text: string;
  readonly visitor: JsonVisitor;
  position: number;
}

const words: readonly (readonly [word: string, value: unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

function readValue(reader: Reader, path: JsonPath, keyPosition?: number): unknown {
  reader.visitor.onValue(path, reader.position, keyPosition);
  const char = reader.text[reader.position];
  if (char === "{") return readObject(reader, path);
  if (char === "[") return readArray(reader, path);
  if (char === '"') return readString(reader, path);
  if (char !== undefined && /[-0-9]/.test(char)) return readNumber(reader, path);
  for (const [word, value] of words) {
    if (!reader.text.startsWith(word, reader.position)) continue;
    reader.position += word.length;
    return value;
  }
  if (char === undefined) return stop(reader, path, "Unexpected end: a value is missing");
  if (char === "'") return stop(reader, path, "Unexpected ': strings take double quotes");
  return stop(reader, path, `Unexpected ${showCharacter(reader)}: expected a value`);
}

function readObject(reader: Reader, path: JsonPath): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  reader.position++;
  skipSpace(reader);
  if (take(reader, "}")) return object;
  for (;;) {
    const keyPosition = reader.position;
    if (reader.text[keyPosition] !== '"')
      stop(reader, path, `${unexpected(reader)}: expected a property name in double quotes`);
    const key = readString(reader, path);
    const inner = [...path, key];
    const isKept = reader.visitor.onKey(inner, keyPosition, object);
    skipSpace(reader);
    if (!take(reader, ":"))
      stop(reader, inner, `${unexpected(reader)}: expected ":" after the property name`);
    skipSpace(reader);
    const value = readValue(reader, inner, keyPosition);
    if (isKept) object[key] = value;
    if (endsAfterMember(reader, path, "}")) return object;
  }
}

function readArray(reader: Reader, path: JsonPath): unknown[] {
  const array: unknown[] = [];
  reader.position++;
  skipSpace(reader);
  if (take(reader, "]")) return array;
  for (;;) {
    array.push(readValue(reader, [...path, array.length]));
    if (endsAfterMember(reader, path, "]")) return array;
  }
}

/** After a member: the end of the container (true), or a comma and something after it (false). */
function endsAfterMember(reader: Reader, path: JsonPath, close: string): boolean {
  skipSpace(reader);
  if (take(reader, close)) return true;
  if (!take(reader, ",")) stop(reader, path, `${unexpected(reader)}: expected "," or "${close}"`);
  skipSpace(reader);
  if (reader.text[reader.position] === close)
    stop(reader, path, `Unexpected "${close}": remove the comma before it`);
  return false;
}

function readString(reader: Reader, path: JsonPath): string {
  const { text, position: start } = reader;
  for (reader.position++; reader.position < text.length; reader.position++) {
    const char = text[reader.position];
    if (char === '"') {
      reader.position++;
      return JSON.parse(text.slice(start, reader.position)) as string;
    }
    if (char !== undefined && char < " ")
      stop(reader, path, `Unexpected ${showCharacter(reader)} in a string: escape it`);
    if (char !== "\\") continue;
    const escape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(
      text.slice(reader.position, reader.position + 6),
    );
    if (escape === null && reader.position + 1 < text.length) stop(reader, path, "Bad escape in a string");
    reader.position += (escape?.[0].length ?? 1) - 1;
  }
  return stop(reader, path, "Unexpected end: a string is not closed");
}

function readNumber(reader: Reader, path: JsonPath): number {
  const sticky = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
  sticky.lastIndex = reader.position;
  const match = sticky.exec(reader.text);
  if (match === null) {
    reader.position++;
    stop(reader, path, `${unexpected(reader)}: expected a digit`);
  }
  reader.position += match[0].length;
  // "01", "1." and "1e" read as a number and a rest; the rest is the fault.
  const next = reader.text[reader.position];
  if (next === undefined || !/[0-9.eE]/.test(next)) return Number(match[0]);
  if (next === "." || next === "e" || next === "E") reader.position++;
  const what = next >= "0" && next <= "9" ? "numbers have no leading zero" : "expected a digit";
  return stop(reader, path, `${unexpected(reader)}: ${what}`);
}

function skipSpace(reader: Reader): void {
  for (;;) {
    const code = reader.text.charCodeAt(reader.position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    reader.position++;
  }
}

function take(reader: Reader, char: string): boolean {
  if (reader.text[reader.position] !== char) return false;
  reader.position++;
  return true;
}

function unexpected(reader: Reader): string {
  return reader.position < reader.text.length ? `Unexpected ${showCharacter(reader)}` : "Unexpected end";
}

function showCharacter({ text, position }: Reader): string {
  const code = text.codePointAt(position) ?? 0;
  const visible = code > 0x20 && code !== 0x7f && code !== 0xfeff && (code < 0xd800 || code > 0xdfff);
  if (visible) return JSON.stringify(String.fromCodePoint(code));
  return `character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function stop({ position }: Reader, path: JsonPath, message: string): never {
  throw new JsonFault(position, path, message);
}
