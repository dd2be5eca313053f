import { ToolDefinitionError } from "../contract/errors.js";

/** Refuse the definition, with what is wrong and where. */
export function refuseSchema(message: string, cause?: unknown): never {
  throw new ToolDefinitionError(message, {
    code: "SCHEMA_INVALID",
    hint: "Correct the schema; it must be a JSON Schema (draft 2020-12 or 7) that stands on its own.",
    ...(cause === undefined ? {} : { cause }),
  });
}
