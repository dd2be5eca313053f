import { stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import type { FolderCache, FolderEntry, FolderPath } from "./folder-cache.js";
import type { SurveyedPath } from "./quarantine/survey.js";
import { openState, type PathState, type WallRules } from "./wall-rules.js";

/** A file or folder that exists. */
export interface GuardedPath extends FolderPath {
  readonly kind: "file" | "directory";
}

/** What a walk found below the roots. */
export interface Guarded {
  /** Neither to be read nor written. */
  readonly hidden: readonly GuardedPath[];
  /** To be read only with consent, which this command does not have. */
  readonly consent: readonly GuardedPath[];
  /** To be read, not to be written. */
  readonly fixed: readonly GuardedPath[];
  /** Git's own folders: most of each is writable, what git runs is not. */
  readonly gitDirs: readonly string[];
  /** Open again, inside of what is hidden or cannot be written. */
  readonly opened: readonly (GuardedPath & { readonly writable: boolean })[];
  /** What the survey named, for the judgement of changes. */
  readonly surveyed: readonly SurveyedPath[];
  /** Folders that could not be searched to their end, where something hidden could lie: hidden with all in them. */
  readonly unsearched: readonly GuardedPath[];
}

export interface WalkOptions {
  readonly rules: WallRules;
  readonly cache: FolderCache;
  /** @default as deep as there is anything */
  readonly depth?: number;
  /** Entries that are looked at, at most. */
  readonly maxEntries?: number;
}

/** Beyond this a tree is not searched to its end; what lies near the roots is found first. */
const defaultMaxEntries = 2_000_000;
/** Other work gets its turn after this many milliseconds. */
const sliceMs = 2;

/** Find what the rules name below the roots. */
export async function walkGuarded(options: WalkOptions): Promise<Guarded> {
  const { rules, cache, depth = Number.POSITIVE_INFINITY } = options;
  const found = new Findings(rules);
  let left = options.maxEntries ?? defaultMaxEntries;
  let level: Place[] = rules.roots.map((path) => ({ path, state: openState }));
  let sliceStart = performance.now();
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    const next: Place[] = [];
    // Level by level, so that a limit leaves out what is deepest.
    for (const place of level) {
      if (performance.now() - sliceStart > sliceMs) {
        await setImmediate();
        sliceStart = performance.now();
      }
      if (left <= 0) {
        found.leaveOut(place);
        continue;
      }
      left -= visit(place, { rules, cache, found, next });
    }
    level = next;
  }
  if (depth === Number.POSITIVE_INFINITY) cache.prune();
  await found.followLinks();
  return found;
}

/** A folder to be looked into, and how it stands itself. */
interface Place extends FolderPath {
  readonly state: PathState;
  /** It is open again within what a rule covers: the rule may still hold for what lies in it. */
  readonly reopened?: boolean;
}

interface Visit {
  readonly rules: WallRules;
  readonly cache: FolderCache;
  readonly found: Findings;
  readonly next: Place[];
}

/** Judge the entries of a folder; returns how many there are. */
function visit(place: Place, { rules, cache, found, next }: Visit): number {
  const folder = cache.list(place, rules);
  if (folder === "too-long") found.leaveOut(place);
  if (folder === undefined || folder === "too-long") return 0;
  if (isOpen(place.state) && !place.state.git) for (const each of folder.surveyed) found.surveyed.push(each);
  // Where a rule does not hold for all below, every name in it counts: some may be open again.
  const isMixed = place.reopened === true || (!isOpen(place.state) && !place.state.below);
  const judged = isMixed ? folder.entries : folder.marked;
  for (const entry of judged) {
    const path = childOf(place, entry);
    const own = stateOf(entry, rules.judge(path.path, entry.name));
    // What lies in a git folder is git's.
    const state = place.state.git && isOpen(own) ? place.state : own;
    found.take(path, entry, { state, outer: place.state });
    if (entry.kind === "directory" && isWorthIt(path.path, entry.name, { rules, state }))
      next.push({ ...path, state, reopened: isMixed && isOpen(state) });
  }
  if (isMixed) return folder.entries.length;
  const seen = judged.length === 0 ? undefined : new Set(judged);
  for (const entry of folder.folders) {
    if (seen?.has(entry) === true) continue;
    const path = childOf(place, entry);
    if (isWorthIt(path.path, entry.name, { rules, state: place.state }))
      next.push({ ...path, state: place.state });
  }
  return folder.entries.length;
}

function isOpen({ read, write }: PathState): boolean {
  return read === "open" && write === "open";
}

/** People keep secrets in files of such names; a folder of that name holds anything. */
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

function isWorthIt(
  path: string,
  name: string,
  { rules, state }: { readonly rules: WallRules; readonly state: PathState },
): boolean {
  if (name === "node_modules" && !rules.searchesPackages) return false;
  if (name === "objects" && path.endsWith("/.git/objects")) return false;
  if (state.read !== "open") return !state.below;
  if (state.write !== "open" || state.git) return !state.below || rules.hidesAnywhere;
  return true;
}

/** Collects what was found, each path once. */
class Findings implements Guarded {
  readonly hidden: GuardedPath[] = [];
  readonly consent: GuardedPath[] = [];
  readonly fixed: GuardedPath[] = [];
  readonly gitDirs: string[] = [];
  readonly opened: (GuardedPath & { readonly writable: boolean })[] = [];
  readonly surveyed: SurveyedPath[] = [];
  readonly unsearched: GuardedPath[] = [];
  readonly #links: { readonly path: string; readonly list: GuardedPath[] }[] = [];
  readonly #rules: WallRules;

  constructor(rules: WallRules) {
    this.#rules = rules;
  }

  take(
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
      else this.fixed.push(guarded);
    } else this.#listFor(state, outer)?.push(guarded);
  }

  /** The folder was not searched to its end. */
  leaveOut({ path, bytes, state }: Place): void {
    if (this.#rules.hidesAnywhere && state.read === "open")
      this.unsearched.push({ path, bytes, kind: "directory" });
  }

  /** A mount cannot lie on a link, but on what the link leads to; outside the roots nothing is visible anyway. */
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
