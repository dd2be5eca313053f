import { defineTool } from "../../contract/define-tool.js";
import { jobInput, jobView, renderJob, toJobView } from "./job-view.js";

/** Stops a background job. */
export const shellKill = defineTool({
  name: "shell_kill",
  description: "Stop a background job and all its processes, first with SIGTERM, then with SIGKILL.",
  category: "shell",
  annotations: { title: "Stop job", idempotent: true },
  examples: [{ arguments: { job_id: "job_1" } }],
  input: jobInput,
  output: jobView,
  execute: async ({ job_id }, { processes }) => toJobView(await processes.kill(job_id)),
  render: renderJob,
});
