import { isRecord } from "../../contract/is-record.js";

/** A result without what belongs to the connection that it came by. */
export function ownFields(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { _meta, resultType: _type, ...fields } = result;
  if (!isRecord(_meta)) return fields;
  const own = Object.entries(_meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return own.length === 0 ? fields : { ...fields, _meta: Object.fromEntries(own) };
}
