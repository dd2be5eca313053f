import * as z from "zod";
import type { HeldBack } from "../../contract/ports/quarantine.js";

/** The fields of a result that tell what was held back. */
export const heldBackList = {
  heldBack: z
    .array(
      z.object({
        path: z.string(),
        reason: z.string(),
        rule: z.string().describe("The pattern or the kind of git file that it counts for."),
      }),
    )
    .optional()
    .describe("Changes that are not in the workspace until a person agrees."),
  heldBackBy: z.string().optional().describe("The call_id for commit_result and discard_result."),
};

/** A result's fields for what was held back. */
export interface HeldBackFields {
  heldBack?: HeldBack[] | undefined;
  heldBackBy?: string | undefined;
}

const mostListed = 100;
const mostNamed = 5;

/** The fields, where anything was held back. */
export function heldBackOf(callId: string, heldBack: readonly HeldBack[]): HeldBackFields {
  if (heldBack.length === 0) return {};
  return { heldBack: heldBack.slice(0, mostListed).map((each) => ({ ...each })), heldBackBy: callId };
}

/** The first line for the model; none where nothing was held back. */
export function tellHeldBack({ heldBack = [], heldBackBy }: HeldBackFields): string[] {
  if (heldBack.length === 0) return [];
  const named = heldBack.slice(0, mostNamed).map(({ path, reason }) => `${path} (${reason})`);
  const more = heldBack.length > mostNamed ? `, and ${heldBack.length - mostNamed} more` : "";
  const way = `commit_result ${JSON.stringify({ call_id: heldBackBy })} asks a person to let it through`;
  return [`[held back, not in the workspace: ${named.join(", ")}${more}; ${way}]`];
}
