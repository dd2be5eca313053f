import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "../../contract/errno.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { findUnsettled } from "../../record/audit/segment-files.js";
import {
  currentProcess,
  livenessOf,
  toIdentity,
  type Liveness,
  type ProcessIdentity,
} from "../../store/process-identity.js";
import type { Ownership } from "../../store/ownership.js";
import { openStateDir, workspaceKey } from "../../store/state-dir.js";

interface LocationOptions {
  readonly config: Pick<ResolvedConfig, "database">;
  readonly stateDir: string;
  readonly workspace: string;
  readonly ownership?: Ownership | undefined;
}

/** Where the log is stored. */
export interface AuditLocation {
  readonly dir: string;
  /** Create its parent folder; throws if that fails. */
  make(): void;
  /** Delete the log of a state in memory. */
  remove(): void;
}

/** Determine the location without touching it. */
export function openLocation(options: LocationOptions): AuditLocation {
  const { config, stateDir, workspace } = options;
  if (config.database === ":memory:") {
    const dir = mkdtempSync(join(tmpdir(), "tenon-log-"));
    return { dir, make: () => {}, remove: () => rmSync(dir, { recursive: true, force: true }) };
  }
  return {
    dir: dirOf(options),
    make: () => void openStateDir(stateDir, workspace),
    remove: () => {},
  };
}

/** Whether a process died and left a segment of the log behind; reads only a few file names. */
export function hasUnsettled(options: LocationOptions): boolean {
  if (options.config.database === ":memory:") return false;
  return findUnsettled({ dir: dirOf(options), isAlive: createIsAlive(currentProcess(), options) }).length > 0;
}

/**
 * Whether the process of a segment's owner may still be running. Nobody can see into another container; but a worker that
 * owns the workspace now has found the lease of the one before over, so that one counts as gone.
 */
export function createIsAlive(
  self: ProcessIdentity,
  { ownership }: Pick<LocationOptions, "ownership"> = {},
): (owner: string) => boolean {
  const gone: readonly Liveness[] = ownership?.epoch === undefined ? ["dead"] : ["dead", "unknown"];
  return (owner) => {
    try {
      return !gone.includes(livenessOf(toIdentity(owner), self, "sqlite"));
    } catch {
      return false; // killed before it could write its identity
    }
  };
}

function dirOf({ stateDir, workspace }: LocationOptions): string {
  // A missing workspace has no log; opening its state reports it.
  const real = attempt(() => realpathSync.native(workspace)) ?? workspace;
  return join(stateDir, workspaceKey(real), "audit");
}
