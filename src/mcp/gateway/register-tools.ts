import type { Tool } from "../../contract/tool.js";
import type { ToolRegistration } from "./gateway-types.js";
import { messageOf } from "../../contract/message-of.js";

/** Register many tools; where one is refused, the others go in all the same. Returns why each failed one did. */
export function registerTools(
  registry: ToolRegistration,
  tools: readonly Tool[],
): ReadonlyMap<string, string> {
  const failed = new Map<string, string>();
  if (tools.length === 0) return failed;
  try {
    registry.registerMany(tools);
    return failed;
  } catch {
    // All or none went in: find out which one it was.
  }
  for (const tool of tools) {
    try {
      registry.registerMany([tool]);
    } catch (error) {
      failed.set(tool.name, messageOf(error));
    }
  }
  return failed;
}
