import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../files/path-text.js";

export interface ProgramSearch {
  /** The PATH of the person, as the host process has it. */
  readonly path: string | undefined;
  /** Folders that an agent can write: no program is taken from there. */
  readonly untrusted: readonly string[];
}

/** Where systems keep their own programs, looked at after the PATH. */
const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** The absolute real path of a program that no agent can have put there. */
export function findProgram(name: string, { path = "", untrusted }: ProgramSearch): string | undefined {
  const folders = [...path.split(":").filter((folder) => isAbsolute(folder)), ...systemFolders];
  for (const folder of folders) {
    const real = executable(join(folder, name));
    if (real === undefined) continue;
    // Both the name and what it leads to: a link in the workspace could lead to another program tomorrow.
    const isUnsafe = untrusted.some((root) => isWithin(real, root) || isWithin(folder, root));
    if (!isUnsafe) return real;
  }
  return undefined;
}

function executable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync(file) : undefined;
  } catch {
    return undefined;
  }
}
