import { compileAjv } from "./ajv-check.js";
import type { Source } from "./fault.js";
import { clip } from "./format-path.js";
import { combinators, inspectJsonSchema } from "./inspect-json-schema.js";
import { admits } from "./json-value.js";
import { once } from "./once.js";
import { refuseSchema } from "./refuse-schema.js";
import { takePlain } from "./take-plain.js";
import type { SchemaNode } from "./walk-schema.js";

/** Make a JSON Schema ready: looked through at once, compiled when the first value comes. */
export function fromJsonSchema(source: unknown, role: "input" | "output"): Source {
  const taken = takePlain(source, schemaLimits);
  if (!taken.ok) refuseSchema(`The schema cannot be used: ${taken.issues[0]?.message}.`);
  const schema = taken.value;
  if (!isNode(schema)) refuseSchema(`A schema must be an object, not ${clip(JSON.stringify(schema))}.`);
  const published = role === "input" ? toInputSchema(schema) : schema;
  const draft = inspectJsonSchema(published);
  const check = once(() => compileAjv(published, draft));
  return {
    jsonSchema: () => published,
    run: (value) => check()(value),
  };
}

/** About a megabyte of text in all; the values keep the compiler's work bounded. */
const schemaLimits = { depth: 64, values: 50_000, chars: 1024 * 1024 };

function isNode(value: unknown): value is SchemaNode {
  return admits("object", value);
}

/** Arguments are always one object; where nothing else is said, of just the properties that are named. */
function toInputSchema(schema: SchemaNode): SchemaNode {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type ?? "object"];
  if (!types.includes("object")) {
    refuseSchema(`The input schema must be of type "object", not ${clip(JSON.stringify(type))}.`);
  }
  return {
    ...schema,
    type: "object",
    ...(countsAsClosed(schema) ? { additionalProperties: false } : {}),
  };
}

function countsAsClosed(schema: SchemaNode): boolean {
  if (schema["additionalProperties"] !== undefined) return false;
  if (combinators.some((word) => schema[word] !== undefined)) return false;
  const { properties } = schema;
  return isNode(properties) && Object.keys(properties).length > 0;
}
