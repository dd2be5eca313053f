import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { join, resolve } from "node:path";
import { errnoOf } from "../contract/errno.js";
import { ToolResourceNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import { toStateError } from "./state-error.js";
import { makeFolder } from "../contract/make-folder.js";

/** The directory of one workspace's state, and the workspace's real path. */
export interface StateDir {
  readonly dir: string;
  readonly workspace: string;
}

/** Make (or find) the private directory for a workspace's state, named after its real path. */
export function openStateDir(stateDir: string, workspace: string): StateDir {
  const real = realWorkspace(workspace);
  try {
    refuseKernelTree(stateDir);
    privateDirectory(stateDir);
    const dir = join(stateDir, workspaceKey(real));
    privateDirectory(dir);
    return { dir, workspace: real };
  } catch (error) {
    throw toStateError(error, stateDir);
  }
}

/** The real path of a workspace, which can be deleted at any time. */
export function realWorkspace(workspace: string): string {
  try {
    return realpathSync.native(workspace);
  } catch (cause) {
    throw new ToolResourceNotFoundError(`Workspace "${workspace}" not found.`, {
      cause,
      hint: "Use an existing folder as the workspace.",
    });
  }
}

/** Directories cannot be created below these, and the kernel's error does not help. */
function refuseKernelTree(stateDir: string): void {
  if (!/^\/(?:proc|sys)(?:\/|$)/.test(resolve(stateDir))) return;
  throw new ToolUnavailableError(
    `The state directory cannot be in ${stateDir}, which belongs to the kernel.`,
    {
      code: "STATE_UNAVAILABLE",
      hint: "Choose another state directory (TENON_STATE_DIR).",
      retryable: false,
    },
  );
}

/** The name of a workspace's state: a hash of its real path. */
export function workspaceKey(realPath: string): string {
  return createHash("sha256").update(realPath).digest("hex").slice(0, 32);
}

/** A directory that only its owner can enter; one that others could is closed to them. */
export function privateDirectory(dir: string): void {
  const known = lstatSync(dir, { throwIfNoEntry: false });
  const found = known?.isDirectory() === true ? known : newDirectory(dir);
  if (found.isSymbolicLink()) return refuseForeignLink(dir);
  if ((found.mode & 0o077) !== 0) chmodSync(dir, 0o700);
}

function newDirectory(dir: string): Stats {
  makeFolder(dir, 0o700);
  return lstatSync(dir);
}

/** Create a file for its owner only, before others could ever open it; an existing one is closed to them. */
export function privateFile(file: string): void {
  const fd = openSync(file, constants.O_CREAT | constants.O_RDWR, 0o600);
  try {
    if (process.platform !== "win32") fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

/** A person may link the state directory elsewhere; a link of another user is a trap. */
function refuseForeignLink(dir: string): void {
  const mine = process.getuid?.();
  if (mine === undefined || [mine, 0].includes(lstatSync(dir).uid)) return;
  throw new ToolUnavailableError(
    `The state directory ${dir} is a symbolic link that belongs to another user.`,
    {
      code: "STATE_UNAVAILABLE",
      hint: "Remove the link or choose another state directory (TENON_STATE_DIR).",
      retryable: false,
    },
  );
}

export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return false;
    throw error;
  }
}
