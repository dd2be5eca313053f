import { ToolExecutionError } from "../contract/errors.js";
import { isRecord } from "../contract/is-record.js";
import { isToolResult, type ToolResult } from "../contract/tool-result.js";
import type { ToolEntry } from "../registry/tool-entry.js";

/**
 * Take a `{ success, data | result, error }` apart: the data is the result, and `success: false` is a failed call.
 * What a tool declares in its output schema is its result as a whole, and so is what an MCP server returns.
 */
export function unwrapResult(value: unknown, { tool, name, output }: ToolEntry): unknown {
  if (!isToolResult(value) || tool.category === "mcp" || declaresSuccess(output?.jsonSchema)) return value;
  if (value.success) return value.data === undefined ? value.result : value.data;
  const { message, code } = errorOf(value);
  const data = value.data ?? value.result;
  throw new ToolExecutionError(message ?? `"${name}" failed without saying why.`, {
    ...(code !== undefined && { code }),
    ...(data !== undefined && { details: { data } }),
  });
}

function declaresSuccess(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema["properties"]) && Object.hasOwn(schema["properties"], "success");
}

function errorOf({ error }: ToolResult): { readonly message?: string; readonly code?: string } {
  if (typeof error === "string" && error.trim() !== "") return { message: error };
  if (!isRecord(error)) return {};
  const { message, code } = error;
  return {
    ...(typeof message === "string" && message.trim() !== "" && { message }),
    ...(typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) && { code }),
  };
}
