import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new directory, in memory where the system has such a place: many tests flush at every step. */
export function tempDir(name: string): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), `tenon-${name}-`));
}
