import type { HealthReport } from "../contract/lifecycle.js";
import type { HealthVerdict } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";
import { messageOf } from "../contract/message-of.js";
import { withinTime } from "../contract/system-clock.js";

/** The health of one tool: its own verdict where it has a check, else what its state says. Never rejects. */
export async function checkHealth(entry: ToolEntry, limitMs: number): Promise<HealthReport> {
  const block = entry.block();
  const details = { state: entry.state, version: entry.version };
  const { tool } = entry;
  const askable =
    tool.healthCheck !== undefined && block?.code !== "TOOL_DISABLED" && entry.state !== "Failed";
  if (!askable) {
    const out = entry.state === "Failed" || entry.state === "Disabled";
    if (block === undefined && !out) {
      return {
        status: "healthy",
        message: "The tool has no health check, and nothing blocks it.",
        details,
      };
    }
    return {
      status: "unhealthy",
      message: `It ${block?.reason ?? "was taken out and waits for a call to try it"}.`,
      details,
    };
  }
  try {
    const verdict: unknown = await withinTime(() => tool.healthCheck?.(), limitMs, "the health check");
    return toReport(verdict, details);
  } catch (error) {
    return { status: "error", message: `Health check failed: ${messageOf(error)}`, details };
  }
}

/** A check that returns nothing has passed; one that returns nonsense has not. */
function toReport(verdict: unknown, details: Readonly<Record<string, unknown>>): HealthReport {
  if (verdict === undefined || verdict === true) {
    return { status: "healthy", message: "Health check passed.", details };
  }
  const given = (typeof verdict === "object" && verdict !== null ? verdict : {}) as Partial<HealthVerdict>;
  const healthy = given.healthy === true;
  return {
    status: healthy ? "healthy" : "unhealthy",
    message: given.message ?? (healthy ? "Health check passed." : "Health check did not pass."),
    details: { ...given.details, ...details },
  };
}
