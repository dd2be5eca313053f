import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { jobInput, jobView, renderJob, toJobView } from "./job-view.js";
import { withLabel } from "./shell-result.js";

/** Reads the new output of a background job. */
export const shellOutput = defineTool({
  name: "shell_output",
  description: "Read the output of a background job since the last call, and its current state.",
  category: "shell",
  annotations: { title: "Job output", readOnly: true },
  examples: [{ arguments: { job_id: "job_1" } }],
  input: jobInput,
  output: jobView.extend({
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().describe("Whether there was more output than is returned."),
    outputFile: z.string().optional().describe("Handle of the complete output for read_result."),
  }),
  async execute({ job_id }, { processes }) {
    const { stdout, stderr, truncated, handle, ...job } = await processes.output(job_id);
    return {
      ...toJobView(job),
      stdout,
      stderr,
      truncated,
      ...(handle !== undefined && { outputFile: handle }),
    };
  },
  render: ({ stdout, stderr, outputFile, ...job }) =>
    [
      renderJob(job),
      stdout.trimEnd() || (stderr.trim() === "" ? "(no new output)" : ""),
      withLabel("stderr", stderr),
      outputFile === undefined ? "" : `[complete output: read_result {"handle":"${outputFile}"}]`,
    ]
      .filter((part) => part !== "")
      .join("\n"),
});
