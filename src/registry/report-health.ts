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

const concurrentChecks = 8;

/** The overall health: healthy if every enabled tool is. */
export async function reportOverall(
  entries: readonly ToolEntry[],
  resolver: Resolver,
): Promise<HealthReport> {
  const asked = entries.filter((entry) => entry.disabledBecause === undefined);
  const unhealthy = new Map<string, HealthReport>();
  const queue = asked.values();
  const worker = async (): Promise<void> => {
    for (const entry of queue) {
      const report = await reportHealth(entry, resolver);
      if (report.status !== "healthy") unhealthy.set(entry.name, report);
    }
  };
  await Promise.all(Array.from({ length: concurrentChecks }, worker));
  const details = {
    total: entries.length,
    healthy: asked.length - unhealthy.size,
    disabled: entries.length - asked.length,
    tools: Object.assign(Object.create(null), Object.fromEntries(unhealthy)) as Record<string, HealthReport>,
  };
  if (unhealthy.size === 0)
    return { status: "healthy", message: `All ${asked.length} tools are healthy.`, details };
  const names = [...unhealthy.keys()].slice(0, 10).join(", ");
  return {
    status: "unhealthy",
    message: `${unhealthy.size} of ${asked.length} tools are unhealthy: ${names}.`,
    details,
  };
}
