import type { JsonSchema } from "../contract/json.js";
import { parseJson } from "../schema/parse-json.js";
import { UsageError } from "./command-line.js";

/** The arguments of a call from the command line: one JSON object, or `key=value` pairs. */
export function readArguments(words: readonly string[], schema: JsonSchema | undefined): unknown {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && first.trimStart().startsWith("{")) return readJson(first);
  const values = new Map<string, unknown>();
  for (const word of words) {
    const [key, value] = splitPair(word);
    if (values.has(key)) throw new UsageError(`"${key}" was passed twice.`);
    values.set(key, toValue(value, propertyOf(schema, key)));
  }
  return Object.fromEntries(values);
}

/** Parse JSON that a person typed; the error says where it is invalid. */
export function readJson(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  throw new UsageError(`Invalid JSON in the arguments: ${parsed.message}.`);
}

function splitPair(word: string): [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new UsageError(`Invalid argument "${word}" (expected a JSON object or key=value).`);
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
