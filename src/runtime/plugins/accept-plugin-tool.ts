import { createEntry } from "../../registry/create-entry.js";
import type { CheckedTool } from "../../plugin/check-plugin.js";

/** Normalize and check a plugin's tool as the registry does; throws a ToolDefinitionError. */
export function acceptPluginTool(like: unknown): CheckedTool {
  const { tool, input, output } = createEntry(like, {
    clock: { now: () => Date.now() },
    watch: unwatched,
    health: {},
  });
  return { tool, input, output };
}

const unwatched = { active: false, before: () => undefined, after: () => undefined };
