import type { JsonSchema } from "../../contract/json.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { isRecord } from "../../contract/is-record.js";
import { smallFields } from "./own-fields.js";

const maxIcons = 100;

/** A tool as it was listed; what is missing or of the wrong type is left for the one who judges it. */
export function readTool(listed: unknown): UpstreamTool {
  const tool = isRecord(listed) ? listed : {};
  const { name, title, description, inputSchema, outputSchema, annotations, icons, ...rest } = tool;
  const { _meta: meta, execution: _execution, ...more } = rest;
  const others = smallFields(more);
  return {
    name: typeof name === "string" ? name : "",
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    // A value that is not an object is kept: it is refused with a reason when it is judged.
    inputSchema: (inputSchema ?? { type: "object" }) as JsonSchema,
    ...(outputSchema !== undefined && outputSchema !== null && { outputSchema: outputSchema as JsonSchema }),
    ...(isRecord(annotations) && { annotations }),
    ...(Array.isArray(icons) && icons.length <= maxIcons && { icons }),
    ...(isRecord(meta) && { meta }),
    ...(others !== undefined && { more: others }),
  };
}
