import { isRecord } from "../contract/is-record.js";
import { valueAt } from "../schema/fault.js";
import type * as z from "zod";
import type { JsonSchema } from "../contract/json.js";
import { nearest } from "../schema/nearest.js";
import { ofRightType } from "../schema/zod-faults.js";
import { configSchema } from "./config-schema.js";
import { configJsonSchema, keysAt, placesOfKey } from "./known-keys.js";
import { maxTextChars, modes } from "./levels.js";

/** A fault of the data, by key. */
export interface DataFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly suggestion?: string;
}

/**
 * Hold data against the schema and say every fault in words. Nothing is changed or filled in.
 * @param isHidden Whether a value must not be shown, because it comes from a variable.
 */
export function checkConfig(
  data: unknown,
  isHidden: (path: readonly PropertyKey[]) => boolean = () => false,
): readonly DataFault[] {
  // Most command lines set nothing or one of these, and making the schema takes a tenth of a short command.
  if (isRecord(data) && Object.entries(data).every(isPlainlyRight)) return [];
  // A configuration is checked once: compiling the checks would take longer than running them.
  const verdict = configSchema().safeParse(data, { jitless: true });
  if (verdict.success) return [];
  const context: CheckContext = { data, schema: configJsonSchema(), isHidden };
  return ofRightType(verdict.error.issues.slice(0, maxFaults))
    .flatMap((issue) => toFaults(issue, context, []))
    .slice(0, maxFaults);
}

/** What variables and the flags of every command set, as the schema has it. */
const plainSettings: Readonly<Record<string, (text: string) => boolean>> = {
  mode: (text) => (modes as readonly string[]).includes(text),
  stateDir: isText,
  toolset: isText,
  workspaceDir: isText,
};

function isPlainlyRight([key, value]: [string, unknown]): boolean {
  return (
    typeof value === "string" && Object.hasOwn(plainSettings, key) && plainSettings[key]?.(value) === true
  );
}

function isText(text: string): boolean {
  return text.length > 0 && text.length <= maxTextChars;
}

/** A hostile file can hold tens of thousands; nobody reads so many. */
const maxFaults = 200;

interface CheckContext {
  readonly data: unknown;
  readonly schema: JsonSchema;
  readonly isHidden: (path: readonly PropertyKey[]) => boolean;
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
      return [wrongWord(path, { value, words: issue.values.map(String), isHidden: context.isHidden(path) })];
    case "invalid_type":
      return [{ path, message: expected([issue.expected], value) }];
    case "too_small":
      return [{ path, message: atBound("at least", issue.minimum, { origin: issue.origin, value }) }];
    case "too_big":
      return [{ path, message: atBound("at most", issue.maximum, { origin: issue.origin, value }) }];
    default:
      return [{ path, message: issue.message }];
  }
}

function unknownKey(schema: JsonSchema, path: readonly PropertyKey[], key: string): DataFault {
  const siblings = keysAt(schema, path);
  // Known in another form of the same value, such as a step of a chain that calls a tool.
  if (siblings.includes(key))
    return { path: [...path, key], message: "not allowed with the other keys here" };
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

interface WrongWord {
  readonly value: unknown;
  readonly words: readonly string[];
  readonly isHidden: boolean;
}

/** Among words, a plain word that stands in the file itself is no secret and can be shown. */
function wrongWord(path: readonly PropertyKey[], { value, words, isHidden }: WrongWord): DataFault {
  const isText = typeof value === "string";
  const suggestion = isText ? nearest(value, words) : undefined;
  const isShown = isText && !isHidden && /^[A-Za-z][A-Za-z-]{0,23}$/.test(value);
  const found = isShown ? `"${value}"` : "another text";
  const instead = isText ? `, but it is ${found}` : butIs(value);
  const message = `${words.length === 1 ? "expected" : "expected one of"} ${words.join(", ")}${instead}`;
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

/** What was found instead; never a text, which may be a secret. */
function butIs(value: unknown): string {
  if (value === undefined) return ", but it is missing";
  if (value === null) return ", but it is empty: give it a value or remove the key";
  if (Array.isArray(value)) return ", but it is a list";
  if (typeof value === "object") return ", but it is a map";
  if (typeof value === "number" && !Number.isFinite(value)) return ", but it is not finite";
  return typeof value === "string" ? ", but it is text" : `, but it is ${JSON.stringify(value)}`;
}

function atBound(
  side: string,
  bound: number | bigint,
  { origin, value }: { readonly origin: string; readonly value: unknown },
): string {
  const counted = { string: "character", array: "entry", record: "entry" }[origin];
  if (counted === undefined) return `expected ${side} ${bound}${butIs(value)}`;
  const many = counted === "entry" ? "entries" : "characters";
  const size = typeof value === "string" ? value.length : Object.keys(Object(value)).length;
  return `expected ${side} ${bound} ${Number(bound) === 1 ? counted : many}, but it has ${size === 0 ? "none" : size}`;
}
