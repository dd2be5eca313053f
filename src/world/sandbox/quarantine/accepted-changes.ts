import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "./snapshots.js";

/**
 * Changes that a rule or a person let happen: by a file tool, by giving back what was held, by a command that
 * was consented to. Kept on disk, since commands of other processes may run at the same time.
 */
export interface AcceptedChanges {
  /** Paths as they are now; those without a snapshot are gone. */
  add(paths: readonly string[], snapshots: ReadonlyMap<string, Snapshot>): void;
  /** Whether what lies at the path now was accepted since a moment. */
  covers(path: string, snapshot: Snapshot | undefined, since: number): boolean;
}

/** The longest that a change is remembered; no foreground command lasts longer, and jobs mount what exists read-only. */
const maxAgeMs = 24 * 3600 * 1000;

export function createAcceptedChanges(dir: string, now: () => number): AcceptedChanges {
  const fileOf = (path: string): string => join(dir, createHash("sha256").update(path).digest("hex"));
  return {
    add(paths, snapshots) {
      if (paths.length === 0) return;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(dir)) {
        const found = statSync(join(dir, name), { throwIfNoEntry: false });
        if (found !== undefined && now() - found.mtimeMs > maxAgeMs) rmSync(join(dir, name), { force: true });
      }
      for (const path of paths)
        writeFileSync(fileOf(path), snapshots.get(path)?.stamp ?? "", { mode: 0o600 });
    },
    covers(path, snapshot, since) {
      const file = fileOf(path);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined || found.mtimeMs < since - 1000) return false;
      return readFileSync(file, "utf8") === (snapshot?.stamp ?? "");
    },
  };
}
