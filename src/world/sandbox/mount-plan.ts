import { dirname } from "node:path";
import { isWithin } from "../files/path-text.js";
import { toPathText, toShownPath } from "../files/raw-path.js";
import type { FolderPath } from "./folder-cache.js";
import { mergeMounts } from "./merge-mounts.js";
import type { Guarded, GuardedPath } from "./walk-guarded.js";

/**
 * What happens to a path. `mask`: hidden. `fix`: read-only. `bind`: writable. `pin`: writable, but as a separate mount,
 * which cannot be renamed.
 */
export interface Mount {
  /** By `toPathText`: two names that are not valid UTF-8 must not become the same text. */
  readonly path: string;
  readonly kind: "mask" | "fix" | "bind" | "pin";
  readonly isDirectory: boolean;
  /** A hidden folder that contains a visible path: it is made read-only after that path was mounted. */
  readonly isOpenedInside?: boolean;
}

export interface PlanOptions {
  readonly guarded: Guarded;
  /** Mounts for git folders. */
  readonly git: readonly Mount[];
  /** The folders that the command sees; the innermost one that contains a path decides. */
  readonly roots: readonly { readonly path: string; readonly writable: boolean }[];
  /** Whether no running job could replace the path while it is mounted. */
  readonly isStable: (path: string) => boolean;
}

export interface MountPlan {
  /** In mount order. */
  readonly mounts: readonly Mount[];
  /** Messages for the caller. */
  readonly notes: readonly string[];
}

/** Plan the mounts that enforce the rules, with a pin on every folder above each of them. */
export function planMounts(options: PlanOptions): MountPlan {
  const { isStable } = options;
  const guarded = withOwnTexts(options.guarded);
  const git = options.git.map(withOwnText);
  const roots = options.roots.map(withOwnText);
  const isWritable = (path: string): boolean => rootOf(path, roots)?.writable === true;
  const isPinnable = (path: string): boolean => isWritable(path) && isStable(path);
  const items = new Map<string, Mount>();
  const add = (mount: Mount): void => {
    const known = items.get(mount.path);
    if (known === undefined || strength[mount.kind] > strength[known.kind]) items.set(mount.path, mount);
  };
  for (const { writable, ...path } of guarded.opened) {
    add(toMount(path, writable && isWritable(path.path) ? "bind" : "fix"));
  }
  for (const path of [...guarded.hidden, ...guarded.consent, ...guarded.unsearched])
    add(toMount(path, "mask"));
  for (const path of guarded.fixed) if (isPinnable(path.path)) add(toMount(path, "fix"));
  for (const mount of git) add(mount);
  const opened = new Set(guarded.opened.map(({ path }) => path));
  const needed = [...items.values()].toSorted(byPath).filter((mount) => !isCovered(mount, items, opened));
  const { kept, notes } = mergeMounts(needed, {
    rootOf: (path) => rootOf(path, roots)?.path,
    countPins: (mounts) => planPins(mounts, { roots, isPinnable }).length,
  });
  const pins = planPins(kept, { roots, isPinnable });
  const mounts = markOpenedInside([...kept, ...pins].toSorted(byPath));
  const free = guarded.fixed.filter(({ path }) => isWritable(path) && !isStable(path));
  return { mounts, notes: [...notes, ...unstableNote(free)] };
}

const strength = { pin: 0, bind: 1, fix: 2, mask: 3 } as const;

function withOwnTexts({ hidden, consent, unsearched, fixed, opened }: Guarded) {
  return {
    hidden: hidden.map(withOwnText),
    consent: consent.map(withOwnText),
    unsearched: unsearched.map(withOwnText),
    fixed: fixed.map(withOwnText),
    opened: opened.map(withOwnText),
  };
}

function withOwnText<Path extends FolderPath>(each: Path): Path {
  return { ...each, path: toPathText(each.bytes ?? Buffer.from(each.path)) };
}

function toMount({ path, kind }: GuardedPath, how: Mount["kind"]): Mount {
  return { path, kind: how, isDirectory: kind === "directory" };
}

/** Outer folders first. */
function byPath(one: Mount, other: Mount): number {
  return one.path < other.path ? -1 : Number(one.path > other.path);
}

function rootOf(path: string, roots: PlanOptions["roots"]): PlanOptions["roots"][number] | undefined {
  return roots
    .filter((root) => isWithin(path, root.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** Whether it is inside a hidden folder with nothing visible in between, so that it cannot be mounted. */
function isCovered(mount: Mount, items: ReadonlyMap<string, Mount>, opened: ReadonlySet<string>): boolean {
  if (opened.has(mount.path) && mount.kind !== "mask") return false;
  for (let at = dirname(mount.path); at.length > 1; at = dirname(at)) {
    if (opened.has(at)) return false;
    if (items.get(at)?.kind === "mask") return true;
  }
  return false;
}

interface PinDeps {
  readonly roots: PlanOptions["roots"];
  readonly isPinnable: (path: string) => boolean;
}

/** A pin on every folder between a mount and its root, so that none of them can be renamed. */
function planPins(mounts: readonly Mount[], { roots, isPinnable }: PinDeps): Mount[] {
  const known = new Map(mounts.map((mount) => [mount.path, mount]));
  const pins = new Map<string, Mount>();
  for (const mount of mounts) {
    const root = rootOf(mount.path, roots);
    if (root === undefined || !root.writable) continue;
    const above = pinsAbove(mount, root.path, { known, pins, isPinnable });
    for (const pin of above) pins.set(pin.path, pin);
  }
  return [...pins.values()];
}

interface KnownMounts extends Pick<PinDeps, "isPinnable"> {
  readonly known: ReadonlyMap<string, Mount>;
  readonly pins: ReadonlyMap<string, Mount>;
}

function pinsAbove({ path }: Mount, root: string, { known, pins, isPinnable }: KnownMounts): Mount[] {
  const needed: Mount[] = [];
  const pending: Mount[] = [];
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) {
    const outer = known.get(at);
    // Nothing can be renamed in a read-only or hidden folder, and a pin there would make it writable again.
    if (outer?.kind === "fix" || outer?.kind === "mask") return needed;
    if (outer !== undefined || pins.has(at)) needed.push(...pending.splice(0));
    if (pins.has(at)) return needed;
    if (outer !== undefined || !isPinnable(at)) continue;
    pending.push({ path: at, kind: "pin", isDirectory: true });
  }
  return [...needed, ...pending];
}

function markOpenedInside(mounts: readonly Mount[]): Mount[] {
  return mounts.map((mount) => {
    if (mount.kind !== "mask" || !mount.isDirectory) return mount;
    const isOpenedInside = mounts.some(
      (other) => other.path !== mount.path && isWithin(other.path, mount.path),
    );
    return isOpenedInside ? { ...mount, isOpenedInside } : mount;
  });
}

function unstableNote(paths: readonly GuardedPath[]): string[] {
  if (paths.length === 0) return [];
  const shown = paths.slice(0, 5).map(({ path }) => toShownPath(path));
  return [
    `These protected paths were created while a background job is running and stay writable until it ends: ${shown.join(", ")}`,
  ];
}
