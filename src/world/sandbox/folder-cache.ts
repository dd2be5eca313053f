import { type Dirent, lstatSync, readdirSync, type Stats, statfsSync } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type { SensitivePathFinder, SensitivePath } from "./quarantine/sensitive-paths.js";

/** An entry of a folder. */
export interface FolderEntry {
  /** Invalid UTF-8 is replaced in it. */
  readonly name: string;
  /** The raw name, if it is not valid UTF-8. */
  readonly bytes?: Buffer;
  readonly kind: "file" | "directory" | "link";
}

/** A listed folder: its entries, the folders among them, and those whose names rules may apply to. */
export interface Folder {
  readonly entries: readonly FolderEntry[];
  readonly folders: readonly FolderEntry[];
  readonly marked: readonly FolderEntry[];
  /** The sensitive paths among them. */
  readonly sensitive: readonly SensitivePath[];
}

/** The path of a folder; `bytes` if a part of it is not valid UTF-8. */
export interface FolderPath {
  readonly path: string;
  readonly bytes?: Buffer | undefined;
}

/** Decides which entries are marked; the same key means the same decisions. */
export interface NameScreen {
  readonly key: string;
  mayMatch(name: string): boolean;
}

/** Lists folders, and caches the listings of unchanged folders. */
export interface FolderCache {
  list(folder: FolderPath, screen: NameScreen): Folder | "too-long" | undefined;
  /** Drop listings that were not used since the last but one call. */
  prune(): void;
}

/**
 * Whatever is created, removed or renamed in a folder changes its ctime, which no program can set. A listing is reused
 * only if the ctime was old enough that a later change must show, because kernels count in steps of up to 10 ms. On
 * file systems with times from another machine, nothing is cached.
 */
export function createFolderCache(now: () => number, sensitivePathFinder?: SensitivePathFinder): FolderCache {
  const known = new Map<string, CachedFolder>();
  const devices = new Map<number, boolean>();
  let generation = 0;
  return {
    list({ path, bytes }, screen) {
      const location = bytes ?? path;
      const stats = statFolder(location);
      if (stats === undefined || stats === "too-long") return stats;
      const before = bytes === undefined ? known.get(path) : undefined;
      if (before !== undefined && isSame(before, stats)) {
        before.generation = generation;
        if (before.key !== screen.key) updateMarked(before, screen);
        return before;
      }
      const at = now();
      const dirents = tryRead(() => readdirSync(location, { withFileTypes: true }));
      if (dirents === undefined) return undefined;
      const entries = toEntries(dirents, location);
      const sensitive = sensitivePathFinder?.look(path, dirents) ?? [];
      const cached: CachedFolder = {
        ...classifyEntries(entries, screen),
        entries,
        sensitive,
        stats,
        key: screen.key,
        generation,
      };
      const isStable = at - Math.max(stats.ctimeMs, stats.mtimeMs) > stableMs;
      if (isStable && bytes === undefined && hasReliableTimes(stats.dev, path, devices))
        known.set(path, cached);
      else known.delete(path);
      return cached;
    },
    prune() {
      for (const [path, cached] of known) if (cached.generation < generation - 1) known.delete(path);
      generation += 1;
    },
  };
}

const stableMs = 50;

interface CachedFolder extends Folder {
  folders: readonly FolderEntry[];
  marked: readonly FolderEntry[];
  readonly stats: Stats;
  key: string;
  generation: number;
}

function isSame({ stats }: CachedFolder, now: Stats): boolean {
  return (
    stats.ctimeMs === now.ctimeMs &&
    stats.mtimeMs === now.mtimeMs &&
    stats.ino === now.ino &&
    stats.dev === now.dev &&
    stats.size === now.size
  );
}

function updateMarked(cached: CachedFolder, screen: NameScreen): void {
  cached.marked = cached.entries.filter(({ name }) => screen.mayMatch(name));
  cached.key = screen.key;
}

function classifyEntries(
  entries: readonly FolderEntry[],
  screen: NameScreen,
): Pick<CachedFolder, "folders" | "marked"> {
  return {
    folders: entries.filter(({ kind }) => kind === "directory"),
    marked: entries.filter(({ name }) => screen.mayMatch(name)),
  };
}

function statFolder(location: string | Buffer): Stats | "too-long" | undefined {
  try {
    const stats = lstatSync(location, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? stats : undefined;
  } catch (error) {
    return isTooLong(error) ? "too-long" : undefined;
  }
}

function isTooLong(error: unknown): boolean {
  return errnoOf(error) === "ENAMETOOLONG";
}

function toEntries(dirents: readonly Dirent[], location: string | Buffer): FolderEntry[] {
  const plain = (): FolderEntry[] => dirents.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  if (!dirents.some(({ name }) => name.includes(replaced))) return plain();
  const raw = tryRead(() => readdirSync(location, { withFileTypes: true, encoding: "buffer" }));
  if (raw === undefined) return plain();
  return raw.map((entry) => {
    const name = entry.name.toString();
    const isExact = !name.includes(replaced) || Buffer.from(name).equals(entry.name);
    return { name, kind: kindOf(entry), ...(!isExact && { bytes: entry.name }) };
  });
}

const replaced = "\uFFFD";

/** What cannot be read here cannot be read by the command either. */
function tryRead<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function kindOf(entry: Pick<Dirent, "isDirectory" | "isSymbolicLink">): FolderEntry["kind"] {
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "file";
}

/** Magic numbers of local file systems: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs. */
const localTypes = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]);

function hasReliableTimes(device: number, path: string, devices: Map<number, boolean>): boolean {
  const known = devices.get(device);
  if (known !== undefined) return known;
  const isLocal = tryRead(() => localTypes.has(statfsSync(path).type)) ?? false;
  devices.set(device, isLocal);
  return isLocal;
}
