import { randomBytes } from "node:crypto";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type {
  ChangeOrigin,
  ChangeRecord,
  HistoryQuery,
  JournalLimits,
  JournalStore,
  UndoJournal,
  UndoneFile,
  UndoOptions,
  UndoPreview,
} from "../../contract/ports/journal.js";
import type { LockStore } from "../../contract/ports/locks.js";
import { toToolError, withPathAsync } from "../files/file-errors.js";
import { fileTimeFrom } from "../files/file-time.js";
import type { Guard } from "../files/guard-types.js";
import { chooseOpener, type Opener } from "../files/opener.js";
import { createChangeLock, type ChangeTurn, type Stop } from "./change-lock.js";
import { executePlan, type ExecuteDeps, type PlanEntry } from "./execute-plan.js";
import { createPlan, type Plan, type PlannedStep } from "./plan.js";
import { planMutation } from "./plan-mutation.js";
import { keepOpen } from "../files/keep-open.js";
import { createKeptFiles } from "./kept-files.js";
import { openFolders } from "./open-folders.js";
import { planAdoptions, planCopies, type AdoptOptions, type Adoption } from "./plan-adoptions.js";
import { planUndo } from "./plan-undo.js";
import type { UndoDeps } from "./undo-content.js";
import { recoverEntry } from "./recover-entry.js";
import { createReadOnlyBlobs, pathsOf, previewUndo } from "./preview-undo.js";
import { realPaths, selectChanges, type UndoSelector } from "./select-changes.js";
import { createPruner } from "./journal-pruner.js";
import { undoRules } from "./undo-git.js";
import { visibleChanges } from "./visible-changes.js";

export interface JournalOptions {
  readonly guard: Guard;
  readonly store: JournalStore;
  readonly blobs: BlobStore;
  /** Coordinates several processes; without it only changes of this process are ordered. */
  readonly locks?: LockStore;
  /** Identifies the workspace; journals of different workspaces do not wait for each other. @default "" */
  readonly place?: string;
  readonly clock: Clock;
  /** Where files and directories that commands replaced are moved to; outside the workspace. */
  readonly keptDir: string;
  /** A directory in which nobody but Tenon changes anything: the one with `keptDir` and the layers. @default `keptDir` */
  readonly ownDir?: string;
  /** Bytes of what commands replaced and can create again, such as installed packages. @default 1 GB */
  readonly maxBulkBytes?: number;
  /** @default 30 days, 1 GB */
  readonly limits?: Partial<JournalLimits>;
  /** Bytes; larger files are not written. @default no limit */
  readonly maxFileSize?: number;
  /** Receives warnings for a person. */
  readonly onWarning?: (message: string) => void;
  /** Called between any two steps, so that a test can end the process there. */
  readonly failpoint?: (step: string) => void;
  /** @default the platform's */
  readonly opener?: Opener;
  /** The files are a copy, so that their times say nothing about who changed them. @default false */
  readonly isCopy?: boolean;
}

/** How one call makes or undoes changes. */
export interface ApplyOptions extends Stop {
  /** Judges the paths of this call. @default the journal's own */
  readonly guard?: Guard;
  /** Whether it may change a path that one of its own leads to through a link. @default yes */
  readonly changeable?: ((real: string) => boolean) | undefined;
  /** Which sessions' changes it sees and undoes. @default all */
  readonly sees?: ((sessionId: string) => boolean) | undefined;
}

/** How one call undoes changes. */
export interface ApplyUndoOptions extends ApplyOptions, UndoOptions {}

/** Mutations, or a function that makes them while the lock is held. */
export type Mutations = readonly FileMutation[] | (() => Promise<readonly FileMutation[]>);

/** What happened to changes that were unfinished at the start. */
export interface RecoveryReport {
  readonly completed: number;
  readonly rolledBack: number;
  /** Changes that could be neither completed nor taken back, with the reasons. */
  readonly failed: readonly { readonly id: number; readonly problems: readonly string[] }[];
}

