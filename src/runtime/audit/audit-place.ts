import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import { findUnsettled } from "../../record/audit/segment-files.js";
import {
  currentProcess,
  livenessOf,
  toIdentity,
  type ProcessIdentity,
} from "../../store/process-identity.js";
import { openStateDir, workspaceKey } from "../../store/state-dir.js";

interface PlaceOptions {
  readonly config: Pick<ResolvedConfig, "database">;
  readonly stateDir: string;
  readonly workspace: string;
}

/** Where the log lies. */
export interface AuditPlace {
  readonly dir: string;
  /** Make the folder above it; throws where that cannot be done. */
  make(): void;
  /** Where nothing is to last, nothing does. */
  remove(): void;
}

/** Find the place without touching it. */
export function openPlace(options: PlaceOptions): AuditPlace {
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

/** Whether a process died and left a segment of the log behind; a look at a few names, no more. */
export function hasUnsettled(options: PlaceOptions): boolean {
  if (options.config.database === ":memory:") return false;
  return findUnsettled({ dir: dirOf(options), isAlive: createIsAlive(currentProcess()) }).length > 0;
}

/** Tells whether the process of an owner's text may still live. */
export function createIsAlive(self: ProcessIdentity): (owner: string) => boolean {
  return (owner) => {
    try {
      return livenessOf(toIdentity(owner), self, "sqlite") !== "dead";
    } catch {
      return false; // killed before it could write its name
    }
  };
}

function dirOf({ stateDir, workspace }: PlaceOptions): string {
  return join(stateDir, workspaceKey(realOf(workspace)), "audit");
}

/** A workspace that is not there has no log, and whoever opens its state is told so. */
function realOf(workspace: string): string {
  try {
    return realpathSync.native(workspace);
  } catch {
    return workspace;
  }
}
