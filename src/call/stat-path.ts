import type { FileStat } from "../contract/ports/files.js";
import type { CallState } from "./call-state.js";
import { scopeOf } from "./context.js";

/** What is at a path, through the call's own guard; `null` if the guard refuses, which the tool will report itself. */
export function statPath({ parts, resolved }: CallState, path: string): FileStat | null {
  if (resolved === undefined) return null;
  try {
    return parts.world.look?.(scopeOf(resolved), path) ?? null;
  } catch {
    return null;
  }
}
