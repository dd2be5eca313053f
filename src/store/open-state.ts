import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AccessStore } from "../contract/ports/access.js";
import type { AnswerLimits, AnswerStore } from "../contract/ports/answers.js";
import type { BlobStore } from "../contract/ports/blobs.js";
import type { Clock } from "../contract/ports/clock.js";
import type { JournalStore } from "../contract/ports/journal.js";
import type { LockStore } from "../contract/ports/locks.js";
import type {
  ApprovalStore,
  ConsoleStore,
  RuleStore,
  SessionStore,
  TrustStore,
} from "../contract/ports/state.js";
import type { KeyValue } from "../contract/ports/store.js";
import { createAccess } from "./access.js";
import { createAnswers, defaultAnswerLimits } from "./answers.js";
import { createApprovals } from "./approvals.js";
import { createConsoles } from "./consoles.js";
import type { Exported, ExportOptions } from "./archive/export-state.js";
import { openBlobs } from "./blobs.js";
import { checkIntegrity, type IntegrityReport } from "./integrity.js";
import { createJournalRows } from "./journal-rows.js";
import { createKeyValue, defaultStoreLimits, type StoreLimits } from "./key-value.js";
import { createLocks, type OwnedLocks } from "./locks.js";
import { databaseFile, openDatabase } from "./open-database.js";
import { damagedBeside } from "./open-file.js";
import { currentProcess } from "./process-identity.js";
import { LogMarks, lostTimes, readMark, type LostTime } from "./log-mark.js";
import { createOwnerGuard, takeOwnership, type OwnerGuard, type Ownership } from "./ownership.js";
import { createRules } from "./rules.js";
import { createStoredSecrets, type StoredSecrets } from "./secrets.js";
import { createSessions } from "./sessions.js";
import type { SqlDatabase } from "./sql.js";
import { openStateDir } from "./state-dir.js";
import { defaultStateLimits, type StateLimits } from "./state-limits.js";
import type { StateParts } from "./state-parts.js";
import { systemClock } from "../contract/system-clock.js";
import { openTrust } from "./trust.js";

export interface StateOptions {
  /** The directory of all of the user's states. */
  readonly stateDir: string;
  readonly workspace: string;
  /**
   * "sqlite" for a file in the state directory, ":memory:" for nothing that lasts, or the address of a
   * PostgreSQL server (postgres://…), which is a secret. @default "sqlite"
   */
  readonly database?: string;
  /** Where several machines work on the workspace in turn, as in a fleet. */
  readonly ownership?: Ownership | undefined;
  /** How long a call waits for the server or for another process that writes to the file. @default 9000 */
  readonly patienceMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Makes ids that nobody else makes. @default random UUIDs */
  readonly newId?: () => string;
  /** Caps for each name space of `kv`. */
  readonly storeLimits?: Partial<StoreLimits>;
  /** How much is kept. @default see `defaultStateLimits` */
  readonly limits?: Partial<StateLimits> | undefined;
  /** How much is kept of answers by key. @default 24 hours, 10000 keys */
  readonly answerLimits?: Partial<AnswerLimits>;
  /** Told what a person should know, such as that a damaged database was set aside. */
  readonly onWarning?: (message: string) => void;
}

