import { isForbiddenKey, pathKey, sourceLimits, type ParsedText, type ParseFault } from "./source.js";

/**
 * Parse JSON and remember where everything stands. `JSON.parse` names no place for many
 * faults, keeps the last of duplicate keys, and nests without a limit.
 */
export function parseJson(text: string): ParsedText {
  const offsets = new Map<string, { key?: number; value: number }>();
  const faults: ParseFault[] = [];
  const reader: Reader = { text, at: 0, offsets, faults, nodes: 0 };
  try {
    const value = readValue(reader, []);
    skipSpace(reader);
    if (reader.at < text.length) fail(reader, "expected the end of the file");
    return { value, faults, offsets };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { value: undefined, faults: [...faults, error.fault], offsets };
  }
}

interface Reader {
  readonly text: string;
  at: number;
  nodes: number;
  readonly offsets: Map<string, { key?: number; value: number }>;
  readonly faults: ParseFault[];
}

class JsonFault extends Error {
  readonly fault: ParseFault;

  constructor(fault: ParseFault) {
    super(fault.message);
    this.fault = fault;
  }
}

function fail(reader: Reader, message: string, path: readonly PropertyKey[] = []): never {
  const what = reader.at >= reader.text.length ? `${message}, but the file ends` : message;
  throw new JsonFault({ offset: reader.at, path, message: `invalid JSON: ${what}` });
}

function skipSpace(reader: Reader): void {
  const space = /[ \t\n\r]*/y;
  space.lastIndex = reader.at;
  space.test(reader.text);
  reader.at = space.lastIndex;
}

function readValue(reader: Reader, path: readonly PropertyKey[], keyAt?: number): unknown {
  skipSpace(reader);
  const start = reader.at;
  reader.offsets.set(pathKey(path), keyAt === undefined ? { value: start } : { key: keyAt, value: start });
  reader.nodes += 1;
  if (reader.nodes > sourceLimits.nodes) fail(reader, `more than ${sourceLimits.nodes} values`, path);
  if (path.length > sourceLimits.depth)
    fail(reader, `nested deeper than ${sourceLimits.depth} levels`, path.slice(0, 3));
  const char = reader.text[start];
  if (char === "{") return readObject(reader, path);
  if (char === "[") return readArray(reader, path);
  if (char === '"') return readString(reader, path);
  return readWord(reader, path);
}

function readObject(reader: Reader, path: readonly PropertyKey[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  reader.at += 1;
  skipSpace(reader);
  if (take(reader, "}")) return out;
  for (;;) {
    skipSpace(reader);
    const keyAt = reader.at;
    if (reader.text[keyAt] !== '"') fail(reader, "expected a key in double quotes", path);
    const key = readString(reader, path);
    if (isForbiddenKey(key)) {
      reader.faults.push({ offset: keyAt, path: [...path, key], message: "this key is not allowed" });
    } else if (Object.hasOwn(out, key)) {
      reader.faults.push({ offset: keyAt, path: [...path, key], message: "duplicate key" });
    }
    skipSpace(reader);
    if (!take(reader, ":")) fail(reader, 'expected ":" after the key', [...path, key]);
    const value = readValue(reader, [...path, key], keyAt);
    if (!isForbiddenKey(key)) out[key] = value;
    skipSpace(reader);
    if (take(reader, "}")) return out;
    if (!take(reader, ",")) fail(reader, 'expected "," or "}"', path);
  }
}

function readArray(reader: Reader, path: readonly PropertyKey[]): unknown[] {
  const out: unknown[] = [];
  reader.at += 1;
  skipSpace(reader);
  if (take(reader, "]")) return out;
  for (;;) {
    out.push(readValue(reader, [...path, out.length]));
    skipSpace(reader);
    if (take(reader, "]")) return out;
    if (!take(reader, ",")) fail(reader, 'expected "," or "]"', path);
  }
}

function take(reader: Reader, char: string): boolean {
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}

function readString(reader: Reader, path: readonly PropertyKey[]): string {
  const whole = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
  whole.lastIndex = reader.at;
  const start = reader.at;
  whole.test(reader.text);
  reader.at = whole.lastIndex;
  if (!take(reader, '"')) fail(reader, "expected the end of the string in double quotes", path);
  return JSON.parse(reader.text.slice(start, reader.at)) as string;
}

function readWord(reader: Reader, path: readonly PropertyKey[]): unknown {
  const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
  word.lastIndex = reader.at;
  const found = word.exec(reader.text);
  if (found === null) fail(reader, "expected a value", path);
  reader.at = word.lastIndex;
  return JSON.parse(found[0]);
}
