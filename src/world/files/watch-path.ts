import { existsSync, type FSWatcher, watch } from "node:fs";
import path from "node:path";
import type { FileChange } from "../../contract/ports/files.js";
import { notRegularFile, withPath } from "./file-errors.js";
import { type GuardDeps, openExisting, openPhysical } from "./locate.js";
import { readEntries } from "./list-directory.js";
import type { Handle } from "./opener.js";
import { joinName, showName } from "./path-text.js";

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** How a real path is shown. */
  readonly display: (real: string) => string;
}

/** Further directories of a tree are not watched, because the system limits the number of watches. */
const MAX_WATCHES = 4096;
/** How many unread changes are buffered; the oldest are dropped. */
const MAX_WAITING = 10_000;

/**
 * Report changes of a file, or of everything below a directory, until the signal fires. Watching begins
 * at once, below a directory as fast as its tree is read. Watches are set through descriptors; links are not
 * followed, and changes of what may not be read are not reported.
 */
export function watchPath(deps: GuardDeps, text: string, options: WatchOptions): AsyncIterable<FileChange> {
  const top = openExisting(deps, text, { access: "read" });
  const hub = createWatcherSet(deps, options);
  try {
    if (!top.stat.isFile() && !top.stat.isDirectory()) throw notRegularFile(text);
    withPath(text, () => hub.add(top));
  } catch (error) {
    hub.close();
    top.close();
    throw error;
  }
  watchBelow(deps, top, hub);
  return hub.changes();
}

interface WatcherSet {
  add(handle: Handle): void;
  /** No more directories are wanted. */
  readonly full: boolean;
  changes(): AsyncGenerator<FileChange>;
  close(): void;
}

function createWatcherSet(deps: GuardDeps, { signal, display }: WatchOptions): WatcherSet {
  const watchers = new Map<string, FSWatcher>();
  const waiting: FileChange[] = [];
  let wake: () => void = () => undefined;
  const report = (real: string, kind: FileChange["kind"]): void => {
    if (!deps.rules.judge(real, "read").allowed) return;
    if (waiting.length >= MAX_WAITING) waiting.shift();
    waiting.push({ path: display(real), kind });
    wake();
  };
  let closed = false;
  const hub: WatcherSet = {
    get full() {
      return closed || signal.aborted || watchers.size >= MAX_WATCHES;
    },
    add(handle) {
      const real = handle.real;
      if (hub.full || watchers.has(real)) return;
      const isDirectory = handle.stat.isDirectory();
      const watcher = watch(handle.self, { persistent: false, encoding: "buffer" });
      watcher.on("error", () => closeWatcher(watchers, real));
      watcher.on("change", (event, name) => {
        const changed = isDirectory ? changedPath(handle, name) : real;
        report(changed, event === "rename" ? "renamed" : "changed");
        if (event === "rename" && isDirectory) rewatch(deps, changed, { hub, watchers });
      });
      watchers.set(real, watcher);
    },
    async *changes() {
      try {
        while (!signal.aborted) {
          const change = waiting.shift();
          if (change !== undefined) yield change;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        signal.removeEventListener("abort", stop);
        hub.close();
      }
    },
    close() {
      closed = true;
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
  const stop = (): void => {
    hub.close();
    wake();
  };
  signal.addEventListener("abort", stop, { once: true });
  return hub;
}

/** An event of the directory itself has the last name of the watched path. */
function changedPath(handle: Handle, name: string | Uint8Array | null): string {
  if (name === null) return handle.real;
  const shown = showName(Buffer.from(name));
  const child = joinName(handle.real, shown);
  return shown === path.basename(handle.self) && !existsSync(child) ? handle.real : child;
}

function closeWatcher(watchers: Map<string, FSWatcher>, real: string): void {
  watchers.get(real)?.close();
  watchers.delete(real);
}

/** After a rename event: watch a new directory, stop watching a deleted one. */
function rewatch(
  deps: GuardDeps,
  real: string,
  { hub, watchers }: { hub: WatcherSet; watchers: Map<string, FSWatcher> },
): void {
  closeWatcher(watchers, real);
  const handle = watchDirectory(deps, real, hub);
  if (handle !== undefined) watchBelow(deps, handle, hub);
}

/** Watch the directories below one, breadth first, so that the limit cuts off the deepest; closes the handle. */
function watchBelow(deps: GuardDeps, top: Handle, hub: WatcherSet): void {
  const walk = async (): Promise<void> => {
    const queue = await directoriesIn(top);
    for (let next = queue.shift(); next !== undefined && !hub.full; next = queue.shift()) {
      const handle = watchDirectory(deps, next, hub);
      if (handle !== undefined) queue.push(...(await directoriesIn(handle)));
    }
  };
  // Directories that cannot be read are not watched.
  void walk().catch(() => undefined);
}

function watchDirectory(deps: GuardDeps, real: string, hub: WatcherSet): Handle | undefined {
  let handle: Handle | undefined;
  try {
    handle = openPhysical(deps, real, "read");
    if (handle?.stat.isDirectory() !== true) throw new Error("not a directory");
    hub.add(handle);
    return handle;
  } catch {
    handle?.close();
    return undefined;
  }
}

async function directoriesIn(handle: Handle): Promise<string[]> {
  try {
    if (!handle.stat.isDirectory()) return [];
    const entries = await readEntries(handle);
    const directories = entries.filter((entry) => entry.type === "directory");
    return directories.map((entry) => joinName(handle.real, showName(entry.name)));
  } catch {
    return [];
  } finally {
    handle.close();
  }
}
