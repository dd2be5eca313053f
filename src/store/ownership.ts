import { ToolUnavailableError } from "../contract/errors.js";
import type { LogMark, LogMarks } from "./log-mark.js";
import { fromIdentity } from "./process-identity.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

/** A workspace of a fleet: its rows go by a name, and one worker at a time may change its files. */
export interface Ownership {
  /** The name that all machines know it by, instead of the folder's path. */
  readonly name: string;
  /** How often it has changed hands; a worker with a lower number has lost it. @default nobody is fenced */
  readonly epoch?: number | undefined;
  /** Told when the state is open. */
  readonly onOpen?: ((owned: OwnedState) => void) | undefined;
}

/** The rows that all fronts of a tenant share: users, tokens, and the keys of the fronts. */
export function tenantOwnership(tenant: string): Ownership {
  return { name: `fleet:${tenant}` };
}

/** What an owner does with its state besides running calls. */
export interface OwnedState {
  /** Keep how far the log has come. Throws where the database was put back to an earlier state. */
  noteHead(head: { readonly seq: number; readonly hash: string }): Promise<void>;
  /** The last that was kept: the log must have it. */
  notedHead(): Promise<{ readonly seq: number; readonly hash: string } | undefined>;
}

/** Refuses to write for a worker that has lost the workspace. */
export interface OwnerGuard {
  require(tx: Sql): Promise<void>;
}

/** No system counts so far. */
const noProcess = 2 ** 31 - 2;

const read = "SELECT value FROM meta WHERE key = 'fleet_epoch'";
const readBoth = "SELECT key, value FROM meta WHERE key IN ('fleet_epoch', 'log_mark')";

/** Become the owner: the one before can begin and commit nothing from here on. */
export async function takeOwnership({ database, self }: StateParts, epoch: number): Promise<void> {
  await database.transaction(async (tx) => {
    const current = await currentEpoch(tx);
    if (current > epoch) throw takenOver(current);
    const write = `INSERT INTO meta (key, value) VALUES ('fleet_epoch', ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    await tx.run(write, [String(epoch)]);
    // Whatever is left is of an owner before, be it this process: it may have lost the workspace, and opens it again.
    await tx.run("DELETE FROM lock_tickets");
    // Nobody waits for the answers of calls that it still runs, though its process may live on.
    const nobody = fromIdentity({ ...self, pid: noProcess });
    await tx.run("UPDATE answers SET owner = ? WHERE ended_at IS NULL", [nobody]);
  });
}

/** Writers take turns, so an epoch that stands now stands until this transaction is over. */
export function createOwnerGuard(epoch: number, marks: LogMarks): OwnerGuard {
  return {
    async require(tx) {
      const rows = await tx.all<{ key: string; value: string }>(readBoth);
      const valueOf = (name: string): string | undefined => rows.find(({ key }) => key === name)?.value;
      const current = Number(valueOf("fleet_epoch") ?? 0);
      if (current !== epoch) throw takenOver(current);
      marks.check((JSON.parse(valueOf("log_mark") ?? '{"seq":0}') as LogMark).seq);
    },
  };
}

async function currentEpoch(sql: Sql): Promise<number> {
  return Number((await sql.get<{ value: string }>(read))?.value ?? 0);
}

function takenOver(epoch: number): ToolUnavailableError {
  return new ToolUnavailableError(
    `Another worker has taken over this workspace (epoch ${epoch}), so nothing was changed.`,
    { code: "STATE_BUSY", hint: "Call again: the call goes to the worker that owns the workspace now." },
  );
}
