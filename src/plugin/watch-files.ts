import { readdirSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";

const maxFolders = 500;
const quietMs = 150;

/** Tell when files below a folder have changed and then been quiet for a moment; packages and dot files do not count. */
export function watchFiles(root: string, onChange: () => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let over = false;

  const follow = (): void => {
    for (const folder of foldersOf(root)) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => changed(name));
        watcher.on("error", () => forget(folder));
        watchers.set(folder, watcher);
      } catch {
        // It went away, or there are too many watches; what can be watched is.
      }
    }
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const changed = (name: string | null): void => {
    if (over || (name !== null && isIgnored(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow(); // folders may be new
      onChange();
    }, quietMs);
  };

  follow();
  return () => {
    over = true;
    clearTimeout(timer);
    for (const folder of watchers.keys()) forget(folder);
  };
}

function foldersOf(root: string): string[] {
  const folders = [root];
  for (let at = 0; at < folders.length && folders.length < maxFolders; at++) {
    const folder = folders[at] as string;
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && !isIgnored(entry.name)) folders.push(join(folder, entry.name));
      }
    } catch {
      // It went away meanwhile.
    }
  }
  return folders;
}

function isIgnored(name: string): boolean {
  return name.startsWith(".") || name === "node_modules" || name.endsWith("~");
}
