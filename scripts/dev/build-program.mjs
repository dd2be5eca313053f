import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Build what `tenon` needs to run, without types and console. Resolves to whether it could be built.
 * @param {string} root The project's folder.
 */
export async function buildProgram(root) {
  const child = spawn(process.execPath, ["scripts/build.mjs", "--program"], { cwd: root, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code === 0;
}