/** All changes of files go through the journal: each is made completely or not at all, and can be undone. */
export interface Journal extends UndoJournal {
  /** Make all mutations in this order, or none of them, and return them; a function is called once the lock is held. */
  apply(mutations: Mutations, origin: ChangeOrigin, options?: ApplyOptions): Promise<readonly FileMutation[]>;
  /**
   * Put what a command changed into the workspace, all of it or nothing, by renames; the function is called once the lock
   * is held, and the array that it returns is emptied. Returns how many steps it took.
   */
  adopt(adoptions: () => Promise<Adoption[]>, origin: ChangeOrigin, options?: AdoptOptions): Promise<number>;
  undo(what: UndoSelector, origin: ChangeOrigin, options?: ApplyUndoOptions): Promise<readonly UndoneFile[]>;
  /** The displayed paths that an undo would change. */
  touchedBy(what: UndoSelector, options?: ApplyOptions): Promise<readonly string[]>;
  /** What an undo would do, without doing it; refused where the undo would be. */
  previewUndo(what: UndoSelector, options?: ApplyUndoOptions): Promise<UndoPreview>;
  history(query?: HistoryQuery, options?: ApplyOptions): Promise<readonly ChangeRecord[]>;
  /** Complete or take back what a killed process left unfinished. Also done before each change. */
  recover(): Promise<RecoveryReport>;
  /** Drop entries beyond the limits, and remove blobs that are no longer needed. */
  prune(): Promise<{ readonly entries: number; readonly blobs: number }>;
}

const defaultLimits: JournalLimits = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 1 << 30 };
const maxHistory = 10_000;

/** Build the journal of one workspace. */
export function createJournal(options: JournalOptions): Journal {
  const { guard, store, blobs, clock, maxFileSize = Number.POSITIVE_INFINITY } = options;
  const opener = options.opener ?? chooseOpener(guard.rules.platform);
  const limits = { ...defaultLimits, ...options.limits };
  const { failpoint = () => {}, onWarning = () => {}, isCopy = false } = options;
  const { maxBulkBytes = defaultLimits.maxBytes, ownDir = options.keptDir } = options;
  const kept = createKeptFiles({ dir: options.keptDir, maxBulkBytes, now: () => clock.now() });
  let fenced: { readonly fence: number; readonly rows: JournalStore } | undefined;
  const rowsOf = (fence: number): JournalStore => {
    if (fenced?.fence !== fence) fenced = { fence, rows: store.fenced(fence) };
    return fenced.rows;
  };
  const executeDeps = ({ held }: ChangeTurn, own: Opener = opener): ExecuteDeps => ({
    opener: own,
    blobs,
    guard,
    store: held === undefined ? store : rowsOf(held.fence),
    lock: held,
    clock,
    timeFrom: () => fileTimeFrom(options.keptDir),
    failpoint,
    onWarning,
  });
  const undoDeps = (own: Guard, force?: boolean): UndoDeps => ({
    rules: undoRules(own.rules),
    opener,
    guard: own,
    store,
    force,
    kept,
    isCopy,
  });
  const judging = undoDeps(guard);
  const withChangeLock = createChangeLock({ locks: options.locks, place: options.place ?? "", clock });
  const tidy = createPruner({ store, blobs, kept, clock, limits });
  const newToken = tokens();
  /** The change is made and recorded; pruning can fail without harm. */
  const notPruned = (error: unknown): void => onWarning(`The journal was not pruned: ${String(error)}`);
  const change = <Result>(
    body: (plan: Plan, deps: ExecuteDeps) => Promise<Result>,
    stop: Stop,
  ): Promise<Result> =>
    withChangeLock(async (turn) => {
      const directories = keepOpen(opener, { pinned: ownDir, own: ownDir });
      const deps = executeDeps(turn, directories);
      try {
        // The holder of the lock owns everything unfinished: the process that began it is dead.
        if (turn.isNew) await withPathAsync("an unfinished change", () => recoverAll(deps, false));
        const plan = createPlan({
          opener: directories,
          blobs,
          token: newToken(),
          maxBytes: limits.maxBytes,
          stop,
        });
        const result = await body(plan, deps);
        await tidy.afterChange().catch(notPruned);
        return result;
      } finally {
        directories.close();
      }
    }, stop);

  return {
    apply: (mutations, origin, options = {}) =>
      change(async (plan, deps) => {
        const { rules } = options.guard ?? guard;
        const { changeable } = options;
        const wanted = typeof mutations === "function" ? await mutations() : mutations;
        for (const mutation of wanted) {
          const judged = { rules, opener, maxFileSize, kept, root: guard.root, changeable };
          await planMutation(judged, plan, mutation);
        }
        failpoint("planned");
        await execute(deps, plan.steps(), { kind: "change", origin });
        return wanted;
      }, options),
    adopt: (adoptions, origin, options = {}) =>
      change(async (plan, deps) => {
        const wanted = openFolders(deps.opener, await adoptions());
        if (wanted.length === 0) return 0;
        const isBulk = wanted.some(({ bulk }) => bulk);
        const { steps, storeTexts } = kept.accepts(guard.root)
          ? await planAdoptions({ opener: deps.opener, blobs, kept, token: plan.token }, wanted)
          : await planCopies(plan, wanted);
        failpoint("planned");
        await execute(deps, steps, { kind: "change", origin, ready: options.ready, meanwhile: storeTexts });
        if (isBulk) await kept.limitBulk().catch(notPruned);
        return steps.length;
      }, options),
    undo: (what, origin, options = {}) =>
      change(async (plan, deps) => {
        const { guard: own = guard, sees, force } = options;
        const targets = await selectChanges(undoDeps(own), visibleChanges(store, sees), what);
        const undone = await planUndo(undoDeps(own, force), plan, targets);
        await execute(deps, plan.steps(), { kind: "undo", origin });
        return undone;
      }, options),
    async touchedBy(what, { guard: own = guard, sees } = {}) {
      const targets = await selectChanges(undoDeps(own), visibleChanges(store, sees), what);
      return [...pathsOf(targets)].map((real) => own.display(real));
    },
    async previewUndo(what, options = {}) {
      const { guard: own = guard, sees, force } = options;
      const targets = await selectChanges(undoDeps(own), visibleChanges(store, sees), what);
      const directories = keepOpen(opener, { pinned: ownDir, own: ownDir });
      try {
        const plan = createPlan({
          opener: directories,
          blobs: createReadOnlyBlobs(blobs),
          token: "",
          maxBytes: Infinity,
          stop: options,
        });
        return await previewUndo({ ...undoDeps(own, force), opener: directories }, plan, targets);
      } finally {
        directories.close();
      }
    },
    history: (query = {}, { guard: own = guard, sees } = {}) =>
      historyOf(undoDeps(own), visibleChanges(store, sees), query),
    clear: (path) =>
      withChangeLock(async () => {
        const reals = path === undefined ? [undefined] : realPaths(judging, path);
        let cleared = 0;
        for (const real of reals) cleared += await store.clear(real);
        await tidy.sweep();
        return cleared;
      }),
    recover: () => withChangeLock((turn) => recoverAll(executeDeps(turn), true)),
    prune: () => withChangeLock(() => tidy.prune()),
  };
}

