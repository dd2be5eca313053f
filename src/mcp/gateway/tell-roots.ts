import type { Callers } from "./callers.js";
import type { LinkUse } from "./link-types.js";

/** Tell the servers that a session's roots changed, on the connections that are only its own. */
export function tellRootsChanged(links: readonly LinkUse[], callers: Callers, sessionId: string): void {
  for (const { link, profile, session } of links) {
    const { connection } = link;
    // A server that did not hear of roots, or speaks 2026, is not told.
    if (connection?.verdict.kind !== "legacy" || profile.capabilities?.["roots"] === undefined) continue;
    if (callers.onlyFor(profile, session)?.sessionId !== sessionId) continue;
    connection.notify("notifications/roots/list_changed").catch(() => {}); // it is gone, and asks when it is back
  }
}
