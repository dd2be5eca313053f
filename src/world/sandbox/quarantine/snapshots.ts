import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { groupBy } from "../../../contract/group-by.js";
import type { PathContent } from "./judge-change.js";
import { withFolder } from "./with-folder.js";

/** The content of a path at a point in time. */
export interface Snapshot {
  readonly content: PathContent;
  readonly mode: number;
  /** Changes with every modification: only root can reset the ctime. */
  readonly stamp: string;
  readonly changedMs: number;
}

/** Reads the contents of paths; unchanged ones are not read again. */
export interface SnapshotReader {
  /** Only contains paths that exist. */
  read(paths: Iterable<string>): Map<string, Snapshot>;
}

/** Changes of a larger file are detected, but its previous version cannot be restored. */
const maxKeptBytes = 8 * 1024 * 1024;
const maxCachedBytes = 64 * 1024 * 1024;

export function createSnapshotReader(): SnapshotReader {
  const cache = new Map<string, Snapshot>();
  let cached = 0;
  return {
    read(paths) {
      const found = new Map<string, Snapshot>();
      for (const [parent, inside] of groupBy(paths, dirname)) {
        withFolder(parent, (folder) => {
          for (const name of inside.map((path) => basename(path))) {
            const path = join(parent, name);
            const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
            if (stats === undefined) continue;
            const known = cache.get(path);
            const snapshot =
              known?.stamp === stampOf(stats) ? known : readSnapshot(join(folder, name), stats);
            found.set(path, snapshot);
            if (snapshot === known) continue;
            cached += bytesOf(snapshot) - bytesOf(known);
            cache.set(path, snapshot);
          }
        });
      }
      if (cached > maxCachedBytes) {
        cache.clear();
        cached = 0;
      }
      return found;
    },
  };
}

/** Read the content of a path whose folder cannot be replaced. */
export function readSnapshot(path: string, stats: Stats): Snapshot {
  const common = { mode: stats.mode & 0o7777, stamp: stampOf(stats), changedMs: stats.ctimeMs };
  if (stats.isSymbolicLink()) return { ...common, content: { kind: "link", target: readlinkSync(path) } };
  const bytes = stats.isFile() && stats.size <= maxKeptBytes ? readBytes(path) : undefined;
  return { ...common, content: bytes === undefined ? { kind: "other" } : { kind: "file", bytes } };
}

function readBytes(path: string): Uint8Array | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined; // it was replaced or cannot be read, so it cannot be judged
  }
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, maxKeptBytes));
    let at = 0;
    while (at < bytes.length) {
      const count = readSync(fd, bytes, at, bytes.length - at, at);
      if (count === 0) break;
      at += count;
    }
    return bytes.subarray(0, at);
  } finally {
    closeSync(fd);
  }
}

function stampOf({ ino, size, mode, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${ctimeMs}`;
}

function bytesOf(snapshot: Snapshot | undefined): number {
  return snapshot?.content.kind === "file" ? snapshot.content.bytes.length : 0;
}
