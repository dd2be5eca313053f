import { isDeepStrictEqual } from "node:util";
import type { ResolvedConfig } from "../../config/resolve-config.js";

/** The differences of a new configuration. */
export interface ServerChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Servers that could not be taken in, and why. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** Tell new, changed and removed servers apart; the order of keys does not count. */
export function compareServers(
  before: ResolvedConfig["mcpServers"],
  after: ResolvedConfig["mcpServers"],
): Pick<ServerChanges, "added" | "changed" | "removed"> {
  const kept = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    changed: kept.filter((name) => !isDeepStrictEqual(before[name], after[name])),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
  };
}
