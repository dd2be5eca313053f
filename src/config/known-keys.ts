import * as z from "zod";
import type { JsonSchema } from "../contract/json.js";
import { configSchema } from "./config-schema.js";

/** The JSON Schema of the configuration, for editors and for advice in errors. */
export function configJsonSchema(): JsonSchema {
  return {
    title: "Tenon configuration",
    ...z.toJSONSchema(configSchema(), {
      target: "draft-7",
      io: "input",
      // The descriptions name the defaults, also those that are no plain value.
      override: ({ jsonSchema }) => void delete jsonSchema.default,
    }),
  };
}

/** The keys that the schema knows at a place. */
export function keysAt(root: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let schemas = forms(root);
  for (const part of path) schemas = schemas.flatMap((schema) => inner(schema, part)).flatMap(forms);
  return [...new Set(schemas.flatMap((schema) => Object.keys(propertiesOf(schema))))];
}

/** Every place, outermost first, where the schema knows a key of this very name. */
export function placesOfKey(root: JsonSchema, key: string): readonly string[] {
  const top = propertiesOf(root);
  const below = Object.entries(top).filter(([, schema]) => Object.hasOwn(propertiesOf(schema), key));
  return [...(Object.hasOwn(top, key) ? [key] : []), ...below.map(([name]) => `${name}.${key}`)];
}

function forms(schema: JsonSchema): JsonSchema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]).flatMap(forms) : [schema];
}

function inner(schema: JsonSchema, part: PropertyKey): JsonSchema[] {
  const properties = propertiesOf(schema);
  const next = Object.hasOwn(properties, part) ? properties[String(part)] : undefined;
  if (next !== undefined) return [next];
  const open = typeof part === "number" ? schema.items : schema.additionalProperties;
  return typeof open === "object" && open !== null ? [open as JsonSchema] : [];
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}
