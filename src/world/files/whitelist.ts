import type { PathWhitelist } from "../../contract/session.js";
import type { PathRules } from "./path-rules.js";
import { isWithin } from "./path-text.js";

/** Combine the lists of allowed paths that restrict a call; `undefined` if there are none. */
export function createWhitelist({ roots, narrowed }: PathRules): PathWhitelist | undefined {
  if (narrowed.length === 0) return undefined;
  return (path) => {
    // These lists do not apply to system folders.
    if (!roots.some(({ real }) => isWithin(path, real))) return "inside";
    if (narrowed.every((list) => list.some((allowed) => isWithin(path, allowed)))) return "inside";
    const isAbove = narrowed.every((list) =>
      list.some((allowed) => isWithin(allowed, path) || isWithin(path, allowed)),
    );
    return isAbove ? "above" : "outside";
  };
}
