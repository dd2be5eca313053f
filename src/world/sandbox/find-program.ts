import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../files/path-text.js";

export interface ProgramSearch {
  /** The PATH of the host process. */
  readonly path: string | undefined;
  /** Folders that an agent can write: programs there are not used. */
  readonly untrusted: readonly string[];
}

/** System folders for programs, searched after the PATH. */
const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** The absolute real path of a program that no agent can have created. */
export function findProgram(name: string, { path = "", untrusted }: ProgramSearch): string | undefined {
  const folders = [...path.split(":").filter((folder) => isAbsolute(folder)), ...systemFolders];
  for (const folder of folders) {
    const real = executablePath(join(folder, name));
    if (real === undefined) continue;
    // Check both the link and its target: a link in the workspace could point to another program later.
    const isUnsafe = untrusted.some((root) => isWithin(real, root) || isWithin(folder, root));
    if (!isUnsafe) return real;
  }
  return undefined;
}

function executablePath(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync(file) : undefined;
  } catch {
    return undefined;
  }
}
