import { rm } from "node:fs/promises";
import { errnoOf } from "../../../contract/errno.js";
import { runProgram } from "../run-program.js";

/**
 * Remove a folder with everything in it, even if a command left folders that their owner cannot read or paths that are
 * too long for one system call: those are left to programs, which work folder by folder.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!forPrograms.has(errnoOf(error) ?? "")) throw error;
    await runSystem("/bin/chmod", ["-R", "u+rwX", "--", path]);
    const { code, stderr } = await runSystem("/bin/rm", ["-rf", "--", path]);
    if (code !== 0)
      throw new Error(`Cannot remove ${path}: ${stderr.trim().slice(0, 500)}`, { cause: error });
  }
}

const forPrograms = new Set(["EACCES", "EPERM", "ENOTEMPTY", "ENAMETOOLONG"]);

function runSystem(file: string, args: readonly string[]): ReturnType<typeof runProgram> {
  return runProgram({ file, args, env: { PATH: "/usr/bin:/bin" }, timeoutMs: 600_000 });
}
