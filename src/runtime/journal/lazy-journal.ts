import { join } from "node:path";
import type { RuntimeBase } from "../state/runtime-base.js";
import type { Guard } from "../../world/files/guard-types.js";
import type { Journal } from "../../world/journal/journal.js";
import type { LogSink } from "../log/create-log.js";

export interface LazyJournalOptions extends RuntimeBase {
  readonly options: { readonly log?: LogSink };
}

/** A journal that opens the state on first use. */
export function createLazyJournal(parts: LazyJournalOptions, guard: () => Guard): Journal {
  let opening: Promise<Journal> | undefined;
  const journal = (): Promise<Journal> =>
    (opening ??= openJournal(parts, guard()).catch((cause: unknown) => {
      opening = undefined; // the next use tries again
      throw cause;
    }));
  return {
    apply: async (mutations, origin, options) => (await journal()).apply(mutations, origin, options),
    adopt: async (adoptions, origin, options) => (await journal()).adopt(adoptions, origin, options),
    undo: async (what, origin, options) => (await journal()).undo(what, origin, options),
    touchedBy: async (what, options) => (await journal()).touchedBy(what, options),
    previewUndo: async (what, options) => (await journal()).previewUndo(what, options),
    history: async (query, options) => (await journal()).history(query, options),
    clear: async (path) => (await journal()).clear(path),
    recover: async () => (await journal()).recover(),
    prune: async () => (await journal()).prune(),
  };
}

const dayMs = 24 * 60 * 60 * 1000;

async function openJournal(
  { config, state, clock, options }: LazyJournalOptions,
  guard: Guard,
): Promise<Journal> {
  const [{ journal: store, blobs, locks, place, dir }, { createJournal }] = await Promise.all([
    state.open(),
    import("../../world/journal/journal.js"),
  ]);
  return createJournal({
    guard,
    store,
    blobs,
    locks,
    place,
    clock,
    keptDir: join(dir, "kept"),
    ownDir: dir,
    maxBulkBytes: config.journal.maxIgnoredBytes,
    limits: { maxAgeMs: config.journal.maxAgeDays * dayMs, maxBytes: config.journal.maxBytes },
    maxFileSize: config.files.maxFileSize,
    onWarning: (message) => options.log?.({ level: "warn", time: clock.now(), message }),
  });
}
