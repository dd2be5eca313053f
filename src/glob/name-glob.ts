import { expandBraces } from "./expand-braces.js";
import { compileWildcard, PatternError, type Wildcard } from "./wildcard.js";

/** Compile a glob of names, in which `*` also spans `/`, `:` and `.`. Throws a `PatternError`. */
export function compileName(pattern: string): Wildcard {
  const [first, ...others] = expandBraces(pattern).map(compileWildcard);
  if (first !== undefined && others.length === 0) return first;
  const all = [first!, ...others];
  return { literal: undefined, test: (name) => all.some(({ test }) => test(name)) };
}

/** Whether one glob matches a name; for globs that are used once. */
export function matchesName(pattern: string, name: string): boolean {
  return compileName(pattern).test(name);
}

/** Why a glob of names cannot be used; `undefined` if it can. */
export function faultOfName(pattern: string): string | undefined {
  try {
    compileName(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Whether a name is one of those that a list of globs stands for. */
export type NameCondition = (name: string) => boolean;

/** Compile a list of globs of names; `!glob` takes out of what the others match. */
export function compileNames(
  patterns: readonly string[],
  fold: (text: string) => string = String,
): NameCondition {
  const compile = (pattern: string): Wildcard => compileName(fold(pattern));
  const { included, excluded } = splitExceptions(patterns, "*");
  const inside = included.map(compile);
  const outside = excluded.map(compile);
  return (name) => {
    const folded = fold(name);
    return inside.some(({ test }) => test(folded)) && !outside.some(({ test }) => test(folded));
  };
}

/** Tell `!glob` from the others; a list of nothing but exceptions means `all` other than those. */
export function splitExceptions(
  patterns: readonly string[],
  all: string,
): { readonly included: readonly string[]; readonly excluded: readonly string[] } {
  const included = patterns.filter((pattern) => !pattern.startsWith("!"));
  const excluded = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  return { included: included.length > 0 ? included : [all], excluded };
}
