import type { ToolMakers } from "../../contract/tool-makers.js";
import { createCommitResult } from "./commit-result.js";
import { discardResult } from "./discard-result.js";
import { createShellExec } from "./shell-exec.js";
import { shellInput } from "./shell-input.js";
import { shellJobs } from "./shell-jobs.js";
import { shellKill } from "./shell-kill.js";
import { shellOutput } from "./shell-output.js";

/** The tools for commands, background jobs and held back changes. */
export function createShellTools(): ToolMakers {
  return {
    shell_exec: () => createShellExec(),
    shell_output: () => shellOutput,
    shell_input: () => shellInput,
    shell_kill: () => shellKill,
    shell_jobs: () => shellJobs,
    commit_result: () => createCommitResult(),
    discard_result: () => discardResult,
  };
}
