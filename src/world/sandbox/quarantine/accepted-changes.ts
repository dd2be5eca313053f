import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync, writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "./snapshots.js";
import { makeFolder } from "../../../contract/make-folder.js";

/**
 * Changes that a rule or a person allowed: by a file tool, by restoring a held back change, or by an approved command.
 * Stored on disk, because commands of other processes may run at the same time.
 */
export interface AcceptedChanges {
  /** The current state of paths; those without a snapshot do not exist. */
  add(paths: readonly string[], snapshots: ReadonlyMap<string, Snapshot>): void;
  /** Whether the current state of the path was accepted since a point in time. */
  covers(path: string, snapshot: Snapshot | undefined, since: number): boolean;
}

/** How long a change is remembered; no foreground command runs longer, and existing paths are read-only for jobs. */
const maxAgeMs = 24 * 3600 * 1000;

export function createAcceptedChanges(dir: string, now: () => number): AcceptedChanges {
  const fileOf = (path: string): string => join(dir, createHash("sha256").update(path).digest("hex"));
  return {
    add(paths, snapshots) {
      if (paths.length === 0) return;
      makeFolder(dir, 0o700);
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
