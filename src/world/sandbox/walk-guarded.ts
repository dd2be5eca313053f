import { stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import type { FolderCache, FolderEntry, FolderPath } from "./folder-cache.js";
import type { SensitivePath } from "./quarantine/sensitive-paths.js";
import { openState, type PathState, type AccessRules } from "./access-rules.js";

/** A file or folder that exists. */
export interface GuardedPath extends FolderPath {
  readonly kind: "file" | "directory";
}

/** The guarded paths below the roots. */
export interface Guarded {
  /** Not readable or writable. */
  readonly hidden: readonly GuardedPath[];
  /** Readable only with consent, which this command does not have. */
  readonly consent: readonly GuardedPath[];
  /** Read-only. */
  readonly fixed: readonly GuardedPath[];
  /** Git folders: mostly writable, except for what git runs. */
  readonly gitDirs: readonly string[];
  /** Files `.git`, which lead git to a git folder elsewhere. */
  readonly gitFiles: readonly GuardedPath[];
  /** Where bare git repositories keep their objects. */
  readonly objectStores: readonly string[];
  /** Visible or writable paths inside of hidden or read-only ones. */
  readonly opened: readonly (GuardedPath & { readonly writable: boolean })[];
  /** Paths whose changes are judged. */
  readonly sensitive: readonly SensitivePath[];
  /** Folders that could not be searched completely and may contain hidden paths: they are hidden as a whole. */
  readonly unsearched: readonly GuardedPath[];
}

export interface WalkOptions {
  readonly rules: AccessRules;
  readonly cache: FolderCache;
  /** Maximum number of entries to check. */
  readonly maxEntries?: number;
}

/** A larger tree is not searched completely; paths near the roots are found first. */
const defaultMaxEntries = 2_000_000;
/** Milliseconds of work before the event loop gets a turn. */
const sliceMs = 2;

/** Find the paths below the roots that rules apply to. */
export async function walkGuarded(options: WalkOptions): Promise<Guarded> {
  const { rules, cache } = options;
  const found = new GuardedCollector(rules);
  let entriesLeft = options.maxEntries ?? defaultMaxEntries;
  let level: FolderToVisit[] = rules.roots.map((path) => ({ path, state: openState }));
  let sliceStart = performance.now();
  while (level.length > 0) {
    const next: FolderToVisit[] = [];
    // Level by level, so that the limit omits the deepest folders.
    for (const folder of level) {
      if (performance.now() - sliceStart > sliceMs) {
        await setImmediate();
        sliceStart = performance.now();
      }
      if (entriesLeft <= 0) {
        found.addUnsearched(folder);
        continue;
      }
      entriesLeft -= visitFolder(folder, { rules, cache, found, next });
    }
    level = next;
  }
  cache.prune();
  await found.followLinks();
  return found;
}

/** A folder to search, and its own state. */
interface FolderToVisit extends FolderPath {
  readonly state: PathState;
  /** It is an exception inside a rule, which may still apply to its contents. */
  readonly reopened?: boolean;
}

interface VisitDeps {
  readonly rules: AccessRules;
  readonly cache: FolderCache;
  readonly found: GuardedCollector;
  readonly next: FolderToVisit[];
}

/** Judge the entries of a folder; returns how many there are. */
function visitFolder(folder: FolderToVisit, deps: VisitDeps): number {
  const { rules, cache, found } = deps;
  const listing = cache.list(folder, rules);
  if (listing === "too-long") found.addUnsearched(folder);
  if (listing === undefined || listing === "too-long") return 0;
  if (isOpen(folder.state) && !folder.state.git)
    for (const each of listing.sensitive) found.sensitive.push(each);
  if (isOpen(folder.state) && isBareRepository(listing)) found.objectStores.push(`${folder.path}/objects`);
  // If a rule does not apply to everything below, each entry is judged: some may be open again.
  const isMixed = folder.reopened === true || (!isOpen(folder.state) && !folder.state.below);
  const judged = isMixed ? listing.entries : listing.marked;
  const visit = { ...deps, isMixed };
  for (const entry of judged) visitEntry(folder, entry, visit);
  if (!isMixed) queueFolders(folder, listing.folders, { ...deps, judged });
  return listing.entries.length;
}

function isBareRepository({
  folders,
  entries,
}: Record<"folders" | "entries", readonly FolderEntry[]>): boolean {
  const has = (name: string): boolean => folders.some((entry) => entry.name === name);
  return has("objects") && has("refs") && entries.some((entry) => entry.name === "HEAD");
}

function visitEntry(
  folder: FolderToVisit,
  entry: FolderEntry,
  { rules, found, next, isMixed }: VisitDeps & { readonly isMixed: boolean },
): void {
  const path = childOf(folder, entry);
  const own = stateOf(entry, rules.judge(path.path, entry.name));
  // Everything in a git folder has the state of the git folder.
  const state = folder.state.git && isOpen(own) ? folder.state : own;
  found.addEntry(path, entry, { state, outer: folder.state });
  if (entry.kind === "directory" && shouldVisit(path.path, entry.name, { rules, state }))
    next.push({ ...path, state, reopened: isMixed && isOpen(state) });
}

/** Queue the folders that no rule can name, with the state of the folder around them. */
function queueFolders(
  folder: FolderToVisit,
  folders: readonly FolderEntry[],
  { rules, next, judged }: VisitDeps & { readonly judged: readonly FolderEntry[] },
): void {
  const seen = judged.length === 0 ? undefined : new Set(judged);
  for (const entry of folders) {
    if (seen?.has(entry) === true) continue;
    const path = childOf(folder, entry);
    if (shouldVisit(path.path, entry.name, { rules, state: folder.state }))
      next.push({ ...path, state: folder.state });
  }
}

function isOpen({ read, write }: PathState): boolean {
  return read === "open" && write === "open";
}

/** Names of secrets apply to files; a folder with such a name may contain anything. */
function stateOf({ kind }: FolderEntry, state: PathState): PathState {
  return kind === "directory" && state.read === "secret" ? { ...state, read: "open" } : state;
}

function childOf(folder: FolderPath, { name, bytes }: FolderEntry): FolderPath {
  const path = folder.path === "/" ? `/${name}` : `${folder.path}/${name}`;
  if (folder.bytes === undefined && bytes === undefined) return { path };
  const outer = folder.bytes ?? Buffer.from(folder.path);
  return { path, bytes: Buffer.concat([outer, slash, bytes ?? Buffer.from(name)]) };
}

const slash = Buffer.from("/");

function shouldVisit(
  path: string,
  name: string,
  { rules, state }: { readonly rules: AccessRules; readonly state: PathState },
): boolean {
  if (name === "node_modules" && !rules.searchesPackages) return false;
  if (name === "objects" && path.endsWith("/.git/objects")) return false;
  if (state.read !== "open") return !state.below;
  if (state.write !== "open" || state.git) return !state.below || rules.hidesAnywhere;
  return true;
}

/** Collects the paths that were found. */
class GuardedCollector implements Guarded {
  readonly hidden: GuardedPath[] = [];
  readonly consent: GuardedPath[] = [];
  readonly fixed: GuardedPath[] = [];
  readonly gitDirs: string[] = [];
  readonly gitFiles: GuardedPath[] = [];
  readonly objectStores: string[] = [];
  readonly opened: (GuardedPath & { readonly writable: boolean })[] = [];
  readonly sensitive: SensitivePath[] = [];
  readonly unsearched: GuardedPath[] = [];
  readonly #links: { readonly path: string; readonly list: GuardedPath[] }[] = [];
  readonly #rules: AccessRules;

  constructor(rules: AccessRules) {
    this.#rules = rules;
  }

  addEntry(
    path: FolderPath,
    { kind }: FolderEntry,
    { state, outer }: { readonly state: PathState; readonly outer: PathState },
  ): void {
    if (kind === "link") {
      const list = this.#listFor(state, openState);
      if (list !== undefined) this.#links.push({ path: path.path, list });
      return;
    }
    const guarded: GuardedPath = { ...path, kind };
    const reopened =
      state.read === "open" && (outer.read !== "open" || (outer.write !== "open" && state.write === "open"));
    if (reopened) this.opened.push({ ...guarded, writable: state.write === "open" });
    else if (state.read === "open" && state.write === "open" && state.git && outer.write === "open") {
      if (kind === "directory") this.gitDirs.push(path.path);
      else this.gitFiles.push(guarded);
    } else this.#listFor(state, outer)?.push(guarded);
  }

  /** The folder was not searched completely. */
  addUnsearched({ path, bytes, state }: FolderToVisit): void {
    if (this.#rules.hidesAnywhere && state.read === "open")
      this.unsearched.push({ path, bytes, kind: "directory" });
  }

  /** Symbolic links cannot be mounted, so their targets are; outside the roots nothing is visible anyway. */
  async followLinks(): Promise<void> {
    const { roots } = this.#rules;
    for (const { path, list } of this.#links) {
      const real = realPathOf(path);
      if (!roots.some((root) => real !== root && isWithin(real, root))) continue;
      const target = await stat(real).catch(() => undefined);
      if (target !== undefined) list.push({ path: real, kind: target.isDirectory() ? "directory" : "file" });
    }
  }

  #listFor(state: PathState, outer: PathState): GuardedPath[] | undefined {
    if (state.read !== "open") {
      if (outer.read !== "open") return undefined;
      return state.read === "hidden" ? this.hidden : this.consent;
    }
    const isFixed = state.write === "fixed" && outer.write === "open";
    return isFixed || state.git ? this.fixed : undefined;
  }
}
