import type { Journal } from "../../world/journal/journal.js";
import type { Acts } from "../audit/audited-action.js";
import type { Tenon } from "../tenon.js";
import { toUndoWish } from "./undo-target.js";

/** What a Tenon can take back, and run again. */
export type UndoMethods = Pick<Tenon, "undo" | "previewUndo" | "history" | "replay" | "quarantine">;

/** Make them of the journal. */
export function undoMethods(parts: {
  readonly journal: Journal;
  readonly acts: Acts;
  readonly replay: Tenon["replay"];
  readonly quarantine: Tenon["quarantine"];
}): UndoMethods {
  const { journal, acts, replay } = parts;
  return {
    undo: async (what, options) => {
      const wish = await toUndoWish(journal, what);
      return acts({
        name: "undo",
        arguments: { ...what, ...options },
        shown: (files) => ({ files }),
        run: (callId) => journal.undo(wish, { callId, sessionId: "person", tool: "undo" }, options),
      });
    },
    previewUndo: async (what, options) => journal.previewUndo(await toUndoWish(journal, what), options),
    history: (query) => journal.history(query),
    replay,
    quarantine: recordedQuarantine(parts.quarantine, acts),
  };
}

/** A person's decision about what was held back is on record, like an undo. */
function recordedQuarantine(quarantine: Tenon["quarantine"], acts: Acts): Tenon["quarantine"] {
  const decide =
    (name: "restore" | "discard"): Tenon["quarantine"]["restore"] =>
    (ids) =>
      acts({
        name: `quarantine_${name}`,
        arguments: { ids },
        shown: (items) => ({ paths: items.map(({ path }) => path) }),
        run: () => quarantine[name](ids),
      });
  return { ...quarantine, restore: decide("restore"), discard: decide("discard") };
}
