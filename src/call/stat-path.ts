import type { FileStat } from "../contract/ports/files.js";
import type { CallState } from "./call-state.js";
import { scopeOf } from "./context.js";

/**
 * What is at a path, through the call's own guard; `null` if the guard refuses, which the tool will report itself.
 * @param isGlance Whether it is enough to recognize a file that was read before.
 */
export function statPath(
  { parts: { world }, resolved }: CallState,
  path: string,
  isGlance = false,
): FileStat | null {
  if (resolved === undefined) return null;
  try {
    const scope = scopeOf(resolved);
    const seen = isGlance ? world.glance?.(scope, path) : undefined;
    return seen ?? world.look?.(scope, path) ?? null;
  } catch {
    return null;
  }
}
