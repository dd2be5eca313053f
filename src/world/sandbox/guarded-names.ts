import { basename } from "node:path";
import { expandBraces } from "../../glob/expand-braces.js";
import { compileWildcard } from "../../glob/wildcard.js";
import { foldName } from "../files/fold-name.js";
import { realPathOf } from "../files/real-path.js";

/**
 * Whether one of the patterns may match a file with that name, judged by the last name in each pattern. False positives
 * are possible, false negatives are not; it is fast enough for a walk over a whole workspace.
 */
export function createNameScreen(patterns: readonly string[]): (name: string) => boolean {
  const literals = new Set<string>();
  const tests: ((name: string) => boolean)[] = [];
  for (const pattern of patterns.filter((each) => each.trim() !== "")) {
    const bare = pattern.replace(/\/+$/, "").replace(/(?<=.)(?:\/\*\*)+$/, "");
    literals.add(foldName(basename(bare)));
    if (bare.startsWith("/")) literals.add(foldName(basename(realPathOf(bare))));
    for (const form of expandBraces(foldName(bare))) {
      const { literal, test } = compileWildcard(lastName(form));
      if (literal === undefined) tests.push(test);
      else literals.add(literal);
    }
  }
  return (name) => {
    const folded = foldName(name);
    return literals.has(folded) || tests.some((test) => test(folded));
  };
}

/** A trailing `**` matches everything below, so any name. */
function lastName(pattern: string): string {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  return /^\*{2,}$/.test(name) ? "*" : name;
}
