import type { Tenon } from "../runtime/tenon.js";

/** Changes that are looked through. */
const maxChanges = 10_000;

/** How many file changes of each call can be undone. */
export async function standingChanges(tenon: Pick<Tenon, "history">): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { callId, undone } of await tenon.history({ limit: maxChanges }))
    if (!undone) counts.set(callId, (counts.get(callId) ?? 0) + 1);
  return counts;
}
