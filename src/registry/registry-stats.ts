import { type ToolCategory, toolCategories } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";

/** The calls of one tool in three numbers. */
export interface CallStats {
  readonly count: number;
  readonly failures: number;
  readonly avgDuration: number;
}

/** How many tools there are, of which category, and how they were called. */
export interface RegistryStats {
  readonly total: number;
  readonly byCategory: Readonly<Record<ToolCategory, number>>;
  readonly callStats: Readonly<Record<string, CallStats>>;
}

/** Count the tools. The records have no prototype: a tool may be called "constructor". */
export function toStats(
  entries: readonly ToolEntry[],
  calls: Readonly<Record<string, CallStats>>,
): RegistryStats {
  const byCategory = Object.create(null) as Record<ToolCategory, number>;
  for (const category of toolCategories) byCategory[category] = 0;
  for (const { tool } of entries) byCategory[tool.category]++;
  const callStats = Object.assign(Object.create(null) as Record<string, CallStats>, calls);
  return { total: entries.length, byCategory, callStats };
}
