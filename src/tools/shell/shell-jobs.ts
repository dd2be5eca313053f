import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { jobView, renderJob, toJobView } from "./job-view.js";

/** Lists the background jobs of the session. */
export const shellJobs = defineTool({
  name: "shell_jobs",
  description: "List the background jobs of this session and their current state.",
  category: "shell",
  annotations: { title: "List jobs", readOnly: true, idempotent: true },
  examples: [{ arguments: {} }],
  input: z.object({}),
  output: z.object({ count: z.number(), jobs: z.array(jobView) }),
  async execute(_input, { processes }) {
    const jobs = (await processes.jobs()).map(toJobView);
    return { count: jobs.length, jobs };
  },
  render: ({ jobs }) => (jobs.length === 0 ? "No background jobs." : jobs.map(renderJob).join("\n")),
});
