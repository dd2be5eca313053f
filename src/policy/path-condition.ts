import { match } from "./match.js";
import type { Match } from "./match.js";
import { aimsBelow, compilePathGlob, coversTree, matchesPath, mayMatchBelow } from "./path-glob.js";
import type { PathGlob } from "./path-glob.js";
import { shapeOf } from "./path-space.js";
import type { Folding, PathShape, PathSpace, PathView } from "./path-space.js";

/** A path that a call reads or writes. */
export interface TouchedPath {
  readonly view: PathView;
  /** With everything below it. */
  readonly tree: boolean;
  readonly write: boolean;
}

/** The `path` of a rule, compiled. */
export type PathCondition = (path: TouchedPath) => Match;

export interface PathConditionOptions {
  readonly space: PathSpace;
  /** The rule allows: then it must hold for certain and for all. */
  readonly allows: boolean;
  /** Compare as if no file system told upper from lower case. */
  readonly ignoreCase: boolean;
}

/** Compile a list of globs; those with a leading `!` take out of what the others match. */
export function compilePathCondition(patterns: readonly string[], options: PathConditionOptions): PathCondition {
  const { allows } = options;
  const taken = patterns.filter((pattern) => !pattern.startsWith("!"));
  const left = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const includes = taken.length > 0 ? taken : ["**"];
  // What an exception takes out of a deny rule loosens it, so it compares as strictly as an allow rule.
  const own = { folding: foldingFor(allows, options), wide: !allows };
  const other = { folding: foldingFor(!allows, options), wide: allows };
  const space = options.space;
  const inside = includes.flatMap((pattern) => compilePathGlob(pattern, { space, ...own }));
  const outside = left.flatMap((pattern) => compilePathGlob(pattern, { space, ...other }));
  const sides = { inside, outside, own: own.folding, other: other.folding };
  return allows ? (path) => allowMatch(path, sides) : (path) => denyMatch(path, sides);
}

interface Sides {
  readonly inside: readonly PathGlob[];
  readonly outside: readonly PathGlob[];
  readonly own: Folding;
  readonly other: Folding;
}

function foldingFor(allows: boolean, options: PathConditionOptions): Folding {
  if (options.space.caseInsensitive || (options.ignoreCase && !allows)) return "lower";
  return allows ? "exact" : "folded";
}

function allowMatch({ view, tree }: TouchedPath, sides: Sides): Match {
  const test = tree ? coversTree : matchesPath;
  if (!some(sides.inside, shapeOf(view, sides.own), test)) return match.no;
  if (sides.outside.length === 0) return match.yes;
  const excepted = tree ? mayTouch : matchesPath;
  return some(sides.outside, shapeOf(view, sides.other), excepted) ? match.no : match.yes;
}

function denyMatch({ view, tree, write }: TouchedPath, sides: Sides): Match {
  const shape = shapeOf(view, sides.own);
  const hit = some(sides.inside, shape, matchesPath);
  const exempt = tree && write ? coversTree : matchesPath;
  if (sides.outside.length > 0 && some(sides.outside, shapeOf(view, sides.other), exempt)) return match.no;
  if (hit) return match.yes;
  if (!write) return match.no;
  // Whoever moves or deletes a directory takes along what lies below it.
  if (some(sides.inside, shape, tree ? aimsBelow : aimsStrictlyBelow)) return match.yes;
  return tree && some(sides.inside, shape, mayMatchBelow) ? match.maybe : match.no;
}

function mayTouch(glob: PathGlob, shape: PathShape): boolean {
  return matchesPath(glob, shape) || mayMatchBelow(glob, shape);
}

function aimsStrictlyBelow(glob: PathGlob, shape: PathShape): boolean {
  return glob.base.length > shape.absolute.length && aimsBelow(glob, shape);
}

function some(
  globs: readonly PathGlob[],
  shape: PathShape,
  test: (glob: PathGlob, shape: PathShape) => boolean,
): boolean {
  for (const glob of globs) if (test(glob, shape)) return true;
  return false;
}
