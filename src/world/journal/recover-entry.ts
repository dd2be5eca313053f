import type { JournalEntry } from "../../contract/ports/journal.js";
import { finishEntry, finishRemovals, leavesTemp, rollBackEntry, type ExecuteDeps } from "./execute-plan.js";
import { isComplete, removeTemps } from "./roll-back.js";

/** What happened to an unfinished entry. */
export type RecoveryOutcome =
  | { readonly outcome: "completed" | "rolledBack" }
  | { readonly outcome: "failed"; readonly problems: readonly string[] };

/** Complete an unfinished entry, or take it back as if it had never begun. */
export async function recoverEntry(deps: ExecuteDeps, entry: JournalEntry): Promise<RecoveryOutcome> {
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
    await finishRemovals(deps, steps.filter(leavesTemp), { id: entry.id });
    return { outcome: "completed" };
  }
  if (entry.standing === undefined && (await isComplete(deps, steps))) {
    await finishEntry(deps, entry.id);
    return { outcome: "completed" };
  }
  const problems = await rollBackEntry(deps, { steps, id: entry.id, standing: entry.standing });
  if (problems.length > 0) {
    await store.fail(entry.id);
    return { outcome: "failed", problems };
  }
  await store.discard(entry.id);
  return { outcome: "rolledBack" };
}
