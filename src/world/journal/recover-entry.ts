import type { JournalEntry } from "../../contract/ports/journal.js";
import { finishEntry, finishRemovals, putsAside, takeBack, type ExecuteDeps } from "./execute-plan.js";
import { isComplete, removeTemps } from "./roll-back.js";

/** What became of an entry that had not ended. */
export type Recovered =
  | { readonly outcome: "completed" | "rolledBack" }
  | { readonly outcome: "failed"; readonly problems: readonly string[] };

/** Bring an entry that did not end to one: whole, or as if it had never begun. */
export async function recoverEntry(deps: ExecuteDeps, entry: JournalEntry): Promise<Recovered> {
  const { store } = deps;
  const steps = entry.changes.map((change) => change.step);
  if (entry.phase === "staging") {
    for (const step of steps) {
      await removeTemps(deps, step);
      deps.failpoint("tidied");
    }
    await store.discard(entry.id);
    return { outcome: "rolledBack" };
  }
  if (entry.phase === "cleaning") {
    await finishRemovals(deps, steps.filter(putsAside), entry.id);
    return { outcome: "completed" };
  }
  if (entry.standing === undefined && (await isComplete(deps, steps))) {
    await finishEntry(deps, entry.id);
    return { outcome: "completed" };
  }
  const problems = await takeBack(deps, { steps, id: entry.id, standing: entry.standing });
  if (problems.length > 0) {
    await store.fail(entry.id);
    return { outcome: "failed", problems };
  }
  await store.discard(entry.id);
  return { outcome: "rolledBack" };
}
