import type { JournalStore } from "../../../contract/ports/journal.js";
import type { LockStore } from "../../../contract/ports/locks.js";
import { lockLost } from "../../../store/locks.js";
import type { Journal } from "../journal.js";
import { journalOn, type World } from "./open-world.js";

/**
 * Run an act with a journal that is as good as dead from its nth failpoint on: it writes nothing into the state any more
 * and takes no step back. Returns the name of that failpoint; `undefined` if the act ended before it.
 */
export async function dieAt(
  [base, world]: readonly [string, World],
  wanted: number,
  act: (journal: Journal) => Promise<unknown>,
): Promise<string | undefined> {
  let died: string | undefined;
  let points = 0;
  const failpoint = (step: string): void => {
    points += 1;
    if (points === wanted) died = step;
    if (died !== undefined) throw new Error("killed");
  };
  const alive = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (died !== undefined) throw new Error("killed");
    return call();
  };
  const mortal = (all: JournalStore): JournalStore => ({
    ...all,
    fenced: (fence) => mortal(all.fenced(fence)),
    begin: (...args) => alive(() => all.begin(...args)),
    commit: (...args) => alive(() => all.commit(...args)),
    clean: (...args) => alive(() => all.clean(...args)),
    finish: (...args) => alive(() => all.finish(...args)),
    retreat: (...args) => alive(() => all.retreat(...args)),
    discard: (...args) => alive(() => all.discard(...args)),
    fail: (...args) => alive(() => all.fail(...args)),
  });
  const { locks: shared, journal: rows } = world.state;
  const locks: LockStore = {
    ...shared,
    acquire: async (...wantedLocks) => {
      const held = await shared.acquire(...wantedLocks);
      return {
        ...held,
        check: async () => {
          if (died !== undefined) throw lockLost("of the journal");
          return held.check();
        },
      };
    },
  };
  try {
    await act(journalOn(base, world, { failpoint, locks, store: mortal(rows) }));
  } catch (error) {
    if (died === undefined) throw error;
  }
  return died;
}
