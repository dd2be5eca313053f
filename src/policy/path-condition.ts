import { groupBy } from "../contract/group-by.js";
import { splitExceptions } from "../glob/name-glob.js";
import { match, type Match } from "./match.js";
import {
  aimsBelow,
  compilePathGlob,
  coversTree,
  leadsThrough,
  mayMatchBelow,
  type PathGlob,
  matchesPath,
} from "./path-glob.js";
import { shapeOf, type Folding, type PathShape, type PathSpace, type PathView } from "./path-space.js";

/** A path that a call reads or writes. */
export interface TouchedPath {
  readonly view: PathView;
  /** With everything below it. */
  readonly tree: boolean;
  readonly write: boolean;
  /** Only the path itself counts, not what a change of it would take along. */
  readonly alone?: boolean | undefined;
}

/** The `path` of a rule, compiled. */
export interface PathCondition {
  readonly test: (path: TouchedPath) => Match;
  /** Whether everything below a path that matches does too. */
  readonly covers: (path: TouchedPath) => boolean;
  /** Whether a tree that is moved to, moved away or deleted has the place of a folder that a pattern names. */
  readonly leadsThrough: (path: TouchedPath) => boolean;
  /**
   * Names of which one stands in every path inside the workspace that matches, or ends of names from the last dot on;
   * `undefined`: none is sure to.
   */
  readonly keys: readonly string[] | undefined;
}

export interface PathConditionOptions {
  readonly space: PathSpace;
  /** The rule allows: then it must hold for certain and for all. */
  readonly allows: boolean;
  /** Compare as if no file system told upper from lower case. */
  readonly ignoreCase: boolean;
}

/** Compile a list of globs; those with a leading `!` take out of what the others match. */
export function compilePathCondition(
  patterns: readonly string[],
  options: PathConditionOptions,
): PathCondition {
  const { allows } = options;
  const { included, excluded } = splitExceptions(patterns, "**");
  // What an exception takes out of a deny rule loosens it, so it compares as strictly as an allow rule.
  const own = { folding: foldingFor(allows, options), wide: !allows };
  const other = { folding: foldingFor(!allows, options), wide: allows };
  const space = options.space;
  const inside = createGlobSet(included.flatMap((pattern) => compilePathGlob(pattern, { space, ...own })));
  const outside = createGlobSet(excluded.flatMap((pattern) => compilePathGlob(pattern, { space, ...other })));
  const sides = { inside, outside, own: own.folding, other: other.folding };
  return {
    test: allows ? (path) => allowMatch(path, sides) : (path) => denyMatch(path, sides),
    covers: ({ view }) => excluded.length === 0 && some(inside, shapeOf(view, own.folding), coversTree),
    leadsThrough: ({ view, tree, write }) =>
      tree && write && some(inside, shapeOf(view, own.folding), leadsThrough),
    keys: keysOf(inside.all, allows),
  };
}

/** The same, compiled when it is first needed; for patterns that are known to be good. */
export function lazyPathCondition(patterns: readonly string[], options: PathConditionOptions): PathCondition {
  const compile = (): PathCondition => {
    const { test, covers, leadsThrough: leads } = compilePathCondition(patterns, options);
    return Object.assign(condition, { test, covers, leadsThrough: leads });
  };
  const condition: PathCondition = {
    test: (path) => compile().test(path),
    covers: (path) => compile().covers(path),
    leadsThrough: (path) => compile().leadsThrough(path),
    keys: undefined,
  };
  return condition;
}

function keysOf(globs: readonly PathGlob[], allows: boolean): readonly string[] | undefined {
  const keys = globs.map((glob) => glob.floating ?? rootedKey(glob, allows));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/**
 * A rule that tightens may be met by an ancestor of the names that it begins with, so only the first of them is sure to be
 * there.
 */
function rootedKey(glob: PathGlob, allows: boolean): string | undefined {
  if (glob.absolute) return undefined;
  if (!allows && glob.first !== undefined) return glob.first;
  return glob.segments.findLast((segment) => typeof segment === "string") ?? glob.extension;
}

interface Sides {
  readonly inside: GlobSet;
  readonly outside: GlobSet;
  readonly own: Folding;
  readonly other: Folding;
}

function foldingFor(allows: boolean, options: PathConditionOptions): Folding {
  if (options.space.caseInsensitive || (options.ignoreCase && !allows)) return "lower";
  return allows ? "exact" : "folded";
}

function allowMatch({ view, tree }: TouchedPath, { inside, outside, own, other }: Sides): Match {
  const shape = shapeOf(view, own);
  if (!(tree ? some(inside, shape, coversTree) : inside.matches(shape))) return match.no;
  if (outside.all.length === 0) return match.yes;
  const left = shapeOf(view, other);
  const excepted = outside.matches(left) || (tree && some(outside, left, mayMatchBelow));
  return excepted ? match.no : match.yes;
}

function denyMatch({ view, tree, write, alone }: TouchedPath, { inside, outside, own, other }: Sides): Match {
  if (outside.all.length > 0) {
    const left = shapeOf(view, other);
    if (tree && write ? some(outside, left, coversTree) : outside.matches(left)) return match.no;
  }
  const shape = shapeOf(view, own);
  if (inside.matches(shape)) return match.yes;
  // Moving or deleting a directory affects everything below it.
  if (!write || alone === true) return match.no;
  if (inside.aimsStrictlyBelow(shape) || (tree && some(inside, shape, aimsBelow))) return match.yes;
  return tree && some(inside, shape, mayMatchBelow) ? match.maybe : match.no;
}

function some(
  { all }: GlobSet,
  shape: PathShape,
  test: (glob: PathGlob, shape: PathShape) => boolean,
): boolean {
  return all.some((glob) => test(glob, shape));
}

/** The globs of one condition, sorted so that most paths are told apart by a look at their names. */
interface GlobSet {
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
  const sorted = groupBy(globs, ({ first }) => first ?? "");
  if (sorted.size > few) return (first) => sorted.get(first) ?? none;
  const pairs = [...sorted];
  return (first) => {
    for (const pair of pairs) if (pair[0] === first) return pair[1];
    return none;
  };
}
