import { expandBraces } from "../glob/expand-braces.js";
import { compileWildcard } from "../glob/wildcard.js";

/** Whether a name is one of those that a rule is about. */
export type NameCondition = (name: string) => boolean;

/** Compile globs of names, in which `*` also spans `/`, `:` and `.`; `!glob` takes out of the others. */
export function compileNames(patterns: readonly string[], fold: (text: string) => string): NameCondition {
  const taken = patterns.filter((pattern) => !pattern.startsWith("!"));
  const left = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const compile = (pattern: string) => expandBraces(fold(pattern)).map((text) => compileWildcard(text).test);
  const inside = (taken.length > 0 ? taken : ["*"]).flatMap(compile);
  const outside = left.flatMap(compile);
  return (name) => {
    const folded = fold(name);
    return inside.some((test) => test(folded)) && !outside.some((test) => test(folded));
  };
}

/** Tool names are unique in this form, so a rule in another case still means the same tool. */
export function foldToolName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
