import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { BlobStore } from "../contract/ports/blobs.js";
import type { Clock } from "../contract/ports/clock.js";
import type { JournalStore } from "../contract/ports/journal.js";
import type { LockStore } from "../contract/ports/locks.js";
import type { ApprovalStore, RuleStore, SessionStore, TrustStore } from "../contract/ports/state.js";
import type { Store } from "../contract/ports/store.js";
import { createApprovals } from "./approvals.js";
import { openBlobs } from "./blobs.js";
import type { Database } from "./database.js";
import { checkIntegrity } from "./integrity.js";
import type { IntegrityReport } from "./integrity.js";
import { createJournalRows } from "./journal-rows.js";
import { createKeyValue, defaultStoreLimits } from "./key-value.js";
import type { StoreLimits } from "./key-value.js";
import { createLocks } from "./locks.js";
import type { OwnedLocks } from "./locks.js";
import { openFile } from "./open-file.js";
import { currentProcess } from "./process-identity.js";
import { createRules } from "./rules.js";
import { createSessions } from "./sessions.js";
import { openStateDir } from "./state-dir.js";
import type { StateParts } from "./state-parts.js";
import { systemClock } from "./system-clock.js";
import { openTrust } from "./trust.js";

export interface StateOptions {
  /** The directory of all of the user's states. */
  readonly stateDir: string;
  /** The workspace whose state is opened. */
  readonly workspace: string;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Makes ids that nobody else makes. @default random UUIDs */
  readonly newId?: () => string;
  /** Caps for each name space of `kv`. */
  readonly storeLimits?: Partial<StoreLimits>;
  /** Told what a person should know, such as that a damaged database was set aside. */
  readonly onWarning?: (message: string) => void;
}

/** Everything that outlives a process, for one workspace. Several processes may have it open. */
export interface State {
  /** The private directory it lies in: keep it out of the agent's reach. */
  readonly dir: string;
  /** The workspace's real path. */
  readonly workspace: string;
  /** What went wrong while opening, in words for a person. */
  readonly warnings: readonly string[];
  readonly rules: RuleStore;
  readonly sessions: SessionStore;
  readonly approvals: ApprovalStore;
  readonly locks: LockStore;
  readonly journal: JournalStore;
  readonly blobs: BlobStore;
  readonly trust: TrustStore;
  /** Small values of one name space. */
  kv(namespace: string): Store;
  /** Check the whole database and every content that the journal holds on to. */
  integrity(): Promise<IntegrityReport>;
  close(): Promise<void>;
}

/**
 * Open (or begin) the state of a workspace.
 *
 * @example
 * const state = await openState({ stateDir: "/home/me/.local/state/tenon", workspace: process.cwd() });
 */
export async function openState(options: StateOptions): Promise<State> {
  const { clock = systemClock, newId = randomUUID, onWarning } = options;
  const { dir, workspace } = openStateDir(options.stateDir, options.workspace);
  const warnings: string[] = [];
  const warn = (message: string): void => {
    warnings.push(message);
    onWarning?.(message);
  };
  const database = await openFile({ file: join(dir, "state.db"), clock, onWarning: warn });
  const parts: StateParts = { database, clock, newId, self: currentProcess() };
  await rememberWorkspace(parts, workspace);
  const limits = { ...defaultStoreLimits, ...options.storeLimits };
  const locks = createLocks(parts);
  const blobs = openBlobs(join(dir, "blobs"), newId);
  let closing: Promise<void> | undefined;
  return {
    dir,
    workspace,
    warnings,
    locks,
    blobs,
    rules: createRules(parts),
    sessions: createSessions(parts),
    approvals: createApprovals(parts),
    journal: createJournalRows(database),
    trust: openTrust(options.stateDir, clock),
    kv: (namespace) => createKeyValue(parts, namespace, limits),
    integrity: () => checkIntegrity(database, blobs),
    close() {
      closing ??= closeParts(database, locks);
      return closing;
    },
  };
}

async function closeParts(database: Database, locks: OwnedLocks): Promise<void> {
  try {
    await locks.close();
    // The package ends a connection, and writes its log back, only when the statements are collected.
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    database.close();
  }
}

/** The directory's name is a hash; a person who looks inside wants to know whose it is. */
async function rememberWorkspace({ database }: StateParts, workspace: string): Promise<void> {
  const known = database.get("SELECT value FROM meta WHERE key = 'workspace'");
  if (known !== undefined) return;
  const sql = "INSERT INTO meta (key, value) VALUES ('workspace', ?) ON CONFLICT (key) DO NOTHING";
  await database.write(() => database.run(sql, workspace));
}
