import type { JsonSchema } from "../contract/json.js";
import type { Tenon } from "../runtime/tenon.js";
import { parseJson } from "../schema/parse-json.js";
import { shellQuote } from "../command/shell-quote.js";
import { UsageError } from "./command-line.js";

/**
 * The arguments of a call from the command line: one JSON object, `key=value` pairs, or a single word for the only
 * required argument (`tenon call read_file README.md`).
 */
export function readArguments(words: readonly string[], schema: JsonSchema | undefined): unknown {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && first.trimStart().startsWith("{")) return readJson(first);
  // Nobody knows what a bare word means to a tool that does not exist; the call says so and names the nearest tool.
  if (schema === undefined && !words.every((word) => /^[\w.-]+=/.test(word))) return {};
  const values = new Map<string, unknown>();
  for (const [at, word] of words.entries()) {
    const [key, value] = splitPair(word, { schema, isFirst: at === 0 });
    if (values.has(key)) throw new UsageError(`"${key}" was passed twice.`);
    values.set(key, toValue(value, propertyOf(schema, key)));
  }
  return Object.fromEntries(values);
}

/** The schema of a tool's arguments; tools of plugins and MCP servers are there only after they were loaded. */
export async function inputSchemaOf(tenon: Tenon, name: string): Promise<JsonSchema | undefined> {
  const known = tenon.registry.describe(name);
  if (known !== undefined) return known.inputSchema;
  await tenon.ready();
  return tenon.registry.describe(name)?.inputSchema;
}

/** Parse JSON that a person typed; the error says where it is invalid. */
export function readJson(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  throw new UsageError(`Invalid JSON in the arguments: ${parsed.message}.`);
}

interface WordPlace {
  readonly schema: JsonSchema | undefined;
  /** Only the first word may stand without its name. */
  readonly isFirst: boolean;
}

/** A pair, or the value of the only required argument: also a value with "=" in it, if no argument has that name. */
function splitPair(word: string, { schema, isFirst }: WordPlace): [string, string] {
  const at = word.indexOf("=");
  const required = requiredOf(schema);
  const [only] = required;
  const key = word.slice(0, at);
  const isPair = at > 0 && (/^[\w.-]+$/.test(key) || propertyOf(schema, key) !== undefined);
  if (isPair) return [key, word.slice(at + 1)];
  if (isFirst && only !== undefined && required.length === 1) return [only, word];
  if (only === undefined)
    throw new UsageError(`Invalid argument "${word}" (expected a JSON object or key=value).`);
  throw new UsageError(
    `Invalid argument "${word}" (expected a JSON object or key=value). Did you mean ${shellQuote(`${only}=${word}`)}?`,
  );
}

function requiredOf(schema: JsonSchema | undefined): readonly string[] {
  const required: unknown = schema?.["required"];
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function propertyOf(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const properties = schema?.["properties"];
  if (typeof properties !== "object" || properties === null || !Object.hasOwn(properties, key))
    return undefined;
  return (properties as Record<string, JsonSchema>)[key];
}

/** Convert a word to the type that the schema expects; if it cannot be, it stays text and validation reports it. */
function toValue(word: string, schema: JsonSchema | undefined): unknown {
  if (admits(schema, "string")) return word;
  const parsed = parseJson(word);
  return parsed.ok ? parsed.value : word;
}

function admits(schema: JsonSchema | undefined, type: string): boolean {
  if (schema === undefined) return false;
  const types: unknown[] = [schema["type"]].flat();
  if (types.includes(type)) return true;
  if (Array.isArray(schema["enum"])) return schema["enum"].every((value) => typeof value === "string");
  const branches: unknown = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(branches) && branches.some((branch) => admits(branch as JsonSchema, type));
}
