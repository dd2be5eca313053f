import { expandBraces } from "../glob/expand-braces.js";
import { foldText, isAbsolutePath, type Folding, type PathShape, type PathSpace } from "./path-space.js";
import { fits, globstar, matchNames, toSegment, type Segment, PatternError } from "../glob/wildcard.js";

/** A compiled glob, one per alternative of its braces. */
export interface PathGlob {
  readonly segments: readonly Segment[];
  readonly absolute: boolean;
  /** Holds outside the workspace too, although it is no absolute pattern. */
  readonly anywhere: boolean;
  /** The names before the first wildcard, from the root on. */
  readonly base: readonly string[];
  /** The first name, where the pattern begins with one. */
  readonly first: string | undefined;
  /** The name of a pattern such as `**\/name/**`, which matches wherever that name stands. */
  readonly floating: string | undefined;
  /** The end of a name, from its last dot on, that stands in every path that matches: ".pem" of `**\/*.pem`. */
  readonly extension: string | undefined;
}

export interface GlobOptions {
  readonly space: PathSpace;
  readonly folding: Folding;
  /** For patterns that tighten: a plain last name covers all below it, `**` reaches outside the workspace. */
  readonly wide: boolean;
}

/** Compile a glob of paths, relative to the workspace or absolute. Throws a `PatternError`. */
export function compilePathGlob(pattern: string, options: GlobOptions): PathGlob[] {
  if (pattern.length > maxPatternLength)
    throw new PatternError(`it is longer than ${maxPatternLength} characters`);
  if (pattern.includes("\0")) throw new PatternError("it contains a NUL character");
  if (/^~(?:\/|$)/.test(pattern)) throw new PatternError('"~" is not expanded here: write the whole path');
  // On Windows `\` separates, unless it escapes what can stand in a name there.
  return expandBraces(options.space.windows ? pattern.replaceAll(/\\(?![[\]{}()!+@,])/g, "/") : pattern).map(
    (text) => compileOne(text, options),
  );
}

/** Whether the glob matches the path itself. */
export function matchesPath(glob: PathGlob, shape: PathShape): boolean {
  if (glob.absolute) return matchNames(glob.segments, shape.absolute);
  if (shape.relative !== undefined) return matchNames(glob.segments, shape.relative);
  return glob.anywhere && matchNames(glob.segments, shape.absolute);
}

/** Whether the glob matches the directory and everything that can lie below it. */
export function coversTree(glob: PathGlob, shape: PathShape): boolean {
  return glob.segments.at(-1) === globstar && matchesPath(glob, shape);
}

/** Whether the fixed part of the glob lies at or below the directory, so that something in it is meant. */
export function aimsBelow(glob: PathGlob, shape: PathShape): boolean {
  const { absolute } = shape;
  return absolute.length <= glob.base.length && absolute.every((name, at) => glob.base[at] === name);
}

/** Whether something below the directory could match. */
export function mayMatchBelow(glob: PathGlob, shape: PathShape): boolean {
  if (aimsBelow(glob, shape)) return true;
  const names = glob.absolute || shape.relative === undefined ? shape.absolute : shape.relative;
  if (!glob.absolute && shape.relative === undefined && !glob.anywhere) return false;
  return reachesInside(glob.segments, names);
}

/** Whether names of the glob up to the path's own stand before others: what is put there can bring a match along. */
export function leadsThrough(glob: PathGlob, shape: PathShape): boolean {
  const last = glob.segments.findLastIndex((segment) => segment !== globstar);
  return glob.segments.some((segment, at) => {
    if (segment === globstar || at >= last) return false;
    return matchesPath({ ...glob, segments: glob.segments.slice(0, at + 1) }, shape);
  });
}

// PATH_MAX, twice: every character of a remembered path may need an escape.
const maxPatternLength = 8192;

function compileOne(text: string, options: GlobOptions): PathGlob {
  const { space, folding, wide } = options;
  if (text === "") throw new PatternError("it is empty");
  const names = text.split("/");
  const rooted = isAbsolutePath(text, space);
  const { up, rest } = rooted ? { up: 0, rest: names } : climb(names);
  const root = space.root[folding];
  const segments: Segment[] = normalSegments(rest, folding);
  // A pattern that climbs out of the workspace can only be matched from the root on.
  if (up > 0) segments.unshift(...root.slice(0, Math.max(0, root.length - up)));
  if (names.at(-1) === "" || (wide && typeof segments.at(-1) === "string")) segments.push(globstar);
  const absolute = rooted || up > 0;
  const literals = leadingLiterals(segments);
  const [first, name, last, more] = segments;
  const floats = !absolute && first === globstar && last === globstar && more === undefined;
  return {
    segments,
    absolute,
    anywhere: wide && first === globstar,
    base: absolute ? literals : [...root, ...literals],
    first: typeof first === "string" ? first : undefined,
    floating: floats && typeof name === "string" ? name : undefined,
    extension: rest.includes("..") ? undefined : extensionIn(rest, folding),
  };
}

/** Of the last name with plain text behind its wildcards. */
function extensionIn(names: readonly string[], folding: Folding): string | undefined {
  const last = names.findLast((name) => name !== "" && name !== "." && !/^\*+$/.test(name));
  if (last === undefined || /[[\]\\]/.test(last)) return undefined;
  const [end = ""] = /[^*?]*$/.exec(foldText(last, folding)) ?? [];
  return end.includes(".") ? end.slice(end.lastIndexOf(".")) : undefined;
}

function leadingLiterals(segments: readonly Segment[]): string[] {
  const first = segments.findIndex((segment) => typeof segment !== "string");
  return (first === -1 ? segments : segments.slice(0, first)) as string[];
}

/** Split off the leading `.` and `..` of a relative pattern. */
function climb(names: readonly string[]): { readonly up: number; readonly rest: readonly string[] } {
  const first = names.findIndex((name) => name !== ".." && name !== ".");
  const lead = first === -1 ? names : names.slice(0, first);
  return { up: lead.filter((name) => name === "..").length, rest: names.slice(lead.length) };
}

function normalSegments(names: readonly string[], folding: Folding): Segment[] {
  const segments: Segment[] = [];
  for (const name of names) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (typeof segments.pop() !== "string")
        throw new PatternError('".." behind a wildcard has no clear meaning');
    } else {
      const segment = toSegment(foldText(name, folding));
      if (segment !== globstar || segments.at(-1) !== globstar) segments.push(segment);
    }
  }
  return segments;
}

/** Whether the pattern is still unfinished after these names: then a longer path can match. */
function reachesInside(segments: readonly Segment[], names: readonly string[]): boolean {
  let alive = withSkips(segments, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const at of alive) {
      const segment = segments[at];
      if (segment === globstar) next.add(at);
      else if (segment !== undefined && fits(segment, name)) next.add(at + 1);
    }
    alive = withSkips(segments, next);
  }
  return [...alive].some((at) => at < segments.length);
}

/** `**` may stand for no name at all. */
function withSkips(segments: readonly Segment[], positions: Set<number>): Set<number> {
  for (const at of positions) if (segments[at] === globstar) positions.add(at + 1);
  return positions;
}
