import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { attempt } from "../../contract/errno.js";
import { foldName } from "../files/fold-name.js";
import { isWithin, joinName } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { namesInRepository } from "./repository-names.js";

/** A real path, and another name of it. Both are absolute. */
export interface NamedTarget {
  readonly target: string;
  readonly name: string;
}

/** Unchanged folders are not listed again; a larger tree is not searched completely, but near the roots first. */
const maxFolders = 50_000;

/** Yields between folders, so that a caller can let other work run, and returns what was found. */
export type LinkWalk = (roots: readonly string[]) => Generator<void, NamedTarget[], void>;

/** Create a search for symbolic links and repositories below folders. */
export function createLinkWalk(): LinkWalk {
  let known = new Map<string, Folder>();
  return function* walk(roots) {
    const found: NamedTarget[] = [];
    const seen = new Map<string, Folder>();
    const isInside = (path: string): boolean => roots.some((root) => isWithin(path, root));
    const add = (one: NamedTarget): void => {
      if (one.target !== one.name && isInside(one.target)) found.push(one);
    };
    let level = [...roots];
    while (level.length > 0 && seen.size < maxFolders) {
      const next: string[] = [];
      for (const path of level) {
        if (seen.size >= maxFolders || seen.has(path)) continue;
        yield;
        const folder = listFolder(path, known.get(path));
        if (folder === undefined) continue;
        seen.set(path, folder);
        for (const { name, text } of folder.links) add({ name, target: targetOf(path, text) });
        if (folder.git !== undefined || folder.isBare) namesInRepository(path, folder, isInside).forEach(add);
        next.push(...folder.folders);
      }
      level = next;
    }
    known = seen;
    return found;
  };
}

/** What a folder contains, as far as names depend on it. */
export interface Folder {
  readonly version: FolderVersion;
  readonly isStable: boolean;
  readonly links: readonly { readonly name: string; readonly text: string }[];
  readonly folders: readonly string[];
  /** The path of a `.git` in it. */
  readonly git: string | undefined;
  /** It is a git folder with another name. */
  readonly isBare: boolean;
}

/** What changes with the entries of a folder. */
type FolderVersion = Pick<Stats, "ctimeMs" | "mtimeMs" | "ino" | "dev" | "size">;

/** A change soon after a listing may leave the time as it is, because kernels count it in steps. */
const stableMs = 50;

function listFolder(path: string, before: Folder | undefined): Folder | undefined {
  const stats = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory() !== true) return undefined;
  if (before?.isStable === true && isSame(before.version, stats)) return before;
  const listedAt = Date.now();
  const entries = attempt(() => readdirSync(path, { withFileTypes: true }));
  if (entries === undefined) return undefined;
  const git = entries.find(({ name }) => foldName(name) === ".git");
  const { ctimeMs, mtimeMs, ino, dev, size } = stats;
  return {
    version: { ctimeMs, mtimeMs, ino, dev, size },
    isStable: listedAt - Math.max(stats.ctimeMs, stats.mtimeMs) > stableMs,
    links: entries.filter((entry) => entry.isSymbolicLink()).flatMap((entry) => readLink(path, entry)),
    folders: entries.filter((entry) => isSearched(path, entry)).map(({ name }) => joinName(path, name)),
    git: git && joinName(path, git.name),
    isBare:
      foldName(path.slice(path.lastIndexOf("/") + 1)) !== ".git" &&
      bareParts.every((part) => entries.some(({ name }) => name === part)),
  };
}

const bareParts = ["HEAD", "objects", "refs"];

function isSame(one: FolderVersion, other: FolderVersion): boolean {
  return (
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size
  );
}

function readLink(folder: string, { name }: Dirent): Folder["links"] {
  const path = joinName(folder, name);
  const text = attempt(() => readlinkSync(path));
  return text === undefined ? [] : [{ name: path, text }];
}

/** Of packages, as for commands, only a person's own rules say something, and of git's data nothing does. */
function isSearched(folder: string, entry: Dirent): boolean {
  if (!entry.isDirectory() || entry.name === "node_modules") return false;
  return !gitData.has(entry.name) || !/\/\.git(?:\/|$)/i.test(folder);
}

const gitData = new Set(["objects", "refs", "logs", "lfs", "annex"]);

/** Where a link leads; what does not exist yet is what it would be. */
function targetOf(folder: string, text: string): string {
  return realPathOf((isAbsolute(text) ? text : joinName(folder, text)).replace(/(?<=.)\/+$/, ""));
}
