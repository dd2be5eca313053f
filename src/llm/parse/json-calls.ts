import { isRecord } from "../../contract/is-record.js";
import { parseLooseJson } from "./loose-json.js";
import type { KnownNames, RawCall } from "./raw-call.js";
import { Reader, Unreadable } from "./reader.js";

/** How sure it is that a value means a call. */
export interface Reading {
  readonly names: KnownNames;
  readonly dialect: string;
  /** It stands where only calls stand, so that less is asked of its shape. */
  readonly explicit: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const nameKeys = ["name", "tool", "tool_name", "toolName", "function", "function_name", "action"];
const argumentKeys = [
  "arguments",
  "parameters",
  "args",
  "input",
  "params",
  "tool_input",
  "action_input",
  "tool_arguments",
  "kwargs",
];
const listKeys = ["tool_calls", "toolCalls", "function_calls", "calls", "parts"];
const wrapperKeys = ["functionCall", "function_call", "tool_call", "toolCall", "tool_use", "toolUse"];
/** The parts of a call. */
const callKeys = new Set([
  ...nameKeys,
  ...argumentKeys,
  ...wrapperKeys,
  "id",
  "type",
  "call_id",
  "tool_call_id",
  "index",
]);
/** What models and APIs say about a call beside it. */
const remarkKeys = new Set([
  "thought",
  "thoughts",
  "thinking",
  "reasoning",
  "reasoning_content",
  "reason",
  "rationale",
  "explanation",
  "description",
  "comment",
  "role",
  "content",
  "status",
  "caller",
  "thoughtSignature",
  "thought_signature",
  "signature",
]);
/** Keys that may be beside a list of calls in a message. */
const messageKeys = new Set(["role", "content", "refusal", "index", "finish_reason", "reasoning_content"]);

/** The calls that a JSON value means; `undefined` where it means none. */
export function callsOfJson(value: unknown, reading: Reading): RawCall[] | undefined {
  if (Array.isArray(value)) return callsOfList(value, reading);
  if (!isRecord(value)) return undefined;
  return callsOfMessage(value, reading) ?? callOfWrapper(value, reading) ?? callOfFields(value, reading);
}

function callsOfList(list: readonly unknown[], reading: Reading): RawCall[] | undefined {
  if (list.length === 0) return reading.explicit ? [] : undefined;
  const calls = list.map((item) => (isRecord(item) ? callsOfJson(item, reading) : undefined));
  if (calls.every((found) => found !== undefined)) return calls.flat();
  if (calls.every((found) => found === undefined) && !reading.explicit) return undefined;
  throw new Unreadable("malformed", "Some items of the list are calls and others are not.");
}

/** A message as an API would send it, with its calls in a list. */
function callsOfMessage(value: Fields, reading: Reading): RawCall[] | undefined {
  const lists = listKeys.filter((key) => Array.isArray(value[key]));
  const [key] = lists;
  if (key === undefined || lists.length > 1) return undefined;
  if (Object.keys(value).some((other) => other !== key && !messageKeys.has(other))) return undefined;
  const items = value[key] as readonly unknown[];
  const calls = key === "parts" ? items.filter((item) => isRecord(item) && !("text" in item)) : items;
  return callsOfList(calls, { ...reading, explicit: reading.explicit || key !== "parts" });
}

/** `{ functionCall: { … } }` and its like; also OpenAI's `{ type: "function", function: { … } }`. */
function callOfWrapper(value: Fields, reading: Reading): RawCall[] | undefined {
  const [inner, ...others] = [...wrapperKeys, "function"].map((key) => value[key]).filter(isRecord);
  if (inner === undefined) return undefined;
  const calls = callOfFields(inner, { ...reading, explicit: true });
  const beside = nameOf(value, { ...reading, explicit: true });
  if (calls !== undefined && (others.length > 0 || (beside ?? calls[0]?.name) !== calls[0]?.name))
    throw new Unreadable("ambiguous", "The call names several tools, one within the other.");
  const id = idOf(value);
  const keys = Object.keys(value);
  return calls?.map((call) => ({
    ...call,
    ...(id !== undefined && { id }),
    beside: [...(call.beside ?? []), ...keys.filter((key) => !callKeys.has(key))],
  }));
}

function callOfFields(value: Fields, reading: Reading): RawCall[] | undefined {
  const { dialect } = reading;
  const name = nameOf(value, reading);
  if (name === undefined) return callOfKey(value, reading);
  const given = argumentKeys.filter((key) => Object.hasOwn(value, key));
  const [key, ...more] = given;
  if (more.some((other) => JSON.stringify(value[other]) !== JSON.stringify(value[key ?? ""])))
    throw new Unreadable("ambiguous", `The call has different ${given.map((k) => `"${k}"`).join(" and ")}.`);
  if (isDefinition(value)) {
    if (!reading.explicit) return undefined;
    throw new Unreadable("malformed", `This describes the tool "${name.slice(0, 64)}" and does not call it.`);
  }
  if (key === undefined) return withoutArguments(value, name, reading);
  const values = toArguments(value[key], name);
  const beside = Object.keys(value).filter((other) => !callKeys.has(other));
  const unknown = beside.filter((other) => !remarkKeys.has(other));
  if (unknown.length > 0) throw besideArguments(name, unknown);
  return [{ name, values, dialect, id: idOf(value), beside }];
}

/** The fault of a call that has more than its arguments: it may be one of them. */
export function besideArguments(name: string, keys: readonly string[]): Unreadable {
  const shown = keys.slice(0, 4).map((key) => `"${key.slice(0, 40)}"`);
  const message = `The call of "${name.slice(0, 64)}" has ${shown.join(", ")} beside its arguments, not among them.`;
  return new Unreadable("ambiguous", message);
}

/** A tool as it is told to models, which they repeat: its arguments are a schema. */
function isDefinition({ description, parameters, inputSchema, input_schema: snake }: Fields): boolean {
  const schema = parameters ?? inputSchema ?? snake;
  return typeof description === "string" && isRecord(schema) && isRecord(schema["properties"]);
}

/** The tool's name. Where several keys hold one, they must agree or one be a mere kind. */
function nameOf(value: Fields, { names, explicit }: Reading): string | undefined {
  const kinds = new Set(["function", "tool_use", "tool_call", "call"]);
  const found = new Set(
    nameKeys.flatMap((key) => {
      const name = Object.hasOwn(value, key) ? value[key] : undefined;
      return typeof name === "string" && name !== "" && !kinds.has(name) ? [name.trim()] : [];
    }),
  );
  if (found.size > 1)
    throw new Unreadable("ambiguous", `The call names several tools: ${[...found].slice(0, 4).join(", ")}.`);
  const [name] = found;
  return name !== undefined && (explicit || !names.closed || names.has(name)) ? name : undefined;
}

/** `{ "read_file": { "path": … } }`, only where the key is known to be a tool. */
function callOfKey(value: Fields, { names, dialect }: Reading): RawCall[] | undefined {
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0 || !names.has(entry[0]) || !isRecord(entry[1])) return undefined;
  return [{ name: entry[0], values: entry[1], dialect }];
}

function withoutArguments(value: Fields, name: string, reading: Reading): RawCall[] | undefined {
  if (!reading.explicit) return undefined;
  const known = new Set([...nameKeys, "id", "type", "call_id", "tool_call_id", "index"]);
  const loose = Object.keys(value).filter((key) => !known.has(key));
  if (loose.length === 0) return [{ name, values: {}, dialect: reading.dialect, id: idOf(value) }];
  throw new Unreadable(
    "ambiguous",
    `The call of "${name.slice(0, 64)}" has no "arguments", but ${loose
      .slice(0, 4)
      .map((key) => `"${key.slice(0, 40)}"`)
      .join(", ")} beside its name.`,
  );
}

/** Arguments as an object; APIs send them as a string with JSON in it. */
function toArguments(value: unknown, name: string): Fields {
  if (value === null || value === "") return {};
  if (isRecord(value)) return value;
  const parsed = typeof value === "string" ? parseLooseJson(new Reader(value)) : undefined;
  if (isRecord(parsed)) return parsed;
  const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw new Unreadable("malformed", `The arguments of "${name.slice(0, 64)}" are ${kind}, not an object.`);
}

function idOf(value: Fields): string | undefined {
  const id = value["id"] ?? value["call_id"] ?? value["tool_call_id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}
