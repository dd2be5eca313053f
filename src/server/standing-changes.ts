import type { Tenon } from "../runtime/tenon.js";

/** Changes that are looked through. */
const maxChanges = 10_000;

/** How many file changes of each call can be undone. */
export async function standingChanges(tenon: Pick<Tenon, "history">): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { callId, commandCallId, undone } of await tenon.history({ limit: maxChanges })) {
    if (undone) continue;
    // Of a command, also what another call committed later.
    for (const each of new Set([callId, commandCallId ?? callId]))
      counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  return counts;
}
