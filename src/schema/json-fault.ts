/** Where a text stops being JSON, and why. */
export interface JsonFault {
  readonly position: number;
  readonly message: string;
}

/**
 * Find the first place where a text is not JSON, or `undefined` if it is. It recurses, so the depth
 * of the text must have been bounded before.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const reader: Reader = { text, position: 0 };
  try {
    skipSpace(reader);
    if (reader.position === text.length) stop(reader, "Unexpected end: the text is empty");
    readValue(reader);
    skipSpace(reader);
    if (reader.position < text.length) stop(reader, `Unexpected ${shown(reader)} after the end of the JSON`);
    return undefined;
  } catch (fault) {
    if (fault instanceof FaultFound) return { position: fault.position, message: fault.message };
    throw fault;
  }
}

interface Reader {
  readonly text: string;
  position: number;
}

class FaultFound extends Error {
  readonly position: number;

  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

function readValue(reader: Reader): void {
  const char = reader.text[reader.position];
  if (char === "{") return readObject(reader);
  if (char === "[") return readArray(reader);
  if (char === '"') return readString(reader);
  if (char !== undefined && /[-0-9]/.test(char)) return readNumber(reader);
  for (const word of ["true", "false", "null"]) {
    if (!reader.text.startsWith(word, reader.position)) continue;
    reader.position += word.length;
    return undefined;
  }
  if (char === undefined) return stop(reader, "Unexpected end: a value is missing");
  if (char === "'") return stop(reader, "Unexpected ': strings take double quotes");
  return stop(reader, `Unexpected ${shown(reader)}: expected a value`);
}

function readObject(reader: Reader): void {
  reader.position++;
  skipSpace(reader);
  if (take(reader, "}")) return;
  for (;;) {
    if (reader.text[reader.position] !== '"') {
      stop(reader, `${unexpected(reader)}: expected a property name in double quotes`);
    }
    readString(reader);
    skipSpace(reader);
    if (!take(reader, ":")) stop(reader, `${unexpected(reader)}: expected ":" after the property name`);
    skipSpace(reader);
    readValue(reader);
    if (endsAfterMember(reader, "}")) return;
  }
}

function readArray(reader: Reader): void {
  reader.position++;
  skipSpace(reader);
  if (take(reader, "]")) return;
  for (;;) {
    readValue(reader);
    if (endsAfterMember(reader, "]")) return;
  }
}

/** After a member: the end of the container (true), or a comma and something after it (false). */
function endsAfterMember(reader: Reader, close: string): boolean {
  skipSpace(reader);
  if (take(reader, close)) return true;
  if (!take(reader, ",")) stop(reader, `${unexpected(reader)}: expected "," or "${close}"`);
  skipSpace(reader);
  if (reader.text[reader.position] === close) {
    stop(reader, `Unexpected "${close}": no comma may stand before it`);
  }
  return false;
}

function readString(reader: Reader): void {
  const { text } = reader;
  for (reader.position++; reader.position < text.length; reader.position++) {
    const char = text[reader.position];
    if (char === '"') {
      reader.position++;
      return;
    }
    if (char !== undefined && char < " ") stop(reader, `Unexpected ${shown(reader)} in a string: escape it`);
    if (char !== "\\") continue;
    const escape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(
      text.slice(reader.position, reader.position + 6),
    );
    if (escape === null && reader.position + 1 < text.length) stop(reader, "Bad escape in a string");
    reader.position += (escape?.[0].length ?? 1) - 1;
  }
  stop(reader, "Unexpected end: a string is not closed");
}

function readNumber(reader: Reader): void {
  const sticky = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
  sticky.lastIndex = reader.position;
  const match = sticky.exec(reader.text);
  if (match === null) {
    reader.position++;
    stop(reader, `${unexpected(reader)}: expected a digit`);
  }
  reader.position += match[0].length;
  // "01", "1." and "1e" read as a number and a rest; the rest is the fault.
  const next = reader.text[reader.position];
  if (next === undefined || !/[0-9.eE]/.test(next)) return;
  if (next === "." || next === "e" || next === "E") reader.position++;
  const what = next >= "0" && next <= "9" ? "numbers have no leading zero" : "expected a digit";
  stop(reader, `${unexpected(reader)}: ${what}`);
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
  return reader.position < reader.text.length ? `Unexpected ${shown(reader)}` : "Unexpected end";
}

function shown({ text, position }: Reader): string {
  const code = text.codePointAt(position) ?? 0;
  const visible = code > 0x20 && code !== 0x7f && code !== 0xfeff && (code < 0xd800 || code > 0xdfff);
  if (visible) return JSON.stringify(String.fromCodePoint(code));
  return `character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function stop({ position }: Reader, message: string): never {
  throw new FaultFound(position, message);
}
