import { setOwn } from "../../contract/set-own.js";
import { readLooseJson, skipFiller } from "./loose-json.js";
import type { RawCall } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";

/**
 * Calls written as Python: `f(a=1)`, `[f(a=1), g()]`, `print(default_api.f(a=1))`, one after the other.
 * Stops before what is no call; `undefined` where not even the first one is.
 */
export function readPythonCalls(reader: Reader, dialect: string): RawCall[] | undefined {
  const listed = reader.take("[");
  const calls: RawCall[] = [];
  for (;;) {
    skipFiller(reader);
    if (listed && reader.take("]")) return calls;
    const call = readCall(reader, dialect);
    if (call === undefined) break;
    calls.push(call);
    skipFiller(reader);
    if (!reader.take(",") && !reader.take(";") && listed && !reader.sees("]"))
      throw new Unreadable(reader.atEnd ? "incomplete" : "malformed", 'A list of calls lacks "," or "]".');
  }
  if (listed && calls.length > 0)
    throw new Unreadable("malformed", "A list of calls contains something else.");
  return calls.length === 0 ? undefined : calls;
}

const wrappers = new Set(["print", "await", "return"]);

function readCall(reader: Reader, dialect: string): RawCall | undefined {
  const from = reader.pos;
  // `result = f(…)` names what is not needed here.
  reader.match(/[A-Za-z_]\w{0,127}[ \t]{0,8}=[ \t]{0,8}(?!=)/y);
  const name = reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
  if (name !== undefined && wrappers.has(name)) return readWrapped(reader, from, dialect);
  if (name === undefined || !reader.take("(")) {
    reader.pos = from;
    return undefined;
  }
  return { name, values: readKeywords(reader, name), dialect };
}

/** `print(f(…))` shows the answer of `f`; the call is what counts. */
function readWrapped(reader: Reader, from: number, dialect: string): RawCall | undefined {
  reader.skipSpace();
  const bracketed = reader.take("(");
  const call = readCall(reader, dialect);
  if (call === undefined) {
    reader.pos = from;
    return undefined;
  }
  skipFiller(reader);
  if (bracketed && !reader.take(")")) throw new Unreadable("incomplete", 'A ")" is missing.');
  return call;
}

function readKeywords(reader: Reader, name: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (;;) {
    skipFiller(reader);
    if (reader.take(")")) return values;
    const key = reader.match(/[A-Za-z_]\w{0,255}(?=\s{0,8}=(?!=))/y);
    if (key === undefined) throw noKeyword(reader, name);
    skipFiller(reader);
    reader.take("=");
    const value = readLooseJson(reader, { python: true });
    if (Object.hasOwn(values, key)) throw new Unreadable("ambiguous", `"${name}" gets "${key}" twice.`);
    setOwn(values, key, value);
    skipFiller(reader);
    if (!reader.take(",") && !reader.sees(")"))
      throw new Unreadable(reader.atEnd ? "incomplete" : "malformed", `The arguments of "${name}" lack ")".`);
  }
}

function noKeyword(reader: Reader, name: string): Unreadable {
  if (reader.atEnd) return new Unreadable("incomplete", `The arguments of "${name}" do not end.`);
  return new Unreadable("ambiguous", `"${name}" gets a value without a name; write name=value.`);
}
