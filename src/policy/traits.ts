import { securityLevels, type SecurityLevel } from "../contract/tool.js";
import type { PolicyCall } from "./policy-call.js";

/** The nature of a tool, as far as the defaults depend on it. */
export interface Traits {
  readonly readOnly: boolean;
  readonly dangerous: boolean;
  readonly openWorld: boolean;
}

/** Read the annotations; what an external server leaves out is assumed to be the worst, as MCP defines it. */
export function traitsOf({ annotations, category }: Pick<PolicyCall, "annotations" | "category">): Traits {
  const readOnly = annotations.readOnly === true;
  if (category !== "mcp") {
    return { readOnly, dangerous: annotations.dangerous === true, openWorld: annotations.openWorld === true };
  }
  return {
    readOnly,
    dangerous: annotations.dangerous ?? !readOnly,
    openWorld: annotations.openWorld ?? true,
  };
}

/** How much harm the tool can do: what it says, or what its annotations amount to. */
export function levelOf(call: Pick<PolicyCall, "annotations" | "category" | "securityLevel">): SecurityLevel {
  if (call.securityLevel !== undefined) return call.securityLevel;
  const { readOnly, dangerous, openWorld } = traitsOf(call);
  if (dangerous) return call.category === "shell" || call.category === "code" ? "critical" : "high";
  if (readOnly) return openWorld ? "low" : "safe";
  return call.category === "shell" ? "critical" : "low";
}

/** Whether the first level is above the second; an unknown level is above all. */
export function isAbove(level: SecurityLevel, cap: SecurityLevel): boolean {
  const rank = securityLevels.indexOf(level);
  return rank === -1 || rank > securityLevels.indexOf(cap);
}
