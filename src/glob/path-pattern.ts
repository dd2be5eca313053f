import { expandBraces } from "./expand-braces.js";
import {
  fits,
  globstar,
  matchNames,
  toSegment,
  type Segment,
  compileWildcard,
  PatternError,
} from "./wildcard.js";

/** A compiled glob for paths below some directory. */
export interface PathPattern {
  /** Whether it names more than entries of the directory itself. */
  readonly deep: boolean;
  /** Only directories are meant: the pattern ends with a slash. */
  readonly directoriesOnly: boolean;
  /** Whether a path (with slashes, relative to the directory) is meant; `name` is its last part. */
  matches(path: string, name: string): boolean;
  /** Whether anything below a directory can be meant. */
  reaches(directory: string): boolean;
}

/**
 * Compile a glob: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any directories. As in a .gitignore, a pattern
 * without a slash holds at any depth. Throws a `PatternError`.
 */
export function compilePathPattern(pattern: string): PathPattern {
  if (pattern.length > maxPatternLength)
    throw new PatternError(`it is longer than ${maxPatternLength} characters`);
  if (pattern.includes("\0")) throw new PatternError("it contains a NUL character");
  const text = pattern.replace(/^(?:\.\/)+/, "");
  const directoriesOnly = text.length > 1 && text.endsWith("/");
  const alternatives = expandBraces(directoriesOnly ? text.slice(0, -1) : text);
  const names = alternatives.filter((each) => !each.includes("/") && each !== "**").map(compileWildcard);
  const paths = alternatives.filter((each) => each.includes("/") || each === "**").map(toSegments);
  return {
    deep: paths.length > 0,
    directoriesOnly,
    matches(path, name) {
      if (names.some((each) => each.test(name))) return true;
      if (paths.length === 0) return false;
      const parts = path.split("/");
      return paths.some((segments) => matchNames(segments, parts));
    },
    reaches(directory) {
      if (names.length > 0) return true;
      const parts = directory.split("/");
      return paths.some((segments) => reachesBelow(segments, parts));
    },
  };
}

const maxPatternLength = 8192;

function toSegments(text: string): Segment[] {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw new PatternError('".." leads out of the directory: name that as the path');
  if (names.length === 0) throw new PatternError("it is empty");
  return names.map(toSegment);
}

/** Whether the pattern goes on below a directory of these names. */
function reachesBelow(segments: readonly Segment[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const segment = segments[at];
    if (segment === globstar) return true;
    if (segment === undefined || !fits(segment, name)) return false;
  }
  return segments.length > names.length;
}
