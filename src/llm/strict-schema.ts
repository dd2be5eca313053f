import type { JsonSchema } from "../contract/json.js";
import { isSchema, resolveRef, withObjectRoot } from "./schema-parts.js";

/** Keywords of OpenAI's strict mode besides those that are handled one by one. */
const kept = new Set([
  "type",
  "title",
  "description",
  "enum",
  "const",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
  "$ref",
]);
const formats = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
const limits = { depth: 10, properties: 5000, enumValues: 1000 };

/** Thrown within: the schema says something that strict mode cannot. */
class NotStrict extends Error {}

/**
 * The schema for OpenAI's strict mode: every property required, optional ones nullable, nothing besides.
 * `undefined` where strict mode cannot say it (free-form objects, tuples, too deep, too large).
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const count = { properties: 0, enumValues: 0 };
  try {
    const root = withObjectRoot(schema);
    const strict = convert(root, 0, count);
    const defs = isSchema(root["$defs"]) ? root["$defs"] : undefined;
    if (defs === undefined) return strict;
    const converted = Object.entries(defs).map(([name, def]) => [name, convert(def, 1, count)]);
    return { ...strict, $defs: Object.fromEntries(converted) };
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

type Count = { properties: number; enumValues: number };

function convert(value: unknown, depth: number, count: Count): JsonSchema {
  if (!isSchema(value) || depth > limits.depth) throw new NotStrict();
  if (
    ["allOf", "not", "if", "patternProperties", "prefixItems", "dependentRequired"].some(
      (k) => value[k] !== undefined,
    )
  )
    throw new NotStrict();
  const { $ref: ref } = value;
  if (ref !== undefined && !(typeof ref === "string" && /^#(?:$|\/\$defs\/)/.test(ref)))
    throw new NotStrict();
  const plain: Record<string, unknown> = {};
  for (const [keyword, item] of Object.entries(value)) if (kept.has(keyword)) plain[keyword] = item;
  if (typeof plain["format"] === "string" && !formats.has(plain["format"])) delete plain["format"];
  if (Array.isArray(plain["enum"]) && (count.enumValues += plain["enum"].length) > limits.enumValues)
    throw new NotStrict();
  const choices = value["anyOf"] ?? value["oneOf"];
  if (Array.isArray(choices)) plain["anyOf"] = choices.map((choice) => convert(choice, depth + 1, count));
  const types = [value["type"]].flat();
  if (types.includes("array")) plain["items"] = convert(value["items"], depth + 1, count);
  if (types.includes("object")) Object.assign(plain, convertObject(value, depth, count));
  if (
    types[0] === undefined &&
    plain["anyOf"] === undefined &&
    plain["$ref"] === undefined &&
    plain["enum"] === undefined &&
    plain["const"] === undefined
  )
    throw new NotStrict(); // anything at all
  return plain;
}

function convertObject(schema: JsonSchema, depth: number, count: Count): JsonSchema {
  const { properties, additionalProperties } = schema;
  // An object of any keys cannot be said; one of no keys can.
  if (!isSchema(properties) || isSchema(additionalProperties) || additionalProperties === true) {
    if (depth > 0 || isSchema(additionalProperties) || additionalProperties === true) throw new NotStrict();
  }
  const entries = Object.entries(isSchema(properties) ? properties : {});
  if ((count.properties += entries.length) > limits.properties) throw new NotStrict();
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  return {
    properties: Object.fromEntries(
      entries.map(([name, property]) => {
        const converted = convert(property, depth + 1, count);
        return [name, required.has(name) ? converted : nullable(converted)];
      }),
    ),
    required: entries.map(([name]) => name),
    additionalProperties: false,
  };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: listed } = schema;
  if (typeof type === "string" && listed === undefined && schema["const"] === undefined)
    return { ...schema, type: type === "null" ? type : [type, "null"] };
  if (Array.isArray(type) && type.includes("null")) return schema;
  const { description, ...rest } = schema;
  return { anyOf: [rest, { type: "null" }], ...(description !== undefined && { description }) };
}

/** The arguments without the nulls that only say "left out", at every depth that the schema knows. */
export function withoutFillers(value: unknown, schema: unknown, root: JsonSchema): unknown {
  const own = isSchema(schema) ? resolveRef(schema, root) : {};
  if (Array.isArray(value)) return value.map((item) => withoutFillers(item, own["items"], root));
  const properties = own["properties"];
  if (!isSchema(value) || !isSchema(properties)) return value;
  const required = new Set(Array.isArray(own["required"]) ? (own["required"] as string[]) : []);
  const entries = Object.entries(value).filter(
    ([name, item]) =>
      item !== null || required.has(name) || !Object.hasOwn(properties, name) || takesNull(properties[name]),
  );
  return Object.fromEntries(
    entries.map(([name, item]) => [name, withoutFillers(item, properties[name], root)]),
  );
}

function takesNull(schema: unknown): boolean {
  if (!isSchema(schema)) return true;
  const { type, anyOf, oneOf, enum: listed } = schema;
  if ([type].flat().includes("null") || (Array.isArray(listed) && listed.includes(null))) return true;
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return choices.some((choice) => takesNull(choice));
}
