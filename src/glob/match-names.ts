import { compileWildcard } from "./wildcard.js";

/** Any names, or none. */
export const globstar = Symbol("**");

/** What one part of a path pattern stands for: a name, any names, or the names that pass a test. */
export type Segment = string | typeof globstar | ((name: string) => boolean);

/** Compile one part of a path pattern. Throws a `PatternError`. */
export function toSegment(name: string): Segment {
  if (/^\*{2,}$/.test(name)) return globstar;
  const { literal, test } = compileWildcard(name);
  return literal ?? test;
}

/**
 * Whether a pattern matches the names of a path. It walks with one step back, to the last `**`,
 * so no pattern can take more than pattern × path steps.
 */
export function matchNames(segments: readonly Segment[], names: readonly string[]): boolean {
  let segment = 0;
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  while (at < names.length) {
    const current = segments[segment];
    if (current === globstar) {
      if (segment === segments.length - 1) return true;
      lastStar = segment++;
      resume = at;
    } else if (current !== undefined && fits(current, names[at]!)) {
      segment++;
      at++;
    } else if (lastStar >= 0) {
      segment = lastStar + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (segments[segment] === globstar) segment++;
  return segment === segments.length;
}

/** Whether one segment stands for one name. */
export function fits(segment: string | ((name: string) => boolean), name: string): boolean {
  return typeof segment === "string" ? segment === name : segment(name);
}
