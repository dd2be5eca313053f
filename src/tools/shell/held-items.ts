import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { HeldView, Quarantine } from "../../contract/ports/quarantine.js";

/** What of a call is meant. */
export interface HeldQuery {
  readonly call_id: string;
  readonly paths?: readonly string[] | undefined;
}

/** The changes of a call that were held back, or those of them that are named; an error where one is not there. */
export async function heldItems(quarantine: Quarantine, { call_id, paths }: HeldQuery): Promise<HeldView[]> {
  const items = await quarantine.list({ callId: call_id });
  const views = await Promise.all(items.map(({ id }) => quarantine.show(id)));
  if (views.length === 0) {
    throw new ToolResourceNotFoundError(
      `Held back changes of the call "${call_id.slice(0, 64)}" not found.`,
      {
        hint: "The first line of a command's result names the call_id; what was given back or discarded is gone.",
      },
    );
  }
  const missing = paths?.find((path) => !views.some((view) => isMeant(view, path)));
  if (missing !== undefined) {
    throw new ToolResourceNotFoundError(
      `"${missing.slice(0, 256)}" not found among what was held back from this call.`,
      {
        hint: `Held back: ${views
          .map(({ shownPath }) => shownPath)
          .slice(0, 20)
          .join(", ")}.`,
      },
    );
  }
  return paths === undefined ? views : views.filter((view) => paths.some((path) => isMeant(view, path)));
}

function isMeant({ path, shownPath }: HeldView, text: string): boolean {
  return text === shownPath || text === path || `./${shownPath}` === text;
}
