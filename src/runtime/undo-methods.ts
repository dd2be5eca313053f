import type { Journal } from "../world/journal/journal.js";
import type { Replay } from "./create-replay.js";
import type { Tenon } from "./tenon.js";
import { toUndoWish } from "./undo-target.js";

/** What a Tenon can take back, and run again. */
export type UndoMethods = Pick<Tenon, "undo" | "previewUndo" | "history" | "replay">;

/** Make them of the journal. */
export function undoMethods(parts: {
  readonly journal: Journal;
  readonly newId: () => string;
  readonly replay: Replay;
}): UndoMethods {
  const { journal, newId, replay } = parts;
  return {
    undo: async (what, options) => {
      const origin = { callId: newId(), sessionId: "person", tool: "undo" };
      return journal.undo(await toUndoWish(journal, what), origin, options);
    },
    previewUndo: async (what, options) => journal.previewUndo(await toUndoWish(journal, what), options),
    history: (query) => journal.history(query),
    replay,
  };
}
