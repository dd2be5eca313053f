import { compileWildcard, PatternError } from "../../glob/wildcard.js";

/**
 * Whether a shell's glob (without braces) can match an absolute path, name by name. A pattern that is more than `*`,
 * `?`, `[…]` and `\\` may match anything.
 */
export function matchGlob(pattern: string, path: string): boolean {
  const patterns = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const names = path.split("/").filter((name) => name !== "");
  return patterns.length === names.length && patterns.every((one, at) => mayMatch(one, names[at]!));
}

function mayMatch(pattern: string, name: string): boolean {
  try {
    return compileWildcard(pattern).test(name);
  } catch (error) {
    if (error instanceof PatternError) return true;
    throw error;
  }
}
