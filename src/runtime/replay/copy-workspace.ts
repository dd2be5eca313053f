import type { RuntimeBase } from "../state/runtime-base.js";
import { constants, lstatSync } from "node:fs";
import { cp } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type {
  JournalEntry,
  JournalStep,
  JournalStore,
  NewJournalEntry,
  RenameStep,
} from "../../contract/ports/journal.js";
import type { State } from "../../store/open-state.js";
import { makeFolder } from "../../contract/make-folder.js";
import { isWithin } from "../../world/files/path-text.js";
import { createGuards } from "../world/guards.js";

export interface CopyOptions {
  readonly workspace: string;
  /** Where the copy goes. */
  readonly copy: string;
  /** What is not copied: Tenon's own state, and the names and paths of the caller. */
  readonly exclude: readonly string[];
}

/** Copy a workspace, sharing blocks if the file system can; sockets, pipes and devices are skipped. */
export async function copyWorkspace({ workspace, copy, exclude }: CopyOptions): Promise<void> {
  const left = new Set(exclude.map((path) => resolve(workspace, path)));
  await cp(workspace, copy, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (source) => {
      if (left.has(source) || exclude.includes(basename(source))) return false;
      const stat = lstatSync(source, { throwIfNoEntry: false });
      return stat !== undefined && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink());
    },
  });
}

export interface RewindOptions
  extends CopyOptions, Pick<RuntimeBase, "config" | "rules" | "stateDir" | "clock"> {
  readonly taskId: string;
  readonly state: State;
}

/** Undo later changes on the copy, back to the start of the task. Returns the reason if that fails. */
export async function rewindCopy(options: RewindOptions): Promise<string | undefined> {
  const { state, taskId, config, rules, copy, stateDir, clock } = options;
  const callIds = await callsSince(state.journal, taskId);
  if (callIds.length === 0) return undefined;
  const [{ createJournal }, { openBlobs }] = await Promise.all([
    import("../../world/journal/journal.js"),
    import("../../store/blobs.js"),
  ]);
  let next = 0;
  const keptDir = join(stateDir, "rewind-kept");
  makeFolder(keptDir, 0o700);
  const own = openBlobs(join(stateDir, "rewind"), () => `rewind-${next++}`);
  const journal = createJournal({
    guard: createGuards({ config, rules, workspace: copy, stateDir }).undo(),
    store: moveStore(state.journal, options, { from: join(state.dir, "kept"), to: keptDir }),
    blobs: layerBlobs(own, state.blobs),
    clock,
    keptDir,
    isCopy: true,
  });
  try {
    await journal.undo({ callIds }, { callId: "rewind", sessionId: "replay", tool: "undo" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The calls that changed files since the first change of the task, newest first. */
async function callsSince(journal: JournalStore, taskId: string): Promise<string[]> {
  const changes = await journal.history({ limit: 10_000 });
  const first = changes.findLastIndex((change) => change.taskId === taskId);
  const since = changes.slice(0, first + 1).filter(({ undone }) => !undone);
  return [...new Set(since.map(({ callId }) => callId))];
}

/** The journal of the workspace with the paths of the copy; nothing is written to it. */
function moveStore(store: JournalStore, { workspace, copy }: CopyOptions, kept: KeptDirs): JournalStore {
  const move = (path: string): string =>
    path === workspace || path.startsWith(`${workspace}/`) ? copy + path.slice(workspace.length) : path;
  const moveStep = async (step: JournalStep): Promise<JournalStep> => {
    if (step.kind === "set") return { ...step, path: move(step.path), temp: move(step.temp) };
    if (step.kind === "mode") return { ...step, path: move(step.path) };
    if (step.kind === "rename") {
      return { ...step, path: move(step.path), stored: await copyStored(step, kept), inode: null };
    }
    return { ...step, from: move(step.from), to: move(step.to), temp: move(step.temp), inode: null };
  };
  const moveEntry = async (entry: JournalEntry): Promise<JournalEntry> => ({
    ...entry,
    changes: await Promise.all(
      entry.changes.map(async (change) => ({ ...change, step: await moveStep(change.step) })),
    ),
  });
  const nothing = async (): Promise<void> => {};
  const moved: JournalStore = {
    fenced: () => moved,
    begin: async (_entry: NewJournalEntry) => 1,
    commit: nothing,
    clean: nothing,
    finish: async () => [],
    retreat: nothing,
    discard: nothing,
    fail: nothing,
    unfinished: async () => [],
    select: async (selector) => Promise.all((await store.select(selector)).map(moveEntry)),
    wasUndone: async () => false,
    history: async () => [],
    changesAfter: async (path, change) => {
      const own = path.startsWith(copy) ? workspace + path.slice(copy.length) : path;
      const steps = await store.changesAfter(own, change);
      return Promise.all(steps.map(moveStep));
    },
    clear: async () => 0,
    prune: async () => 0,
    usage: async () => ({ entries: 0, bytes: 0 }),
    unreferenced: async () => [],
  };
  return moved;
}

/** Where what commands replaced is kept, and where copies of it go. */
interface KeptDirs {
  readonly from: string;
  readonly to: string;
}

/**
 * What a command replaced is copied, because the undo on the copy takes it out of the store. What came from a layer stays
 * where it was: nothing is put back there.
 */
async function copyStored({ stored }: RenameStep, { from, to }: KeptDirs): Promise<string> {
  if (!isWithin(stored, from)) return stored;
  const copy = join(to, basename(stored));
  if (lstatSync(stored, { throwIfNoEntry: false }) === undefined) return copy;
  const mode = constants.COPYFILE_FICLONE;
  await cp(stored, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
  return copy;
}

/** Contents of both stores; new ones go to the first. */
function layerBlobs(own: BlobStore, below: BlobStore): BlobStore {
  const holder = (hash: string): BlobStore => (own.has(hash) ? own : below);
  return {
    ...own,
    has: (hash) => own.has(hash) || below.has(hash),
    read: (hash) => holder(hash).read(hash),
    open: (hash) => holder(hash).open(hash),
    verify: (hash) => holder(hash).verify(hash),
  };
}
