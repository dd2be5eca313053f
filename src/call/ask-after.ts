import { basename } from "node:path";
import { isSecretName } from "../command/judge/secret-names.js";
import type { AccessDecision } from "../contract/call.js";
import type { CallScope, ShownChanges } from "../contract/session.js";
import type { ToolPreview } from "../contract/tool.js";
import type { CallState } from "./call-state.js";
import { policyCall, type ValidatedCall } from "./validate.js";
import { plural } from "../text/plural.js";

/**
 * Whether a command can run before a person is asked: only the mode asks about it, it runs in a sandbox, and somebody
 * is there who can be asked. The port that runs it asks before anything takes effect.
 */
export async function canAskAfter(call: ValidatedCall, decision: AccessDecision): Promise<boolean> {
  const { askAfter, policy, approvals } = call.state.parts;
  if (!askAfter || policy.mode !== "ask" || decision.source === "tool") return false;
  if (call.shell === undefined || call.entry.tool.runsOnlyLine?.(call.input) !== true) return false;
  // Files with secrets are hidden from a command that runs without consent, so a command that names one needs consent first.
  if (call.shell.analysis.reads.some((path) => isSecretName(basename(path), true))) return false;
  return policy.allowsInAuto(policyCall(call)) && (await approvals.isReachable(call.state.session));
}

/** The function that asks for the missing consent; `undefined` if none is missing. */
export function askAfterOf(state: CallState): CallScope["askAfter"] {
  const { askAfter: decision, validated } = state;
  if (decision === undefined || validated === undefined) return undefined;
  return async (changes) => {
    await state.parts.approvals.request(validated, decision, changes);
    state.askAfter = undefined;
  };
}

/** The preview of a command that has already run. */
export function previewChanges({ changes, heldBack, diff }: ShownChanges): ToolPreview {
  const left = heldBack.filter(({ asks }) => asks !== true);
  const count = plural(changes.length, "change");
  const note =
    left.length === 0 ? "" : `, without ${left.length} that ${left.length === 1 ? "is" : "are"} held back`;
  return {
    summary: `The command has run on a layer. Commit its ${count} to the workspace${note}?`,
    diff,
    details: {
      changes: changes.map(({ kind, ...rest }) => ({ ...rest, change: kind })),
      ...(left.length > 0 && { heldBack: left.map(({ path, reason, rule }) => ({ path, reason, rule })) }),
    },
  };
}
