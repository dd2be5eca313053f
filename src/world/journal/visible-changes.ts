import type { JournalStore } from "../../contract/ports/journal.js";

/** The changes of the sessions that somebody sees; those of others do not exist for it. */
export function visibleChanges(
  store: JournalStore,
  sees: ((sessionId: string) => boolean) | undefined,
): JournalStore {
  if (sees === undefined) return store;
  return {
    ...store,
    select: async (selector) => (await store.select(selector)).filter(({ origin }) => sees(origin.sessionId)),
    // Asked only for what `select` did not find, which may be somebody else's.
    wasUndone: () => Promise.resolve(false),
    async history({ limit = 100, ...query }) {
      const all = await store.history({ ...query, limit: maxLookedAt });
      return all.filter(({ sessionId }) => sees(sessionId)).slice(0, limit);
    },
  };
}

/** Changes that are looked through for one's own. */
const maxLookedAt = 10_000;
