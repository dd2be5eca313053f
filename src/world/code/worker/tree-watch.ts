import { type FSWatcher, watch } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../../contract/errno.js";
import { isOnLocalFileSystem } from "../../files/entry-stats.js";

/** Directories with changes, and the names that changed there; an empty set where the name is unknown. */
export type DirtyDirectories = ReadonlyMap<string, ReadonlySet<string>>;

/** Watches directories for changes. Events are only hints: files are read through the guard. */
export interface TreeWatch {
  /** `false` once a change may have been missed: then the tree must be walked. */
  readonly reliable: boolean;
  add(directory: string): void;
  /** Stop watching a directory and all below it. */
  dropBelow(directory: string): void;
  /** What changed since the last call; `undefined` where that is not known. */
  takeDirty(): DirtyDirectories | undefined;
  close(): void;
}

/** The number of watches is limited by the system, and each takes a kilobyte of kernel memory. */
const maxWatches = 16_384;
/** The kernel's queue holds 16,384 events and drops further ones when it is full. */
const manyAtOnce = 4096;

/**
 * Whether changes can be followed: only on local file systems, where the kernel queues an event before the changing
 * call returns, so that two turns of the event loop deliver every completed change. Remote changes cause no event.
 */
export function canWatch(root: string): boolean {
  return process.platform === "linux" && isOnLocalFileSystem(root);
}

/** Watch directories below a root; paths are relative to it. */
export function createTreeWatch(root: string): TreeWatch {
  const watchers = new Map<string, FSWatcher>();
  let dirty = new Map<string, Set<string>>();
  let reliable = true;
  let burst = 0;
  let missed = false;
  const markDirty = (directory: string, name: string | null): void => {
    if (burst++ === 0) setImmediate(() => (burst = 0));
    if (burst > manyAtOnce) missed = true;
    const names = dirty.get(directory) ?? new Set();
    if (name !== null) names.add(name);
    dirty.set(directory, names);
  };
  const close = (): void => {
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
  const stopWatching = (): void => {
    reliable = false;
    close();
  };
  return {
    get reliable() {
      return reliable;
    },
    add(directory) {
      if (!reliable || watchers.has(directory)) return;
      if (watchers.size >= maxWatches) return stopWatching();
      try {
        const watcher = watch(path.join(root, directory), { persistent: false });
        watcher.on("change", (_event, name) => markDirty(directory, typeof name === "string" ? name : null));
        watcher.on("error", stopWatching);
        watchers.set(directory, watcher);
      } catch (error) {
        // A directory that was deleted meanwhile causes an event in its parent.
        if (!["ENOENT", "ENOTDIR", "EACCES"].includes(errnoOf(error) ?? "")) stopWatching();
      }
    },
    dropBelow(directory) {
      for (const [watched, watcher] of watchers) {
        if (watched !== directory && !watched.startsWith(`${directory}/`)) continue;
        watcher.close();
        watchers.delete(watched);
      }
    },
    takeDirty() {
      const taken = dirty;
      const all = missed || !reliable;
      dirty = new Map();
      missed = false;
      return all ? undefined : taken;
    },
    close,
  };
}
