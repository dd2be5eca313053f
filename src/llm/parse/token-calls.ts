import { isRecord } from "../../contract/is-record.js";
import { callsOfJson } from "./json-calls.js";
import { readLooseJson, skipFiller } from "./loose-json.js";
import { readPythonCalls } from "./python-calls.js";
import type { KnownNames, RawCall } from "./raw-call.js";
import { Unreadable, type Reader } from "./reader.js";

/** A dialect whose calls stand behind a special token of the model. */
interface TokenDialect {
  readonly token: string;
  readonly read: (reader: Reader, names: KnownNames) => RawCall[];
}

const bar = "\uff5c";
const low = "\u2581";
const deepSeek = (words: string): string => `<${bar}tool${low}${words}${bar}>`;

const dialects: readonly TokenDialect[] = [
  { token: "[TOOL_CALLS]", read: readMistral },
  { token: "<|python_tag|>", read: (reader, names) => readEither(reader, names, "<|python_tag|>") },
  { token: "<|tool_call_start|>", read: readBetween("<|tool_call_end|>") },
  { token: "<|tool_calls_section_begin|>", read: readKimi },
  { token: "<|tool_call|>", read: readBetween("<|/tool_call|>") },
  { token: "<tool_call|>", read: readBetween("<|tool_call_end|>") },
  { token: deepSeek(`calls${low}begin`), read: readDeepSeek },
  { token: deepSeek(`call${low}begin`), read: readDeepSeekOne },
  { token: "<|channel|>commentary to=functions.", read: readHarmony },
  { token: "<|start|>assistant<|channel|>commentary to=functions.", read: readHarmony },
  { token: "<|start|>assistant to=functions.", read: readHarmony },
];

/** Read the calls after a special token at this position; `undefined` if there is none. */
export function readTokenCalls(reader: Reader, names: KnownNames): RawCall[] | undefined {
  const dialect = dialects.find(({ token }) => reader.take(token));
  if (dialect === undefined) return undefined;
  const calls = dialect.read(reader, names);
  reader.match(/(?:<\|(?:eom_id|eot_id|im_end|end|call)\|>|<\/s>)/y);
  return calls;
}

/** `[TOOL_CALLS] [{…}]`, or `[TOOL_CALLS]name[CALL_ID]id[ARGS]{…}`, once for each call. */
function readMistral(reader: Reader, names: KnownNames): RawCall[] {
  const dialect = "[TOOL_CALLS]";
  const calls: RawCall[] = [];
  do {
    skipFiller(reader);
    if (reader.sees("[") || reader.sees("{")) {
      calls.push(...explicitCalls(readLooseJson(reader), names, dialect));
      continue;
    }
    const name = reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
    const id = reader.take("[CALL_ID]") ? reader.match(/[\w-]{1,128}/y) : undefined;
    reader.take("[ARGS]");
    calls.push({ name: needName(name, dialect), values: readObject(reader), dialect, id });
  } while (reader.match(/\s{0,64}\[TOOL_CALLS\]/y) !== undefined);
  return calls;
}

/** JSON, or Python where it is none. */
function readEither(reader: Reader, names: KnownNames, dialect: string): RawCall[] {
  skipFiller(reader);
  if (reader.sees("{") || reader.sees("[{")) {
    const calls: RawCall[] = [];
    do {
      calls.push(...explicitCalls(readLooseJson(reader), names, dialect));
      reader.match(/[\s;,]+/y); // Llama puts semicolons between calls
    } while (reader.sees("{"));
    return calls;
  }
  const calls = readPythonCalls(reader, dialect);
  if (calls === undefined) throw new Unreadable("malformed", `What follows ${dialect} is not a call.`);
  return calls;
}

function readBetween(end: string): TokenDialect["read"] {
  return (reader, names) => {
    const calls = readEither(reader, names, end);
    reader.skipSpace();
    if (reader.take(end) || reader.atEnd) return calls;
    throw new Unreadable("malformed", `There is unexpected text before ${end}.`);
  };
}

/** `<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`, within a section. */
function readKimi(reader: Reader): RawCall[] {
  const dialect = "<|tool_call_begin|>";
  const calls: RawCall[] = [];
  for (;;) {
    reader.skipSpace();
    if (reader.atEnd || reader.take("<|tool_calls_section_end|>")) return calls;
    if (!reader.take(dialect))
      throw new Unreadable("malformed", "A section of calls contains something else.");
    reader.skipSpace();
    const id = reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
    if (!reader.take("<|tool_call_argument_begin|>")) throw cut(reader, "the arguments of a call");
    const values = readObject(reader);
    const name = needName(id?.replace(/:\d+$/, ""), dialect);
    calls.push({ name, values, dialect, id });
    reader.skipSpace();
    if (!reader.take("<|tool_call_end|>") && !reader.atEnd) throw cut(reader, "<|tool_call_end|>");
  }
}

function readDeepSeek(reader: Reader): RawCall[] {
  const calls: RawCall[] = [];
  for (;;) {
    reader.skipSpace();
    if (reader.atEnd || reader.take(deepSeek(`calls${low}end`))) return calls;
    if (!reader.take(deepSeek(`call${low}begin`)))
      throw new Unreadable("malformed", "A section of calls contains something else.");
    calls.push(...readDeepSeekOne(reader));
  }
}

/** `function<sep>name` and a fence with JSON, or `name<sep>{…}`. */
function readDeepSeekOne(reader: Reader): RawCall[] {
  const dialect = "DeepSeek tokens";
  reader.skipSpace();
  const first = reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
  if (!reader.take(deepSeek("sep"))) throw cut(reader, "the name of a tool");
  reader.skipSpace();
  const second = reader.sees("{") ? undefined : reader.match(/[A-Za-z_][\w.:-]{0,255}/y);
  reader.match(/\s*```(?:json)?\s*/y);
  const values = readObject(reader);
  reader.match(/\s*```\s*/y);
  reader.skipSpace();
  if (!reader.take(deepSeek(`call${low}end`)) && !reader.atEnd) throw cut(reader, "the end of a call");
  return [{ name: needName(second ?? first, dialect), values, dialect }];
}

/** `to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
function readHarmony(reader: Reader): RawCall[] {
  const dialect = "<|channel|>commentary";
  const name = needName(reader.match(/[A-Za-z_][\w.:-]{0,255}/y), dialect);
  reader.match(/(?:<\|channel\|>commentary)?[ \t]{0,8}(?:<\|constrain\|>)?[ \t]{0,8}(?:json)?[ \t]{0,8}/y);
  if (!reader.take("<|message|>")) throw cut(reader, "<|message|>");
  return [{ name, values: readObject(reader), dialect }];
}

function readObject(reader: Reader): Readonly<Record<string, unknown>> {
  const value = readLooseJson(reader);
  if (isRecord(value)) return value;
  throw new Unreadable("malformed", "The arguments are not an object.");
}

function explicitCalls(value: unknown, names: KnownNames, dialect: string): RawCall[] {
  const calls = callsOfJson(value, { names, dialect, explicit: true });
  if (calls === undefined) throw new Unreadable("malformed", `The JSON behind ${dialect} is not a call.`);
  return calls;
}

function needName(name: string | undefined, dialect: string): string {
  if (name === undefined) throw new Unreadable("malformed", `The call behind ${dialect} names no tool.`);
  return name;
}

function cut(reader: Reader, expected: string): Unreadable {
  return new Unreadable(reader.atEnd ? "incomplete" : "malformed", `Expected ${expected}.`);
}
