import type { PathWhitelist } from "../../contract/session.js";
import type { PathRules } from "./path-rules.js";
import { isWithin } from "./path-text.js";

/** What the lists that narrow a call leave of the workspace and the allowed paths; `undefined` where there are none. */
export function createWhitelist({ roots, narrowed }: PathRules): PathWhitelist | undefined {
  if (narrowed.length === 0) return undefined;
  return (path) => {
    // The system's own folders are not a matter of these lists.
    if (!roots.some(({ real }) => isWithin(path, real))) return "inside";
    if (narrowed.every((list) => list.some((allowed) => isWithin(path, allowed)))) return "inside";
    const isAbove = narrowed.every((list) =>
      list.some((allowed) => isWithin(allowed, path) || isWithin(path, allowed)),
    );
    return isAbove ? "above" : "outside";
  };
}
