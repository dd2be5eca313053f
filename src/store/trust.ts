import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, errnoOf } from "../contract/errno.js";
import type { Clock } from "../contract/ports/clock.js";
import type { TrustedWorkspace, TrustStore } from "../contract/ports/state.js";
import { isThere, privateDirectory, workspaceKey } from "./state-dir.js";
import { toStateError } from "./state-error.js";
import { systemClock } from "../contract/system-clock.js";

/** The trusted workspaces, one small file each: readable without a database and replaced by rename. */
export function openTrust(stateDir: string, clock: Clock = systemClock): TrustStore {
  const dir = join(stateDir, "trust");
  const fileOf = (workspace: string): string => join(dir, `${workspaceKey(realPath(workspace))}.json`);
  return {
    async isTrusted(workspace, digest) {
      const found = readTrusted(fileOf(workspace));
      return found?.workspace === realPath(workspace) && found.digest === digest;
    },
    async trust(workspace, digest) {
      const entry: TrustedWorkspace = { workspace: realPath(workspace), digest, trustedAt: clock.now() };
      try {
        privateDirectory(stateDir);
        privateDirectory(dir);
        replaceWhole(fileOf(workspace), `${JSON.stringify(entry, undefined, 2)}\n`);
      } catch (error) {
        throw toStateError(error, dir);
      }
    },
    async distrust(workspace) {
      const file = fileOf(workspace);
      if (!isThere(file)) return false;
      rmSync(file, { force: true });
      return true;
    },
    async list() {
      return names(dir)
        .filter((name) => name.endsWith(".json"))
        .map((name) => readTrusted(join(dir, name)))
        .filter((entry) => entry !== undefined)
        .toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1));
    },
  };
}

/** The content of a file; an unreadable file trusts nothing. */
function readTrusted(file: string): TrustedWorkspace | undefined {
  const found = attempt(() => JSON.parse(readFileSync(file, "utf8")));
  if (found === undefined) return undefined;
  if (typeof found !== "object" || found === null) return undefined;
  const { workspace, digest, trustedAt } = found as Record<string, unknown>;
  if (typeof workspace !== "string" || typeof digest !== "string" || typeof trustedAt !== "number") {
    return undefined;
  }
  return { workspace, digest, trustedAt };
}

function replaceWhole(file: string, text: string): void {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    writeFileSync(partial, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw toStateError(error, dir);
  }
}

/** A workspace that is gone can still be distrusted by the path it had. */
function realPath(workspace: string): string {
  return attempt(() => realpathSync.native(workspace)) ?? workspace;
}
