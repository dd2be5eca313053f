import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { jobInput, jobView, renderJob, toJobView } from "./job-view.js";
import { labelled } from "./shell-result.js";

/** Gives what a background job wrote since it was last asked for. */
export const shellOutput = defineTool({
  name: "shell_output",
  description: "Read what a background job wrote since it was last asked for, and what it does now.",
  category: "shell",
  annotations: { title: "Job output", readOnly: true },
  examples: [{ arguments: { job_id: "job_1" } }],
  input: jobInput,
  output: jobView.extend({
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().describe("More came than is shown."),
    outputFile: z.string().optional().describe("Handle under which read_result finds the whole output."),
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
      stdout.trimEnd() || (stderr.trim() === "" ? "(nothing new)" : ""),
      labelled("stderr", stderr),
      outputFile === undefined ? "" : `[the whole output: read_result {"handle":"${outputFile}"}]`,
    ]
      .filter((part) => part !== "")
      .join("\n"),
});
