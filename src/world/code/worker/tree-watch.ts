import { type FSWatcher, statfsSync, watch } from "node:fs";
import path from "node:path";

/** What happened in a directory: names that changed there, or something unnamed. */
export type DirtyDirectories = ReadonlyMap<string, ReadonlySet<string>>;

/** Watches directories for changes. Only a hint where to look: what is read goes through the guard. */
export interface TreeWatch {
  /** `false` once a change may have been missed for good: then only a walk tells. */
  readonly holds: boolean;
  add(directory: string): void;
  /** Stop watching a directory and all below it. */
  dropBelow(directory: string): void;
  /** What happened since it was last asked; `undefined` where that cannot be told. */
  take(): DirtyDirectories | undefined;
  close(): void;
}

/** The system's watches are few, and each takes a kilobyte of the kernel. */
const mostWatches = 16_384;
/** The system's queue holds 16,384 events and drops what comes when it is full. */
const manyAtOnce = 4096;

/** Local file systems; changes of a remote one by another machine would not be told. */
const local = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/**
 * Whether changes can be followed. Only where the system queues an event before the change returns to whoever
 * made it: then two turns of the event loop bring every change that is over.
 */
export function canWatch(root: string): boolean {
  try {
    return process.platform === "linux" && local.has(statfsSync(root).type);
  } catch {
    return false;
  }
}

/** Watch directories below a root; paths are relative to it. */
export function createTreeWatch(root: string): TreeWatch {
  const watchers = new Map<string, FSWatcher>();
  let dirty = new Map<string, Set<string>>();
  let holds = true;
  let burst = 0;
  let missed = false;
  const note = (directory: string, name: string | null): void => {
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
  const giveUp = (): void => {
    holds = false;
    close();
  };
  return {
    get holds() {
      return holds;
    },
    add(directory) {
      if (!holds || watchers.has(directory)) return;
      if (watchers.size >= mostWatches) return giveUp();
      try {
        const watcher = watch(path.join(root, directory), { persistent: false });
        watcher.on("change", (_event, name) => note(directory, typeof name === "string" ? name : null));
        watcher.on("error", giveUp);
        watchers.set(directory, watcher);
      } catch (error) {
        // A directory that went away meanwhile shows in the one above.
        if (!["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) giveUp();
      }
    },
    dropBelow(directory) {
      for (const [watched, watcher] of watchers) {
        if (watched !== directory && !watched.startsWith(`${directory}/`)) continue;
        watcher.close();
        watchers.delete(watched);
      }
    },
    take() {
      const taken = dirty;
      const all = missed || !holds;
      dirty = new Map();
      missed = false;
      return all ? undefined : taken;
    },
    close,
  };
}
