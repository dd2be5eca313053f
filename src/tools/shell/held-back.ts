import * as z from "zod";
import type { HeldChange } from "../../contract/ports/layers.js";
import type { HeldBack } from "../../contract/ports/quarantine.js";

/** The output fields for held back changes. */
export const heldBackList = {
  heldBack: z
    .array(
      z.object({
        path: z.string(),
        reason: z.string(),
        rule: z.string().describe("The pattern that matches it, or the kind of git file."),
        final: z.literal(true).optional().describe("Nobody can approve it."),
      }),
    )
    .optional()
    .describe("Changes that are applied to the workspace only if a person agrees."),
  heldBackBy: z.string().optional().describe("The call_id for commit_result and discard_result."),
};

/** The values of these fields. */
export interface HeldBackFields {
  heldBack?: (HeldBack & { final?: true | undefined })[] | undefined;
  heldBackBy?: string | undefined;
}

const maxListed = 100;
const maxNamed = 5;

/** The fields for a result; empty if nothing was held back. */
export function heldBackOf(callId: string, heldBack: readonly (HeldBack | HeldChange)[]): HeldBackFields {
  if (heldBack.length === 0) return {};
  return { heldBack: heldBack.toSorted(byPath).slice(0, maxListed).map(toListed), heldBackBy: callId };
}

export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}

function toListed(held: HeldBack | HeldChange): NonNullable<HeldBackFields["heldBack"]>[number] {
  const { path, reason, rule } = held;
  return { path, reason, rule, ...("final" in held && held.final === true && { final: true }) };
}

/** The first line for the model; none if nothing was held back. */
export function heldBackNote({ heldBack = [], heldBackBy }: HeldBackFields): string[] {
  if (heldBack.length === 0) return [];
  const named = heldBack.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reason})`);
  const more = heldBack.length > maxNamed ? `, and ${heldBack.length - maxNamed} more` : "";
  const next = heldBack.every(({ final }) => final === true)
    ? "nobody can approve it"
    : `commit_result ${JSON.stringify({ call_id: heldBackBy })} asks a person to approve`;
  return [`[held back, not in the workspace: ${named.join(", ")}${more}; ${next}]`];
}