/** Everything that outlives a process, for one workspace. Several processes may have it open. */
export interface State {
  /** The private directory it lies in: keep it out of the agent's reach. */
  readonly dir: string;
  /** Where the rows are, for people: the file, or the server without its secrets. */
  readonly name: string;
  /** The workspace's real path. */
  readonly workspace: string;
  /** Whose files the journal here is about, among all machines that share the rows; "" where none do. */
  readonly place: string;
  readonly limits: StateLimits;
  /** What went wrong while opening, in words for a person. */
  readonly warnings: readonly string[];
  readonly rules: RuleStore;
  readonly sessions: SessionStore;
  readonly approvals: ApprovalStore;
  readonly answers: AnswerStore;
  readonly access: AccessStore;
  readonly secrets: StoredSecrets;
  readonly consoles: ConsoleStore;
  readonly locks: LockStore;
  readonly journal: JournalStore;
  readonly blobs: BlobStore;
  readonly trust: TrustStore;
  /** The database itself, for stores of their own. */
  readonly sql: SqlDatabase;
  /** Small values of one name space. */
  kv(namespace: string): KeyValue;
  /** Damaged databases that were set aside, now or by an earlier start, and lie there still. */
  damaged(): readonly string[];
  /** Times of which the database knows nothing, because it was restored from a backup while the log went on. */
  lostTimes(): Promise<readonly LostTime[]>;
  /** Check the whole database and every content that the journal holds on to. */
  integrity(): Promise<IntegrityReport>;
  /** Write all that lasts as an archive of lines, as it was at one moment. */
  export(write: (text: string) => Promise<void>, options?: ExportOptions): Promise<Exported>;
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
  const { database, place } = await openDatabase({
    address: options.database ?? "sqlite",
    dir,
    workspace,
    clock,
    newId,
    onWarning: warn,
    patienceMs: options.patienceMs,
    name: options.ownership?.name,
  });
  const parts: StateParts = { database, clock, newId, self: currentProcess() };
  try {
    await rememberWorkspace(parts, workspace);
    const owner = await becomeOwner(parts, dir, options.ownership);
    return createState(parts, { options, dir, workspace, place, warnings, owner });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A workspace of a fleet: the owner before is fenced off, and what the database has lost is found. */
async function becomeOwner(
  parts: StateParts,
  dir: string,
  { epoch, onOpen }: Partial<Ownership> = {},
): Promise<OwnerGuard | undefined> {
  if (epoch === undefined) return undefined;
  await takeOwnership(parts, epoch);
  const marks = await LogMarks.open(parts, dir);
  const guard = createOwnerGuard(epoch, marks);
  onOpen?.({ noteHead: (head) => marks.note(head, guard), notedHead: () => readMark(parts.database) });
  return guard;
}

interface StatePlace {
  readonly owner: OwnerGuard | undefined;
  readonly options: StateOptions;
  readonly dir: string;
  readonly workspace: string;
  readonly place: string;
  readonly warnings: readonly string[];
}

function createState(
  parts: StateParts,
  { options, dir, workspace, place, warnings, owner }: StatePlace,
): State {
  const { database, clock, newId } = parts;
  const limits = { ...defaultStateLimits, ...options.limits };
  const valueLimits = {
    ...defaultStoreLimits,
    maxKeys: limits.maxValues,
    maxBytes: limits.maxValueBytes,
    ...options.storeLimits,
  };
  const blobs = openBlobs(join(dir, "blobs"), newId);
  const locks = createLocks(parts);
  let closing: Promise<void> | undefined;
  return {
    dir,
    name: database.name,
    workspace,
    place,
    limits,
    warnings,
    sql: database,
    locks,
    blobs,
    rules: createRules(parts),
    sessions: createSessions(parts, limits.maxSessions),
    approvals: createApprovals(parts, limits.maxApprovals),
    answers: createAnswers(parts, { ...defaultAnswerLimits, ...options.answerLimits }),
    access: createAccess(parts),
    secrets: createStoredSecrets(parts, { hasUsers: owner === undefined }),
    consoles: createConsoles(parts),
    journal: createJournalRows(database, place, { owner }),
    trust: openTrust(options.stateDir, clock),
    kv: (namespace) => createKeyValue(parts, namespace, valueLimits),
    damaged: () => damagedBeside(databaseFile(dir)),
    lostTimes: () => lostTimes(database),
    integrity: () => checkIntegrity({ database, blobs, place }),
    async export(write, exportOptions) {
      const { exportState } = await import("./archive/export-state.js");
      return exportState({ database, blobs, clock, place, workspace }, write, exportOptions);
    },
    close() {
      closing ??= closeParts(database, locks);
      return closing;
    },
  };
}

async function closeParts(database: SqlDatabase, locks: OwnedLocks): Promise<void> {
  try {
    await locks.close();
  } finally {
    await database.close();
  }
}

/** The directory's name is a hash; a person who looks inside wants to know whose it is. */
async function rememberWorkspace({ database }: StateParts, workspace: string): Promise<void> {
  const known = await database.get("SELECT value FROM meta WHERE key = 'workspace'");
  if (known !== undefined) return;
  const sql = "INSERT INTO meta (key, value) VALUES ('workspace', ?) ON CONFLICT (key) DO NOTHING";
  await database.run(sql, [workspace]);
}
