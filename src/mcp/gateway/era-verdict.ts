import type { ProtocolEra } from "../../contract/ports/upstream.js";
import type { EraVerdict, ServerConnection } from "../client/server-connection.js";
import type { ServerRecord } from "./server-memory.js";

/** Verdicts on the older era are asked for again after this: an upgraded server would never be noticed. */
const verdictLifeMs = 7 * 24 * 3600 * 1000;

/** What a connection tells about the era; where a host of 2025 chose it, nothing is known of the other one. */
export function foundVerdict(
  { verdict, probed }: ServerConnection,
  now: () => number,
): Pick<ServerRecord, "verdict" | "verdictAt"> {
  return probed ? { verdict, verdictAt: now() } : {};
}

/** What is known of the era; a host of 2025 is served in its own without asking first. */
export function priorVerdict(
  record: ServerRecord | undefined,
  era: ProtocolEra | undefined,
  now: () => number,
): EraVerdict | undefined {
  if (era === "legacy") return { kind: "legacy" };
  const { verdict, verdictAt = 0 } = record ?? {};
  return now() - verdictAt < verdictLifeMs ? verdict : undefined;
}
