import type { Fence } from "./code-fences.js";
import { callsOfJson } from "./json-calls.js";
import { readLooseJson, skipFiller } from "./loose-json.js";
import { readPythonCalls } from "./python-calls.js";
import type { KnownNames, RawCall } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";
import { readTokenCalls } from "./token-calls.js";
import { opensCalls, readXmlCalls } from "./xml-calls.js";
import { readOpenTag } from "./xml-text.js";

/** All calls of a fence; an empty list where it holds something else. */
export function readFenced(
  reader: Reader,
  { fence, names, explicit }: { fence: Omit<Fence, "kind">; names: KnownNames; explicit: boolean },
): RawCall[] {
  const calls: RawCall[] = [];
  const dialect = `fence ${fence.language}`.trim();
  for (;;) {
    skipFiller(reader);
    if (fence.closesAt(reader) || reader.pos >= fence.end) return calls;
    const more = readOne(reader, { names, dialect, explicit });
    if (more === undefined) {
      if (explicit) throw new Unreadable("malformed", "A fence for calls contains something else.");
      return [];
    }
    calls.push(...more);
    reader.match(/[,;]/y);
  }
}

function readOne(
  reader: Reader,
  { names, dialect, explicit }: { names: KnownNames; dialect: string; explicit: boolean },
): RawCall[] | undefined {
  const start = reader.pos;
  const tokens = readTokenCalls(reader, names);
  if (tokens !== undefined) return tokens;
  if (reader.char === "<") {
    const tag = readOpenTag(reader);
    if (tag !== undefined && opensCalls(tag, names)) return readXmlCalls(reader, tag, names);
    return undefined;
  }
  if (reader.char === "{" || (reader.char === "[" && !explicit))
    return readJsonHere(reader, { names, dialect, explicit });
  if (!explicit) return undefined;
  const json = reader.char === "[" ? readJsonHere(reader, { names, dialect, explicit }) : undefined;
  if (json !== undefined) return json;
  reader.pos = start;
  return readPythonCalls(reader, dialect);
}

/** Text that is not JSON is not a call; a call with broken JSON is a problem. */
function readJsonHere(
  reader: Reader,
  { names, dialect, explicit }: { names: KnownNames; dialect: string; explicit: boolean },
): RawCall[] | undefined {
  const start = reader.pos;
  try {
    return callsOfJson(readLooseJson(reader), { names, dialect, explicit });
  } catch (error) {
    if (!(error instanceof Unreadable) || reader.spent) throw error;
    if (reader.text.charAt(start) === "{" && (explicit || looksLikeCall(reader.text, start, names)))
      throw error;
    return undefined;
  }
}

/** Whether text that cannot be read begins as a call does. */
function looksLikeCall(text: string, start: number, names: KnownNames): boolean {
  const head = text.slice(start, start + 300);
  const name =
    /["']?(?:name|tool|tool_name|function|action)["']?\s{0,8}:\s{0,8}["']([\w.:-]{1,128})["']/.exec(
      head,
    )?.[1];
  if (name === undefined) return false;
  return names.closed ? names.has(name) : /["']?(?:arguments|parameters|args|input)["']?\s{0,8}:/.test(head);
}

/** A look at the first characters, so that most brackets in prose and code cost nothing. */
export function mayBeBare(reader: Reader): boolean {
  const head = reader.text.slice(reader.pos, reader.pos + 160);
  return /^(?:\[\s{0,64})?(?:\{\s{0,64}(?:["'/#}]|[A-Za-z_])|[A-Za-z_][\w.:-]{0,64}\()/.test(head);
}

/** JSON or a Python list at the start of a line. */
export function readBare(
  reader: Reader,
  names: KnownNames,
): { readonly calls: readonly RawCall[]; readonly problem?: Unreadable } | undefined {
  const start = reader.pos;
  const dialect = "bare";
  try {
    const calls = readJsonHere(reader, { names, dialect, explicit: false });
    if (calls !== undefined && calls.length > 0) return { calls: [...calls, ...readMore(reader, names)] };
    reader.pos = start;
    if (!reader.sees("[")) return undefined;
    const python = readPythonCalls(reader, "[f(a=1)]");
    if (python === undefined || python.length === 0) return undefined;
    return python.every(({ name }) => names.has(name) || !names.closed) ? { calls: python } : undefined;
  } catch (error) {
    if (!(error instanceof Unreadable) || reader.spent) throw error;
    const isCall =
      reader.text.charAt(start) === "{" ||
      /^\[\s{0,8}[\w.:-]{1,128}\(/.test(reader.text.slice(start, start + 160));
    return isCall ? { calls: [], problem: error } : undefined;
  }
}

/** More objects on the same line, with or without a mark between them. */
function readMore(reader: Reader, names: KnownNames): RawCall[] {
  const calls: RawCall[] = [];
  for (;;) {
    const before = reader.pos;
    reader.match(/[ \t;,]{1,16}/y);
    if (!reader.sees("{")) {
      if (!reader.endsLine) reader.pos = before;
      return calls;
    }
    const more = readJsonHere(reader, { names, dialect: "bare", explicit: false });
    if (more === undefined) {
      reader.pos = before;
      return calls;
    }
    calls.push(...more);
  }
}
