import type { JsonSchema } from "../contract/json.js";
import { isSchema, resolveRef, withoutAllOf, withObjectRoot } from "./schema-parts.js";
import { selfContained } from "./self-contained.js";

/** Keywords that OpenAI's strict mode accepts unchanged. */
const copiedKeywords = new Set([
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
const supportedFormats = new Set([
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
/** Keywords that strict mode cannot express. */
const unsupportedKeywords = ["not", "if", "patternProperties", "prefixItems", "dependentRequired"];
/** A schema without a type and with none of these allows any value. */
const restrictingKeywords = ["anyOf", "$ref", "enum", "const"];
const limits = { depth: 10, properties: 5000, enumValues: 1000 };

/** Thrown and caught in this file: the schema cannot be expressed in strict mode. */
class NotStrict extends Error {}

/**
 * The schema for OpenAI's strict mode: every property is required, optional ones are nullable, others are forbidden.
 * `undefined` where strict mode cannot express it (free-form objects, tuples, too deep, too large).
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const root = withObjectRoot(selfContained(schema));
  const count = { properties: 0, enumValues: 0, root };
  try {
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

type Count = { properties: number; enumValues: number; readonly root: JsonSchema };

function convert(given: unknown, depth: number, count: Count): JsonSchema {
  if (!isSchema(given) || depth > limits.depth) throw new NotStrict();
  const value = withoutAllOf(given, count.root);
  if (!isExpressible(value)) throw new NotStrict();
  if (value["$ref"] !== undefined) return reference(value);
  const converted = copyKeywords(value, count);
  const choices = value["anyOf"] ?? value["oneOf"];
  if (Array.isArray(choices)) converted["anyOf"] = choices.map((choice) => convert(choice, depth + 1, count));
  const types = [value["type"]].flat();
  if (types.includes("array")) converted["items"] = convert(value["items"], depth + 1, count);
  if (types.includes("object")) Object.assign(converted, convertObject(value, depth, count));
  const isRestricted = restrictingKeywords.some((keyword) => converted[keyword] !== undefined);
  if (types[0] === undefined && !isRestricted) throw new NotStrict();
  return { ...typeOfValues(converted), ...converted };
}

/** Nothing may stand beside a reference; a description is kept around it. */
function reference({ $ref, description }: JsonSchema): JsonSchema {
  return description === undefined ? { $ref } : { anyOf: [{ $ref }], description };
}

/** Listed values must come with their type. */
function typeOfValues({ type, anyOf, const: only, enum: listed }: JsonSchema): JsonSchema {
  const values = only === undefined ? listed : [only];
  if (type !== undefined || anyOf !== undefined || !Array.isArray(values)) return {};
  const names = [...new Set(values.map((value: unknown) => (value === null ? "null" : typeof value)))];
  if (names.includes("object")) throw new NotStrict();
  return { type: names.length === 1 ? names[0] : names };
}

function isExpressible(schema: JsonSchema): boolean {
  if (unsupportedKeywords.some((keyword) => schema[keyword] !== undefined)) return false;
  const { $ref: ref } = schema;
  return ref === undefined || (typeof ref === "string" && /^#(?:$|\/\$defs\/)/.test(ref));
}

function copyKeywords(schema: JsonSchema, count: Count): Record<string, unknown> {
  const copy = Object.fromEntries(Object.entries(schema).filter(([keyword]) => copiedKeywords.has(keyword)));
  const { format, enum: listed } = copy;
  if (typeof format === "string" && !supportedFormats.has(format)) delete copy["format"];
  if (Array.isArray(listed) && (count.enumValues += listed.length) > limits.enumValues) throw new NotStrict();
  return copy;
}

function convertObject(schema: JsonSchema, depth: number, count: Count): JsonSchema {
  const { properties, additionalProperties } = schema;
  // Strict mode cannot express an object with any keys, but one without keys.
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

/** The arguments without the nulls that stand for left-out optional ones, at every depth that the schema describes. */
export function withoutFillers(value: unknown, schema: unknown, root: JsonSchema): unknown {
  const own = isSchema(schema) ? branchFor(value, withoutAllOf(resolveRef(schema, root), root), root) : {};
  if (Array.isArray(value)) return value.map((item) => withoutFillers(item, own["items"], root));
  const properties = own["properties"];
  if (!isSchema(value) || !isSchema(properties)) return value;
  const required = new Set(Array.isArray(own["required"]) ? (own["required"] as string[]) : []);
  const entries = Object.entries(value).filter(
    ([name, item]) =>
      item !== null ||
      required.has(name) ||
      !Object.hasOwn(properties, name) ||
      acceptsNull(properties[name]),
  );
  return Object.fromEntries(
    entries.map(([name, item]) => [name, withoutFillers(item, properties[name], root)]),
  );
}

/** Of several choices, the one that has all keys of a value; a list takes the one with items. */
function branchFor(value: unknown, schema: JsonSchema, root: JsonSchema): JsonSchema {
  const choices: unknown = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(choices) || !(isSchema(value) || Array.isArray(value))) return schema;
  const branches = choices.filter(isSchema).map((choice) => withoutAllOf(resolveRef(choice, root), root));
  const fits = ({ properties, items }: JsonSchema): boolean => {
    if (Array.isArray(value)) return items !== undefined;
    return isSchema(properties) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
  };
  return branches.find(fits) ?? schema;
}

function acceptsNull(schema: unknown): boolean {
  if (!isSchema(schema)) return true;
  const { type, anyOf, oneOf, enum: listed } = schema;
  if ([type].flat().includes("null") || (Array.isArray(listed) && listed.includes(null))) return true;
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return choices.some((choice) => acceptsNull(choice));
}
