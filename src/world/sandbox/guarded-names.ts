import { basename } from "node:path";
import { expandBraces } from "../../glob/expand-braces.js";
import { compileWildcard } from "../../glob/wildcard.js";
import { foldName } from "../files/fold-name.js";
import { realPathOf } from "../files/real-path.js";

/**
 * Whether a file of that name can be meant by one of the patterns: by the last name in each. It may say
 * yes too often, never too seldom, and it is what a walk over a whole workspace can afford per file.
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

/** A trailing `**` stands for everything below, so it can be any name. */
function lastName(pattern: string): string {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  return /^\*{2,}$/.test(name) ? "*" : name;
}
