import type { Call } from "../../feed/feed-state.js";
import { toShort } from "../../text/value-view.js";

export const stateFilters = ["all", "active", "failed"] as const;
export type StateFilter = (typeof stateFilters)[number];

/** Whether a call is meant: every word must be in its tool, agent, task or arguments. */
export function matchCall(call: Call | undefined, text: string, filter: StateFilter): boolean {
  if (call === undefined) return false;
  if (filter === "failed" && call.state !== "failed") return false;
  if (filter === "active" && call.endedAt !== undefined) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  const hay =
    `${call.toolName} ${call.agent} ${call.taskId ?? ""} ${call.callId} ${toShort(call.arguments)}`.toLowerCase();
  return wanted.split(/\s+/).every((word) => hay.includes(word));
}
