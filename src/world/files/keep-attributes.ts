import { type BigIntStats, fchmodSync, fchownSync, fstatSync } from "node:fs";
import { errnoOf } from "./file-errors.js";

/** What a new file takes over. */
export interface Attributes {
  /** The file whose place it takes. */
  readonly replaced: BigIntStats | null;
  readonly mode: number | undefined;
}

/**
 * Mode and owner of what it replaces, where the system and the file system let us; what they refuse
 * leaves the file more closed, never more open. As on any write, set-id bits are dropped.
 */
export function keepAttributes(fd: number, { replaced, mode }: Attributes): void {
  if (replaced !== null) keepOwner(fd, { uid: Number(replaced.uid), gid: Number(replaced.gid) });
  if (mode !== undefined) ifPermitted(() => fchmodSync(fd, mode & 0o777));
}

function keepOwner(fd: number, owner: { uid: number; gid: number }): void {
  const now = fstatSync(fd);
  if (now.uid === owner.uid && now.gid === owner.gid) return;
  if (ifPermitted(() => fchownSync(fd, owner.uid, owner.gid))) return;
  ifPermitted(() => fchownSync(fd, now.uid, owner.gid));
}

function ifPermitted(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (["EPERM", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}
