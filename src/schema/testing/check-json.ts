import type { JsonSchema } from "../../contract/json.js";
import { compileSchema } from "../compile-schema.js";

export function checkOf(schema: JsonSchema) {
  const validator = compileSchema(schema);
  return (value: unknown) => validator.check(value);
}

/** What is wrong with a value by a schema. */
export function messagesOf(schema: JsonSchema, value: unknown): readonly string[] {
  const checked = compileSchema(schema).check(value);
  if (checked.ok) throw new Error("It passed.");
  return checked.issues.map((issue) => issue.message);
}

export const object = (properties: object, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
