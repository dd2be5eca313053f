import { aimsBelow, matchesPath, type PathGlob } from "./path-glob.js";
import type { PathShape } from "./path-space.js";

/** The globs of one condition, sorted so that most paths are told apart by a look at their names. */
export interface GlobSet {
  readonly all: readonly PathGlob[];
  matches(shape: PathShape): boolean;
  /** Some glob aims at something below this very path. */
  aimsStrictlyBelow(shape: PathShape): boolean;
}

/** Sort globs that were compiled with the same options. */
export function createGlobSet(all: readonly PathGlob[]): GlobSet {
  const floating = all.flatMap((glob) => glob.floating ?? []);
  const anywhere = all.some((glob) => glob.floating !== undefined && glob.anywhere);
  const rooted = all.filter((glob) => isRooted(glob));
  const others = all.filter((glob) => glob.floating === undefined && !isRooted(glob));
  const holdsOne = anyName(floating);
  const sameStart = byFirstName(rooted);
  const longest = all.reduce((most, { base }) => Math.max(most, base.length), 0);
  return {
    all,
    matches(shape) {
      const { relative } = shape;
      if (relative === undefined) return (anywhere && holdsOne(shape.absolute)) || holds(others, shape);
      if (holdsOne(relative) || holds(others, shape)) return true;
      return relative.length > 0 && holds(sameStart(relative[0]!), shape);
    },
    aimsStrictlyBelow: (shape) =>
      longest > shape.absolute.length &&
      all.some((glob) => glob.base.length > shape.absolute.length && aimsBelow(glob, shape)),
  };
}

function isRooted(glob: PathGlob): boolean {
  return !glob.absolute && glob.first !== undefined;
}

function holds(globs: readonly PathGlob[], shape: PathShape): boolean {
  for (const glob of globs) if (matchesPath(glob, shape)) return true;
  return false;
}

/** Most rules name one or two places; comparing a short list is faster than looking into a map. */
const few = 3;

function anyName(wanted: readonly string[]): (names: readonly string[]) => boolean {
  if (wanted.length > few) {
    const set = new Set(wanted);
    return (names) => names.some((name) => set.has(name));
  }
  return (names) => {
    for (const name of wanted) if (names.includes(name)) return true;
    return false;
  };
}

const none: readonly PathGlob[] = [];

function byFirstName(globs: readonly PathGlob[]): (first: string) => readonly PathGlob[] {
  const sorted = new Map<string, PathGlob[]>();
  for (const glob of globs) {
    const name = glob.first ?? "";
    const same = sorted.get(name);
    if (same === undefined) sorted.set(name, [glob]);
    else same.push(glob);
  }
  if (sorted.size > few) return (first) => sorted.get(first) ?? none;
  const pairs = [...sorted];
  return (first) => {
    for (const pair of pairs) if (pair[0] === first) return pair[1];
    return none;
  };
}
