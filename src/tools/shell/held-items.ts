import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { HeldView, Quarantine } from "../../contract/ports/quarantine.js";

/** Selects held back changes of a call. */
export interface HeldQuery {
  readonly call_id: string;
  readonly paths?: readonly string[] | undefined;
}

/** The held back changes of a call, or the selected ones; throws if one of them does not exist. */
export async function heldItems(quarantine: Quarantine, { call_id, paths }: HeldQuery): Promise<HeldView[]> {
  const items = await quarantine.list({ callId: call_id });
  const views = await Promise.all(items.map(({ id }) => quarantine.show(id)));
  if (views.length === 0) {
    throw new ToolResourceNotFoundError(`No held back changes found for call "${call_id.slice(0, 64)}".`, {
      hint: "The call_id is in the first line of the command's result. Changes that were approved or discarded are no longer held back.",
    });
  }
  const missing = paths?.find((path) => !views.some((view) => matchesPath(view, path)));
  if (missing !== undefined) {
    throw new ToolResourceNotFoundError(
      `"${missing.slice(0, 256)}" not found among the held back changes of this call.`,
      {
        hint: `Held back: ${views
          .map(({ shownPath }) => shownPath)
          .slice(0, 20)
          .join(", ")}.`,
      },
    );
  }
  return paths === undefined ? views : views.filter((view) => paths.some((path) => matchesPath(view, path)));
}

function matchesPath({ path, shownPath }: HeldView, text: string): boolean {
  return text === shownPath || text === path || `./${shownPath}` === text;
}
