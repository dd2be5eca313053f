import type { Tool } from "../../contract/tool.js";
import { shellExec } from "./shell-exec.js";
import { shellJobs } from "./shell-jobs.js";
import { shellKill } from "./shell-kill.js";
import { shellOutput } from "./shell-output.js";

/** The tools for commands and background jobs. */
export const shellTools: readonly Tool[] = [shellExec, shellOutput, shellKill, shellJobs];
