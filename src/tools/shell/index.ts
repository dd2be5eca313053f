import type { Tool } from "../../contract/tool.js";
import { createShellExec } from "./shell-exec.js";
import { shellJobs } from "./shell-jobs.js";
import { shellKill } from "./shell-kill.js";
import { shellOutput } from "./shell-output.js";

/** The tools for commands and background jobs. */
export function createShellTools(): readonly Tool[] {
  return [createShellExec(), shellOutput, shellKill, shellJobs];
}
