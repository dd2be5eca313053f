import { setImmediate as nextTurn } from "node:timers/promises";
import type { WalkEntry } from "../../../contract/ports/files.js";
import { languages } from "../../../syntax/languages/index.js";
import { languageOfName } from "../../../text/detect-language.js";
import type { Guard } from "../../files/guard-types.js";
import type { IndexTables } from "./index-tables.js";
import { fileStates } from "./parser.js";
import { canWatch, createTreeWatch, type DirtyDirectories, type TreeWatch } from "./tree-watch.js";

/** Keeps the list of files in step with the disk. */
export interface TreeSync {
  /** Afterwards every change that was complete before the call is known; new versions are not read yet. */
  bringUpToDate(): Promise<void>;
  /** Follow changes from now on, where the system supports it. */
  watch(): Promise<void>;
  close(): void;
}

/** Larger trees are not indexed but searched directly. */
const maxFiles = 300_000;

/** The tree has more files than the index may hold. */
export class TreeTooLarge extends Error {
  override get name(): string {
    return "TreeTooLarge";
  }
}

/** A file that changed this shortly before it was read may have changed again with the same timestamp. */
const racyMs = 2000;

/** Compare the tables with the tree, which is read through the guard and its ignore rules. */
export function createTreeSync(guard: Guard, tables: IndexTables): TreeSync {
  let watcher: TreeWatch | undefined;
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const watch = async (): Promise<void> => {
    const fresh = await watchAll(guard.root, tables);
    if (fresh === undefined) return;
    watcher = fresh;
    // Changes from before the watches existed.
    await compareTree({ guard, tables, watcher });
    if (!fresh.reliable) unwatch();
  };
  return {
    async bringUpToDate() {
      if (watcher === undefined) return compareTree({ guard, tables, watcher });
      // Earlier changes are in the kernel's queue; only the second turn has certainly read it.
      await nextTurn();
      await nextTurn();
      const dirty = watcher.takeDirty();
      if (dirty === undefined) {
        const wasReliable = watcher.reliable;
        unwatch();
        await compareTree({ guard, tables, watcher });
        return wasReliable ? watch() : undefined;
      }
      await compareDirectories({ guard, tables, watcher }, dirty);
      if ([...dirty].some(changesRules)) await compareTree({ guard, tables, watcher });
      if (!watcher.reliable) unwatch();
    },
    async watch() {
      if (watcher === undefined && canWatch(guard.root)) await watch();
    },
    close: unwatch,
  };
}

async function watchAll(root: string, tables: IndexTables): Promise<TreeWatch | undefined> {
  const watcher = createTreeWatch(root);
  let since = performance.now();
  for (const directory of [...tables.directories(), ".git/info"]) {
    watcher.add(directory);
    if (performance.now() - since < 10) continue;
    await nextTurn();
    since = performance.now();
  }
  return watcher.reliable ? watcher : undefined;
}

/** Ignore rules may have changed for everything below. */
function changesRules([directory, names]: [string, ReadonlySet<string>]): boolean {
  return directory === ".git/info" || names.has(".gitignore") || names.has(".git");
}

interface Comparison {
  readonly guard: Guard;
  readonly tables: IndexTables;
  readonly watcher: TreeWatch | undefined;
}

/** Retries a walk during which directories were moved. */
async function compareTree(comparison: Comparison): Promise<void> {
  for (let left = 3; ; left -= 1) {
    try {
      return await compareOnce(comparison);
    } catch (error) {
      if (left === 0 || error instanceof TreeTooLarge) throw error;
    }
  }
}

async function compareOnce(comparison: Comparison): Promise<void> {
  const { guard, tables, watcher } = comparison;
  const files = new Set<string>();
  const directories = new Set<string>([""]);
  const fresh: string[] = [];
  tables.addDirectory("");
  for await (const { entries } of guard.walk(".", { stats: true, changes: true })) {
    for (const entry of entries) {
      if (entry.type === "directory") {
        directories.add(entry.path);
        if (tables.entries(entry.path) === undefined) fresh.push(entry.path);
        tables.addDirectory(entry.path);
      } else if (entry.type === "file") {
        if (files.size === maxFiles) throw new TreeTooLarge();
        files.add(entry.path);
        compareFile(tables, entry, { forced: false, trusted: watcher !== undefined });
      }
    }
  }
  for (const path of tables.paths()) if (!files.has(path)) tables.removeFile(path);
  for (const path of tables.directories()) {
    if (directories.has(path)) continue;
    tables.removeDirectory(path);
    watcher?.dropBelow(path);
  }
  // New directories were listed before they were watched.
  if (watcher !== undefined)
    await compareDirectories(comparison, new Map(fresh.map((path) => [path, new Set()])));
}

async function compareDirectories(comparison: Comparison, dirty: DirtyDirectories): Promise<void> {
  const { tables, watcher } = comparison;
  // Outer directories first: what was deleted there needs no comparison below.
  for (const [directory, names] of [...dirty].sort(([one], [other]) => one.length - other.length)) {
    if (tables.entries(directory) === undefined) continue;
    const queue = [{ directory, names }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const fresh = await compareDirectory(comparison, next.directory, next.names);
      for (const below of fresh) {
        // It may be another directory with the same name.
        watcher?.dropBelow(below);
        tables.addDirectory(below);
        queue.push({ directory: below, names: new Set() });
      }
    }
  }
}

/** Compare one directory's own entries; returns the directories in it that are new. */
async function compareDirectory(
  { guard, tables, watcher }: Comparison,
  directory: string,
  names: ReadonlySet<string>,
): Promise<string[]> {
  watcher?.add(directory);
  const found = new Set<string>();
  const fresh: string[] = [];
  try {
    const options = { depth: 1, stats: true, changes: true };
    for await (const { entries } of guard.walk(directory === "" ? "." : directory, options)) {
      for (const entry of entries) {
        if (entry.type === "directory") {
          found.add(`${entry.name}/`);
          if (names.has(entry.name) || tables.entries(entry.path) === undefined) fresh.push(entry.path);
        } else if (entry.type === "file") {
          found.add(entry.name);
          compareFile(tables, entry, { forced: names.has(entry.name), trusted: true });
        }
      }
    }
  } catch {
    found.clear(); // deleted, or no longer readable
  }
  for (const entry of tables.entries(directory) ?? []) {
    if (found.has(entry)) continue;
    const path = directory === "" ? entry : `${directory}/${entry}`;
    if (!entry.endsWith("/")) tables.removeFile(path);
    else {
      tables.removeDirectory(path.slice(0, -1));
      watcher?.dropBelow(path.slice(0, -1));
    }
  }
  return fresh;
}

/** Add a new version of a file to the tables; its content is read later. */
function compareFile(
  tables: IndexTables,
  { path, size = 0, changed = 0 }: WalkEntry,
  { forced, trusted }: { forced: boolean; trusted: boolean },
): void {
  const id = tables.find(path);
  const known = id === undefined ? undefined : tables.file(id);
  const same = known !== undefined && known.size === size && Math.abs(known.changed - changed) < 0.01;
  const racy = !trusted && known !== undefined && known.changed + racyMs > known.readAt;
  if (same && !forced && (known.state === fileStates.noSource || !racy)) return;
  const fresh = tables.addFile(path, { size, changed });
  const language = languageOfName(path);
  if (language === undefined || languages.has(language)) return;
  const nothing = { possibleNames: undefined, symbols: undefined, readAt: Date.now() };
  tables.setContent(fresh, { size, changed, state: fileStates.noSource, ...nothing });
}
