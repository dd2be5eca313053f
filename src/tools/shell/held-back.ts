import * as z from "zod";
import type { HeldBack } from "../../contract/ports/quarantine.js";

/** The output fields for held back changes. */
export const heldBackList = {
  heldBack: z
    .array(
      z.object({
        path: z.string(),
        reason: z.string(),
        rule: z.string().describe("The pattern that matches it, or the kind of git file."),
      }),
    )
    .optional()
    .describe("Changes that are applied to the workspace only if a person agrees."),
  heldBackBy: z.string().optional().describe("The call_id for commit_result and discard_result."),
};

/** The values of these fields. */
export interface HeldBackFields {
  heldBack?: HeldBack[] | undefined;
  heldBackBy?: string | undefined;
}

const maxListed = 100;
const maxNamed = 5;

/** The fields for a result; empty if nothing was held back. */
export function heldBackOf(callId: string, heldBack: readonly HeldBack[]): HeldBackFields {
  if (heldBack.length === 0) return {};
  return { heldBack: heldBack.toSorted(byPath).slice(0, maxListed).map(toListed), heldBackBy: callId };
}

export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}

function toListed({ path, reason, rule }: HeldBack): HeldBack {
  return { path, reason, rule };
}

/** The first line for the model; none if nothing was held back. */
export function heldBackNote({ heldBack = [], heldBackBy }: HeldBackFields): string[] {
  if (heldBack.length === 0) return [];
  const named = heldBack.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reason})`);
  const more = heldBack.length > maxNamed ? `, and ${heldBack.length - maxNamed} more` : "";
  const next = `commit_result ${JSON.stringify({ call_id: heldBackBy })} asks a person to approve`;
  return [`[held back, not in the workspace: ${named.join(", ")}${more}; ${next}]`];
}
