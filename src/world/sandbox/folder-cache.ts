import { type Dirent, lstatSync, readdirSync, type Stats, statfsSync } from "node:fs";
import type { Survey, SurveyedPath } from "./quarantine/survey.js";

/** What stands in a folder, as far as a walk needs it. */
export interface FolderEntry {
  /** Characters that are not valid UTF-8 are replaced in it. */
  readonly name: string;
  /** The name as it is, where it is not valid UTF-8. */
  readonly bytes?: Buffer;
  readonly kind: "file" | "directory" | "link";
}

/** A listed folder: its entries, the folders among them, and those that a screen let through. */
export interface Folder {
  readonly entries: readonly FolderEntry[];
  readonly folders: readonly FolderEntry[];
  readonly marked: readonly FolderEntry[];
  /** What the survey found among them. */
  readonly surveyed: readonly SurveyedPath[];
}

/** The path of a folder; `bytes` where a name on the way is not valid UTF-8. */
export interface FolderPath {
  readonly path: string;
  readonly bytes?: Buffer | undefined;
}

/** Which entries are marked; the same key stands for the same screen. */
export interface Screen {
  readonly key: string;
  mayMatch(name: string): boolean;
}

/** Lists folders, and lists none twice that has not changed. */
export interface FolderCache {
  list(folder: FolderPath, screen: Screen): Folder | "too-long" | undefined;
  /** Forget what has not been asked for since the last call but one. */
  prune(): void;
}

/**
 * Whatever is made, removed or renamed in a folder changes its ctime, which no program can set. A listing
 * is used again only where the ctime was old enough when it was made that a later change must show: older
 * kernels count in steps of up to 10 ms. On file systems whose times come from elsewhere nothing is kept.
 */
export function createFolderCache(now: () => number, survey?: Survey): FolderCache {
  const known = new Map<string, Kept>();
  const devices = new Map<number, boolean>();
  let generation = 0;
  return {
    list({ path, bytes }, screen) {
      const place = bytes ?? path;
      const stats = look(place);
      if (stats === undefined || stats === "too-long") return stats;
      const before = bytes === undefined ? known.get(path) : undefined;
      if (before !== undefined && isSame(before, stats)) {
        before.generation = generation;
        if (before.key !== screen.key) remark(before, screen);
        return before;
      }
      const at = now();
      const dirents = tryRead(() => readdirSync(place, { withFileTypes: true }));
      if (dirents === undefined) return undefined;
      const entries = toEntries(dirents, place);
      const surveyed = survey?.look(path, dirents) ?? [];
      const kept: Kept = {
        ...sortOut(entries, screen),
        entries,
        surveyed,
        stats,
        key: screen.key,
        generation,
      };
      const isSettled = at - Math.max(stats.ctimeMs, stats.mtimeMs) > settledMs;
      if (isSettled && bytes === undefined && tellsTime(stats.dev, path, devices)) known.set(path, kept);
      else known.delete(path);
      return kept;
    },
    prune() {
      for (const [path, kept] of known) if (kept.generation < generation - 1) known.delete(path);
      generation += 1;
    },
  };
}

const settledMs = 50;

interface Kept extends Folder {
  folders: readonly FolderEntry[];
  marked: readonly FolderEntry[];
  readonly stats: Stats;
  key: string;
  generation: number;
}

function isSame({ stats }: Kept, now: Stats): boolean {
  return (
    stats.ctimeMs === now.ctimeMs &&
    stats.mtimeMs === now.mtimeMs &&
    stats.ino === now.ino &&
    stats.dev === now.dev &&
    stats.size === now.size
  );
}

function remark(kept: Kept, screen: Screen): void {
  kept.marked = kept.entries.filter(({ name }) => screen.mayMatch(name));
  kept.key = screen.key;
}

function sortOut(entries: readonly FolderEntry[], screen: Screen): Pick<Kept, "folders" | "marked"> {
  return {
    folders: entries.filter(({ kind }) => kind === "directory"),
    marked: entries.filter(({ name }) => screen.mayMatch(name)),
  };
}

function look(place: string | Buffer): Stats | "too-long" | undefined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? stats : undefined;
  } catch (error) {
    return isTooLong(error) ? "too-long" : undefined;
  }
}

function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG";
}

function toEntries(dirents: readonly Dirent[], place: string | Buffer): FolderEntry[] {
  const plain = (): FolderEntry[] => dirents.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  if (!dirents.some(({ name }) => name.includes(replaced))) return plain();
  const raw = tryRead(() => readdirSync(place, { withFileTypes: true, encoding: "buffer" }));
  if (raw === undefined) return plain();
  return raw.map((entry) => {
    const name = entry.name.toString();
    const isExact = !name.includes(replaced) || Buffer.from(name).equals(entry.name);
    return { name, kind: kindOf(entry), ...(!isExact && { bytes: entry.name }) };
  });
}

const replaced = "\uFFFD";

/** What cannot be read now cannot be read by the command either. */
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

function tellsTime(device: number, path: string, devices: Map<number, boolean>): boolean {
  const known = devices.get(device);
  if (known !== undefined) return known;
  const isLocal = tryRead(() => localTypes.has(statfsSync(path).type)) ?? false;
  devices.set(device, isLocal);
  return isLocal;
}
