import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";

/** Turns data into JSON text. */
export const jsonStringify = defineTool({
  name: "json_stringify",
  description: "Write data as JSON text, compact or indented.",
  category: "data",
  annotations: { title: "Write JSON", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { data: { a: [1, 2] }, pretty: true } }],
  input: z.object({
    data: z.unknown().describe("Any JSON value, null included."),
    pretty: z.boolean().default(false).describe("Indent by two spaces, with one item per line."),
  }),
  output: z.object({ text: z.string() }),
  execute: ({ data, pretty }) => ({ text: stringify(data, pretty) }),
  render: ({ text }) => text,
});

function stringify(data: unknown, pretty: boolean): string {
  try {
    // For a function or a symbol this returns undefined, contrary to its type.
    const text = JSON.stringify(data, null, pretty ? 2 : 0) as string | undefined;
    if (text !== undefined) return text;
  } catch (cause) {
    throw notSerializable(cause);
  }
  throw notSerializable();
}

/** Cycles, BigInt, too deep: possible only for callers in the same process. */
function notSerializable(cause?: unknown): ToolValidationError {
  return new ToolValidationError("The data cannot be written as JSON.", {
    code: "VALUE_INVALID",
    hint: "Pass null, booleans, numbers, strings, or arrays and objects of these.",
    details: { argument: "data" },
    cause,
  });
}