/** Parts of names that no other process uses. */
function tokens(): () => string {
  const own = randomBytes(8).toString("hex");
  let count = 0;
  return () => `${own}${(count += 1).toString(36)}`;
}

/** Complete or take back all unfinished entries; those that failed before only if `again`. */
async function recoverAll(deps: ExecuteDeps, again: boolean): Promise<RecoveryReport> {
  const report = { completed: 0, rolledBack: 0, failed: [] as RecoveryReport["failed"][number][] };
  for (const entry of await deps.store.unfinished()) {
    if (entry.phase === "failed" && !again) continue;
    const recovered = await recoverEntry(deps, entry);
    if (recovered.outcome !== "failed") {
      report[recovered.outcome] += 1;
      continue;
    }
    report.failed.push({ id: entry.id, problems: recovered.problems });
    deps.onWarning(`A change remains incomplete: ${recovered.problems.join("; ")}`);
  }
  return report;
}

async function historyOf(
  deps: UndoDeps,
  store: JournalStore,
  { path, limit: wanted = 100 }: HistoryQuery,
): Promise<readonly ChangeRecord[]> {
  const limit = Math.min(Math.max(Math.trunc(wanted) || 0, 0), maxHistory);
  const queries =
    path === undefined ? [{ limit }] : realPaths(deps, path).map((real) => ({ limit, path: real }));
  const found = await Promise.all(queries.map((query) => store.history(query)));
  const newest = found.flat().sort((one, other) => other.id - one.id);
  return newest.slice(0, limit).map((record) => ({
    ...record,
    path: deps.guard.display(record.path),
    ...(record.from !== undefined && { from: deps.guard.display(record.from) }),
  }));
}

/** A path that other processes exchange meanwhile can fail any step; the error names the caller's path. */
async function execute(deps: ExecuteDeps, planned: readonly PlannedStep[], entry: PlanEntry): Promise<void> {
  try {
    await executePlan(deps, planned, entry);
  } catch (error) {
    throw toToolError(error, planned[0]?.text ?? "");
  }
}
