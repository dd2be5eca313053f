import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { jobInput, jobView, renderJob, toJobView } from "./job-view.js";
import { withLabel } from "./shell-result.js";
import { waitForJob } from "./wait-for-job.js";

/** Reads the new output of a background job. */
export const shellOutput = defineTool({
  name: "shell_output",
  description: "Read the output of a background job since the last call, and its current state.",
  category: "shell",
  annotations: { title: "Job output", readOnly: true },
  timeoutMs: null,
  examples: [
    { arguments: { job_id: "job_1" } },
    {
      description: "Wait until a server accepts connections",
      arguments: { job_id: "job_1", wait_for: "listening", timeout: 20_000 },
    },
  ],
  input: jobInput.extend({
    wait_for: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'Wait for this first: "listening", "exit", or a regular expression that a line of the output matches.',
      ),
    timeout: z
      .number()
      .int()
      .min(1)
      .max(600_000)
      .default(30_000)
      .describe("Milliseconds to wait at most, for wait_for."),
  }),
  output: jobView.extend({
    stdout: z.string(),
    stderr: z.string(),
    truncated: z.boolean().describe("Whether there was more output than is returned."),
    met: z
      .boolean()
      .optional()
      .describe("For wait_for: whether it happened before the job ended or the time was over."),
    outputFile: z.string().optional().describe("Handle of the complete output for read_result."),
  }),
  async execute({ job_id, wait_for, timeout }, ctx) {
    const wait = { waitFor: wait_for, timeoutMs: timeout };
    const { stdout, stderr, truncated, handle, met, ...job } = await waitForJob(job_id, wait, ctx);
    return {
      ...toJobView(job),
      stdout,
      stderr,
      truncated,
      ...(met !== undefined && { met }),
      ...(handle !== undefined && { outputFile: handle }),
    };
  },
  render: ({ stdout, stderr, outputFile, met, ...job }, { wait_for }) =>
    [
      renderJob(job),
      met === false ? `[${wait_for} did not happen in time]` : "",
      stdout.trimEnd() || (stderr.trim() === "" ? "(no new output)" : ""),
      withLabel("stderr", stderr),
      outputFile === undefined ? "" : `[complete output: read_result {"handle":"${outputFile}"}]`,
    ]
      .filter((part) => part !== "")
      .join("\n"),
});
