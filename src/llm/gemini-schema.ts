import type { JsonSchema } from "../contract/json.js";

/** The keywords of a schema that Gemini's function declarations know. */
const known = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "items",
  "properties",
  "required",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "anyOf",
  "default",
  "example",
  "propertyOrdering",
]);

const knownFormats = new Set(["enum", "date-time", "float", "double", "int32", "int64"]);
const maxDepth = 32;

/** Say a JSON Schema in the subset that Gemini takes; what it cannot say is left to Tenon's own validation. */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  return convert(schema, schema, 0);
}

function convert(value: unknown, root: JsonSchema, depth: number): JsonSchema {
  if (typeof value !== "object" || value === null || depth > maxDepth) return {};
  const schema = resolve(value as JsonSchema, root);
  const kept: Record<string, unknown> = {};
  for (const [keyword, item] of Object.entries(schema)) {
    if (keyword === "oneOf") kept["anyOf"] = convertAll(item, root, depth);
    else if (keyword === "const") Object.assign(kept, asEnum([item]));
    else if (keyword === "enum") Object.assign(kept, asEnum(item));
    else if (known.has(keyword)) kept[keyword] = convertKeyword(keyword, item, { root, depth });
  }
  if (Array.isArray(schema["type"])) Object.assign(kept, asNullable(schema["type"] as unknown[]));
  if (typeof kept["format"] === "string" && !knownFormats.has(kept["format"])) delete kept["format"];
  return kept;
}

function convertKeyword(keyword: string, item: unknown, at: { root: JsonSchema; depth: number }): unknown {
  if (keyword === "items") return convert(item, at.root, at.depth + 1);
  if (keyword === "anyOf") return convertAll(item, at.root, at.depth);
  if (keyword !== "properties") return item;
  const entries = Object.entries((item ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, property]) => [name, convert(property, at.root, at.depth + 1)]),
  );
}

function convertAll(items: unknown, root: JsonSchema, depth: number): JsonSchema[] {
  return Array.isArray(items) ? items.map((item) => convert(item, root, depth + 1)) : [];
}

/** Only texts can be listed. */
function asEnum(values: unknown): Record<string, unknown> {
  return Array.isArray(values) && values.every((value) => typeof value === "string")
    ? { type: "string", enum: values }
    : {};
}

function asNullable(types: readonly unknown[]): Record<string, unknown> {
  const first = types.find((type) => type !== "null");
  return { type: first ?? "string", ...(types.includes("null") && { nullable: true }) };
}

/** References within the document are written out; deeper circles end at the depth cap. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
  let target: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return {};
    target = (target as Record<string, unknown>)[key];
  }
  return {
    ...(target as JsonSchema),
    ...(schema["description"] !== undefined && { description: schema["description"] }),
  };
}
