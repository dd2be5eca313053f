import { aimsBelow, matchesPath } from "./path-glob.js";
import type { PathGlob } from "./path-glob.js";
import type { PathShape } from "./path-space.js";

/** The globs of one condition, sorted so that most paths are told apart by a look at their names. */
export interface GlobSet {
  readonly all: readonly PathGlob[];
  matches(shape: PathShape): boolean;
  /** Some glob aims at something below this very path. */
  aimsStrictlyBelow(shape: PathShape): boolean;
}

// A short list is searched faster than a set.
const fewNames = 4;

/** Sort globs that were compiled with the same options. */
export function createGlobSet(all: readonly PathGlob[]): GlobSet {
  const floating = all.flatMap((glob) => glob.floating ?? []);
  const anywhere = all.some((glob) => glob.floating !== undefined && glob.anywhere);
  const names = new Set(floating);
  const few = floating.length <= fewNames;
  const rooted = new Map<string, PathGlob[]>();
  const others: PathGlob[] = [];
  for (const glob of all) {
    if (glob.floating !== undefined) continue;
    if (glob.absolute || glob.first === undefined) others.push(glob);
    else rooted.set(glob.first, [...(rooted.get(glob.first) ?? []), glob]);
  }
  const longest = all.reduce((most, { base }) => Math.max(most, base.length), 0);
  const floats = (list: readonly string[]) =>
    few ? floating.some((name) => list.includes(name)) : list.some((name) => names.has(name));
  const holds = (globs: readonly PathGlob[], shape: PathShape) => {
    for (const glob of globs) if (matchesPath(glob, shape)) return true;
    return false;
  };
  return {
    all,
    matches(shape) {
      const { relative } = shape;
      if (relative === undefined) return (anywhere && floats(shape.absolute)) || holds(others, shape);
      if (floating.length > 0 && floats(relative)) return true;
      if (others.length > 0 && holds(others, shape)) return true;
      const same = rooted.size > 0 && relative.length > 0 ? rooted.get(relative[0]!) : undefined;
      return same !== undefined && holds(same, shape);
    },
    aimsStrictlyBelow: (shape) =>
      longest > shape.absolute.length &&
      all.some((glob) => glob.base.length > shape.absolute.length && aimsBelow(glob, shape)),
  };
}
