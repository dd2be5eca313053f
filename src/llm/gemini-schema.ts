import type { JsonSchema } from "../contract/json.js";
import { isSchema, resolveRef, targetOf, withoutAllOf, withObjectRoot } from "./schema-parts.js";

/** Keywords that Gemini's function declarations take as they are. */
const kept = new Set([
  "title",
  "description",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "default",
  "example",
  "nullable",
]);

const knownFormats = new Set(["enum", "date-time", "float", "double", "int32", "int64"]);
const types = new Set(["string", "number", "integer", "boolean", "array", "object"]);
const maxDepth = 32;
/** References written out can grow without end; beyond this many parts each is just an object. */
const maxParts = 5000;

interface SchemaPosition {
  /** The references that are being expanded: one that contains itself would never end. */
  readonly open: readonly JsonSchema[];
  readonly root: JsonSchema;
  readonly depth: number;
  readonly left: { parts: number };
}

/** Say a JSON Schema in the subset that Gemini takes; what it cannot say is left to Tenon's own validation. */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  return convert(withObjectRoot(schema), { root: schema, open: [], depth: 0, left: { parts: maxParts } });
}

function convert(value: unknown, place: SchemaPosition): JsonSchema {
  if (place.depth > maxDepth || --place.left.parts < 0) return { type: "object" };
  if (!isSchema(value)) return { type: "string" };
  const ref = value["$ref"];
  const target = typeof ref === "string" ? targetOf(ref, place.root) : undefined;
  if (target !== undefined && (target === place.root || place.open.includes(target))) return recursive(value);
  const schema = withoutAllOf(resolveRef(value, place.root), place.root);
  const open = target === undefined ? place.open : [...place.open, target];
  const below = { ...place, open, depth: place.depth + 1 };
  const choices = [schema["anyOf"], schema["oneOf"]].find(Array.isArray) as unknown[] | undefined;
  const plain = Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.has(keyword)));
  if (choices !== undefined && schema["properties"] === undefined)
    return { ...plain, ...convertChoices(choices, below) };
  const converted = { ...plain, ...typeOf(schema), ...listed(schema), ...inner(schema, below) };
  return withFormat(converted, schema["format"]);
}

/** A part like one of those around it. */
function recursive({ description }: JsonSchema): JsonSchema {
  return { type: "object", ...(description !== undefined && { description }) };
}

/** A choice with null is what Gemini calls nullable. */
function convertChoices(choices: readonly unknown[], below: SchemaPosition): JsonSchema {
  const others = choices.filter((choice) => !(isSchema(choice) && choice["type"] === "null"));
  const nullable = others.length < choices.length ? { nullable: true } : {};
  const [first, ...more] = others.map((choice) => convert(choice, below));
  if (first === undefined) return { type: "string", ...nullable };
  return more.length === 0 ? { ...first, ...nullable } : { anyOf: [first, ...more], ...nullable };
}

/** Every part must have one type; where the schema names none, what it says of its parts tells it. */
function typeOf(schema: JsonSchema): JsonSchema {
  const named = [schema["type"]].flat().filter((type): type is string => typeof type === "string");
  const nullable = named.includes("null") ? { nullable: true } : {};
  const known = named.find((type) => types.has(type));
  if (known !== undefined) return { type: known, ...nullable };
  if (isSchema(schema["properties"])) return { type: "object", ...nullable };
  if (schema["items"] !== undefined) return { type: "array", ...nullable };
  const { const: only, enum: all } = schema;
  const sample: unknown = only ?? (Array.isArray(all) ? all.find((value) => value !== null) : undefined);
  const isPlain = typeof sample === "number" || typeof sample === "boolean";
  return { type: isPlain ? typeof sample : "string", ...nullable };
}

/** Only texts can be listed, and no empty ones. */
function listed(schema: JsonSchema): JsonSchema {
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (!Array.isArray(values) || values.length === 0) return {};
  return values.every((value) => typeof value === "string" && value !== "")
    ? { type: "string", enum: values }
    : {};
}

function inner(schema: JsonSchema, below: SchemaPosition): JsonSchema {
  const { type } = typeOf(schema);
  if (type === "array") return { items: convert(schema["items"] ?? true, below) };
  const { properties } = schema;
  if (type !== "object" || !isSchema(properties)) return {};
  const names = Object.keys(properties);
  if (names.length === 0) return {};
  const required = Array.isArray(schema["required"])
    ? (schema["required"] as string[]).filter((name) => Object.hasOwn(properties, name))
    : [];
  return {
    properties: Object.fromEntries(names.map((name) => [name, convert(properties[name], below)])),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function withFormat(schema: JsonSchema, format: unknown): JsonSchema {
  const fits =
    typeof format === "string" &&
    knownFormats.has(format) &&
    (format === "date-time" ? schema["type"] === "string" : format === "enum" || schema["type"] !== "string");
  return fits ? { ...schema, format } : schema;
}
