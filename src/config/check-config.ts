import { isRecord } from "../contract/is-record.js";
import { valueAt } from "../schema/fault.js";
import type * as z from "zod";
import type { JsonSchema } from "../contract/json.js";
import { nearest } from "../schema/nearest.js";
import { configSchema } from "./config-schema.js";
import { configJsonSchema, keysAt, placesOfKey } from "./known-keys.js";

/** A fault of the data, by key. */
export interface DataFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly suggestion?: string;
}

/** Hold data against the schema and say every fault in words. Nothing is changed or filled in. */
export function checkConfig(data: unknown): readonly DataFault[] {
  // Most command lines set nothing, and making the schema takes a tenth of a short command.
  if (isRecord(data) && Object.keys(data).length === 0) return [];
  // A configuration is checked once: compiling the checks would take longer than running them.
  const verdict = configSchema().safeParse(data, { jitless: true });
  if (verdict.success) return [];
  const context: CheckContext = { data, schema: configJsonSchema() };
  return verdict.error.issues
    .slice(0, maxFaults)
    .flatMap((issue) => toFaults(issue, context, []))
    .slice(0, maxFaults);
}

/** A hostile file can hold tens of thousands; nobody reads so many. */
const maxFaults = 200;

interface CheckContext {
  readonly data: unknown;
  readonly schema: JsonSchema;
}

type Issue = z.core.$ZodIssue;

function toFaults(issue: Issue, context: CheckContext, above: readonly PropertyKey[]): DataFault[] {
  const path = [...above, ...issue.path];
  const value = valueAt(context.data, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.slice(0, maxFaults).map((key) => unknownKey(context.schema, path, key));
    case "invalid_union":
      return unionFaults(issue, context, path);
    case "invalid_key":
      return [{ path, message: `the key is not allowed: ${issue.issues[0]?.message ?? "wrong form"}` }];
    case "invalid_value":
      return [wrongWord(path, value, issue.values.map(String))];
    case "invalid_type":
      return [{ path, message: expected([issue.expected], value) }];
    case "too_small":
      return [{ path, message: atBound("at least", issue.minimum, issue.origin) }];
    case "too_big":
      return [{ path, message: atBound("at most", issue.maximum, issue.origin) }];
    default:
      return [{ path, message: issue.message }];
  }
}

function unknownKey(schema: JsonSchema, path: readonly PropertyKey[], key: string): DataFault {
  const siblings = keysAt(schema, path);
  const suggestion = nearest(key, siblings) ?? placesOfKey(schema, key)[0];
  const message =
    suggestion === undefined && siblings.length > 0
      ? `unknown key; known here: ${siblings.join(", ")}`
      : "unknown key";
  return { path: [...path, key], message, ...(suggestion !== undefined && { suggestion }) };
}

/** Of all forms that a value may take, tell the faults of the one it comes nearest to. */
function unionFaults(
  issue: Extract<Issue, { code: "invalid_union" }>,
  context: CheckContext,
  path: readonly PropertyKey[],
): DataFault[] {
  const branches = issue.errors;
  const typeOnly = branches.flatMap((issues) =>
    issues.flatMap((inner) =>
      inner.code === "invalid_type" && inner.path.length === 0 ? [inner.expected] : [],
    ),
  );
  if (typeOnly.length === branches.length) {
    return [{ path, message: expected(typeOnly, valueAt(context.data, path)) }];
  }
  const [best] = branches
    .filter((issues) => !issues.some((inner) => inner.code === "invalid_type" && inner.path.length === 0))
    .map((issues) => issues.flatMap((inner) => toFaults(inner, context, path)))
    .sort((a, b) => a.length - b.length);
  return best ?? [{ path, message: issue.message }];
}

function wrongWord(path: readonly PropertyKey[], value: unknown, words: readonly string[]): DataFault {
  const suggestion = typeof value === "string" ? nearest(value, words) : undefined;
  const message = `${words.length === 1 ? "expected" : "expected one of"} ${words.join(", ")}${typeof value === "string" ? ", but it is another text" : butIs(value)}`;
  return { path, message, ...(suggestion !== undefined && { suggestion }) };
}

function expected(types: readonly string[], value: unknown): string {
  const words = [...new Set(types.map((type) => typeWords[type] ?? type))].join(" or ");
  return `expected ${words}${butIs(value)}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys and values",
  record: "a map of keys and values",
};

function butIs(value: unknown): string {
  if (value === undefined) return ", but it is missing";
  if (value === null) return ", but it is empty: give it a value or remove the key";
  if (Array.isArray(value)) return ", but it is a list";
  if (typeof value === "object") return ", but it is a map";
  if (typeof value === "number")
    return Number.isFinite(value) ? ", but it is a number" : ", but it is not finite";
  return typeof value === "boolean" ? ", but it is true or false" : ", but it is text";
}

function atBound(side: string, bound: number | bigint, origin: string): string {
  if (origin === "string") return `expected ${side} ${bound} characters`;
  if (origin === "array" || origin === "record") return `expected ${side} ${bound} entries`;
  return `expected ${side} ${bound}`;
}
