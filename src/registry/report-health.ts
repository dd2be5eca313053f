import type { HealthReport } from "../contract/lifecycle.js";
import type { Resolver } from "./resolver.js";
import type { ToolEntry } from "./tool-entry.js";

/** The health of one tool, what it depends on included. */
export async function reportHealth(entry: ToolEntry, resolver: Resolver): Promise<HealthReport> {
  const report = await entry.check();
  if (report.status !== "healthy") return report;
  const block = resolver.block(entry);
  return block === undefined ? report : { ...report, status: "unhealthy", message: `It ${block.reason}.` };
}

const atOnce = 8;

/** The health of the whole: good while every tool that nobody disabled is well. */
export async function reportOverall(
  entries: readonly ToolEntry[],
  resolver: Resolver,
): Promise<HealthReport> {
  const asked = entries.filter((entry) => entry.disabledBecause === undefined);
  const ill = new Map<string, HealthReport>();
  const queue = asked.values();
  const worker = async (): Promise<void> => {
    for (const entry of queue) {
      const report = await reportHealth(entry, resolver);
      if (report.status !== "healthy") ill.set(entry.name, report);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const details = {
    total: entries.length,
    healthy: asked.length - ill.size,
    disabled: entries.length - asked.length,
    tools: Object.assign(Object.create(null), Object.fromEntries(ill)) as Record<string, HealthReport>,
  };
  if (ill.size === 0) return { status: "healthy", message: `All ${asked.length} tools are well.`, details };
  const names = [...ill.keys()].slice(0, 10).join(", ");
  return {
    status: "unhealthy",
    message: `${ill.size} of ${asked.length} tools are not well: ${names}.`,
    details,
  };
}
