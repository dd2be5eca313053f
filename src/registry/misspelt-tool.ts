import { findForeignTool } from "../llm/foreign-tools.js";
import { nearest } from "../schema/nearest.js";
import type { ToolRegistry } from "./tool-registry.js";

/**
 * The tool that an unknown name probably means; `undefined` for known names, for globs, and for names that are not
 * similar to any tool: those may belong to a tool that is registered later.
 */
export function misspeltTool(registry: ToolRegistry, name: string): string | undefined {
  if (/[*?[{!@:]/.test(name) || registry.has(name)) return undefined;
  // Another host's name for a tool stands for it.
  if (findForeignTool(name, undefined)?.name !== undefined) return undefined;
  return nearest(
    name,
    registry.list().flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]),
  );
}
