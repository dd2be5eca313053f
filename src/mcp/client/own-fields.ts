import { isRecord } from "../../contract/is-record.js";
import type { ToolProgress } from "../../contract/tool.js";

/** A result without what belongs to the connection that it came by. */
export function ownFields(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { _meta, resultType: _type, ...fields } = result;
  if (!isRecord(_meta)) return fields;
  const own = Object.entries(_meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return own.length === 0 ? fields : { ...fields, _meta: Object.fromEntries(own) };
}

/** Fields that need not be there, unless there are none or they are longer than so many characters. */
export function smallFields(fields: unknown, maxChars = 4096): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(fields) || Object.keys(fields).length === 0) return undefined;
  return JSON.stringify(fields).length <= maxChars ? fields : undefined;
}

/** A report of progress with all that the server sent along; `undefined` where it is none. */
export function readProgress(params: Readonly<Record<string, unknown>>): ToolProgress | undefined {
  const { progressToken: _token, progress, total, message, _meta, ...others } = params;
  if (typeof progress !== "number") return undefined;
  const meta = smallFields(_meta);
  const more = smallFields(others);
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
    ...(meta !== undefined && { meta }),
    ...(more !== undefined && { more }),
  };
}
