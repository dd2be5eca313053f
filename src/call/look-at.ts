import type { FileStat } from "../contract/ports/files.js";
import type { ResolvedCall } from "./call.js";
import { scopeOf } from "./context.js";

/** What stands at a path, through the call's own guard; where that refuses, the tool will say so itself. */
export function lookAt(call: ResolvedCall, path: string): FileStat | null {
  try {
    return call.parts.world.look?.(scopeOf(call), path) ?? null;
  } catch {
    return null;
  }
}
