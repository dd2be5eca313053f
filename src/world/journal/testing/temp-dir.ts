import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { memoryDir } from "../../../../test/setup/memory-dir.js";

/** A new directory, in memory where the system has such a place: many tests flush at every step. */
export function tempDir(name: string): string {
  return mkdtempSync(join(memoryDir(), `tenon-${name}-`));
}
