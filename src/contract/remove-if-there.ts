import { existsSync, unlinkSync } from "node:fs";
import { errnoOf } from "./errno.js";

/** Remove a file that may not be there. Looking first costs less than the error, and `rmSync` more than both. */
export function removeIfThere(file: string): void {
  if (!existsSync(file)) return;
  try {
    unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
