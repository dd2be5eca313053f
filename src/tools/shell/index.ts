import type { Tool } from "../../contract/tool.js";
import { createCommitResult } from "./commit-result.js";
import { discardResult } from "./discard-result.js";
import { createShellExec } from "./shell-exec.js";
import { shellInput } from "./shell-input.js";
import { shellJobs } from "./shell-jobs.js";
import { shellKill } from "./shell-kill.js";
import { shellOutput } from "./shell-output.js";

/** The tools for commands, background jobs and held back changes. */
export function createShellTools(): readonly Tool[] {
  return [
    createShellExec(),
    shellOutput,
    shellInput,
    shellKill,
    shellJobs,
    createCommitResult(),
    discardResult,
  ];
}
