import { messageOf } from "./message-of.js";

/** Why a file that a person named cannot be used, without codes and system calls. */
export function toFileProblem(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return (typeof code === "string" ? problems[code] : undefined) ?? messageOf(error);
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EEXIST: "it exists already",
  ENOTDIR: "part of the path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many symbolic links",
};
