import { splitExceptions } from "../glob/name-glob.js";
import { createGlobSet, type GlobSet } from "./glob-set.js";
import { match, type Match } from "./match.js";
import { aimsBelow, compilePathGlob, coversTree, mayMatchBelow, type PathGlob } from "./path-glob.js";
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
  /** Names of which one stands in every path inside the workspace that matches; `undefined`: none is sure to. */
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
    keys: keysOf(inside.all, allows),
  };
}

/** The same, compiled when it is first needed; for patterns that are known to be good. */
export function lazyPathCondition(patterns: readonly string[], options: PathConditionOptions): PathCondition {
  let made: PathCondition | undefined;
  const condition = (): PathCondition => (made ??= compilePathCondition(patterns, options));
  return {
    test: (path) => condition().test(path),
    covers: (path) => condition().covers(path),
    keys: undefined,
  };
}

function keysOf(globs: readonly PathGlob[], allows: boolean): readonly string[] | undefined {
  const keys = globs.map((glob) => glob.floating ?? rootedKey(glob, allows));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** A rule that tightens may be met by an ancestor of what it names, so only its first name is sure to be there. */
function rootedKey(glob: PathGlob, allows: boolean): string | undefined {
  if (glob.absolute) return undefined;
  return allows ? glob.segments.findLast((segment) => typeof segment === "string") : glob.first;
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
