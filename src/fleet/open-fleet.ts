import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../contract/errno.js";
import { ToolDefinitionError } from "../contract/errors.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import { openState, type State } from "../store/open-state.js";
import { tenantOwnership } from "../store/ownership.js";
import { privateDirectory } from "../store/state-dir.js";
import { TrustedFronts } from "./keys.js";

export interface TenantState {
  readonly state: State;
  readonly fronts: TrustedFronts;
  close(): Promise<void>;
}

/** Open what the members of a fleet share in PostgreSQL. */
export async function openTenantState(
  { database, fleet }: Pick<ResolvedConfig, "database" | "fleet">,
  place: { readonly stateDir: string; readonly workspace: string; readonly patienceMs?: number },
): Promise<TenantState> {
  checkFleet({ database, fleet });
  const state = await openState({ ...place, database, ownership: tenantOwnership(fleet.tenant) });
  return { state, fronts: new TrustedFronts(state.kv("fleet-fronts")), close: () => state.close() };
}

/** A fleet needs both servers. */
function checkFleet({ database, fleet }: Pick<ResolvedConfig, "database" | "fleet">): void {
  if (fleet.nats === undefined)
    throw new ToolDefinitionError("No fleet is configured.", {
      hint: "Pass --fleet nats://HOST:4222, or set fleet.nats in your configuration.",
    });
  if (!/^postgres(?:ql)?:/.test(database))
    throw new ToolDefinitionError("A fleet needs a PostgreSQL database, which its machines share.", {
      hint: "Set database in your configuration, for example to ${TENON_DATABASE}.",
    });
}

/** The private folder of a worker, beside its workspaces; on a shared volume its journal and log go with them. */
export function workerStateDir(dir: string): string {
  const state = join(dir, ".tenon");
  privateDirectory(state);
  return state;
}

/** Workspaces on a worker's own disk know it by its id, so it is the same with each start; on a volume any will do. */
export function workerIdOf(dir: string, labels: readonly string[]): string {
  const fresh = `w${randomBytes(6).toString("hex")}`;
  if (labels.some((label) => label.startsWith("volume="))) return fresh;
  const file = join(workerStateDir(dir), "worker-id");
  try {
    writeFileSync(file, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const known = readFileSync(file, "utf8").trim();
  if (/^w[0-9a-f]{12}$/.test(known)) return known;
  throw new ToolDefinitionError(`${file} does not contain a worker id.`, {
    hint: "Remove it to get a new id.",
  });
}
