import type { WaitingLayers } from "../../contract/ports/layers.js";
import type { Quarantine } from "../../contract/ports/quarantine.js";
import type { ChangeOrigin, UndoOptions } from "../../contract/ports/journal.js";
import type { Journal } from "../../world/journal/journal.js";
import type { RecordAction } from "../audit/audited-action.js";
import type { Tenon } from "../tenon.js";
import { toUndoSelector, type UndoTarget } from "./undo-target.js";
import { checkKeys } from "../../schema/check-keys.js";

/** Undo and the decisions about held-back changes, each recorded like a call. */
export function createUndo({
  journal,
  quarantine,
  layers,
  recordAction,
}: {
  readonly journal: Journal;
  readonly quarantine: Quarantine;
  readonly layers: (decider: () => { readonly origin: ChangeOrigin }) => WaitingLayers;
  readonly recordAction: RecordAction;
}): Pick<Tenon, "undo" | "previewUndo" | "history" | "quarantine" | "layers"> {
  const decide =
    (name: "restore" | "discard"): Quarantine["restore"] =>
    (ids) =>
      recordAction({
        name: `quarantine_${name}`,
        arguments: { ids },
        toResult: (items) => ({ paths: items.map(({ path }) => path) }),
        run: () => quarantine[name](ids),
      });
  const layersFor = (callId: string): WaitingLayers =>
    layers(() => ({ origin: { callId, sessionId: "person", tool: "layers_commit" } }));
  return {
    undo: async (what, options) => {
      checkUndo(what, options);
      const selector = await toUndoSelector(journal, what);
      return recordAction({
        name: "undo",
        arguments: { ...what, ...options },
        toResult: (files) => ({ files }),
        run: (callId) => journal.undo(selector, { callId, sessionId: "person", tool: "undo" }, options),
      });
    },
    previewUndo: async (what, options) => {
      checkUndo(what, options);
      return journal.previewUndo(await toUndoSelector(journal, what), options);
    },
    history: async (query) => {
      checkKeys(query, { path: true, limit: true }, "history");
      return journal.history(query);
    },
    quarantine: {
      ...quarantine,
      list: async (filter) => {
        checkKeys(filter, { callId: true }, "quarantine.list");
        return quarantine.list(filter);
      },
      restore: decide("restore"),
      discard: decide("discard"),
    },
    layers: {
      list: async (filter) => {
        checkKeys(filter, { callId: true }, "layers.list");
        return layersFor("").list(filter);
      },
      show: (id, paths) => layersFor("").show(id, paths),
      commit: (id, paths, seenNs) =>
        recordAction({
          name: "layers_commit",
          arguments: { id, paths },
          run: (callId) => layersFor(callId).commit(id, paths, seenNs),
        }),
      discard: (id, paths) =>
        recordAction({
          name: "layers_discard",
          arguments: { id, paths },
          run: () => layersFor("").discard(id, paths),
        }),
    },
  };
}

/** A misspelt option must not select other changes. */
function checkUndo(what: UndoTarget, options: UndoOptions | undefined): void {
  checkKeys<object>(what, { path: true, callId: true, taskId: true, since: true, last: true }, "undo");
  checkKeys(options, { force: true }, "undo");
}
