import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
} from "node:fs";
import path from "node:path";
import { isSameFile } from "./file-stat.js";
import type { Handle, Opener } from "./opener.js";

/** macOS: refuse a link in any component. Node has no constant for it. */
const O_NOFOLLOW_ANY = 0x20000000;

/**
 * Open by name, for macOS, Windows and a Linux without /proc: the name is resolved, its device and inode
 * are recorded, and both are compared again after opening and around each change.
 *
 * A race remains: another process that swaps a directory for a link and back, both between two checks that
 * are microseconds apart, can redirect a change of a name (create, rename, unlink). Reads cannot be
 * misled on macOS (O_NOFOLLOW_ANY), elsewhere only by a file with the same device and inode, which is the same file.
 */
export function portableOpener(platform: NodeJS.Platform): Opener {
  return {
    kind: "portable",
    open: (absolute) => toHandle(absolute, platform),
    openChild: (parent, name) => {
      const absolute = path.join(parent.real, name.toString());
      // The directory's path is real already, and a link is opened itself: there is nothing to resolve.
      return toHandle(absolute, platform, absolute);
    },
  };
}

function toHandle(absolute: string, platform: NodeJS.Platform, known?: string): Handle {
  const stat = lstatSync(absolute, { bigint: true });
  // Windows resolves names without case and in short form: ask how the name is really written.
  const real = known ?? (stat.isSymbolicLink() ? absolute : realpathSync.native(absolute));
  const holds = (): boolean => stillThere(real, stat);
  return {
    real,
    stat,
    self: real,
    at: ((name: string | Buffer) => path.join(real, name.toString())) as Handle["at"],
    reopen: (flags) => reopen(real, stat, flags | noFollow(platform)),
    changedNs: () => lstatSync(real, { bigint: true }).ctimeNs,
    isInPlace: holds,
    close: () => undefined,
  };
}

function noFollow(platform: NodeJS.Platform): number {
  if (platform === "win32") return 0;
  const any = platform === "darwin" ? O_NOFOLLOW_ANY : 0;
  return constants.O_NOFOLLOW | constants.O_NONBLOCK | any;
}

function reopen(real: string, expected: BigIntStats, flags: number): number {
  const fd = openSync(real, flags);
  try {
    if (isSameFile(fstatSync(fd, { bigint: true }), expected) && stillThere(real, expected)) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  throw Object.assign(new Error("changed while it was opened"), { code: "ESTALE" });
}

function stillThere(real: string, expected: BigIntStats): boolean {
  try {
    if (!isSameFile(lstatSync(real, { bigint: true }), expected)) return false;
    return expected.isSymbolicLink() || realpathSync.native(real) === real;
  } catch {
    return false;
  }
}
