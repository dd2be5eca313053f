import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { JobInfo, JobInput } from "../../contract/ports/processes.js";
import { jobInput, jobView, renderJob, toJobView } from "./job-view.js";
import { withLabel } from "./shell-result.js";
import { keySequence, plainKey } from "./terminal-keys.js";

/** A terminal takes about this much before the program must read. */
const maxTextChars = 4000;
const maxKeys = 200;
/** Long enough for most programs to react. */
const reactionMs = 200;

const input = jobInput.extend({
  text: z
    .string()
    .max(maxTextChars, `At most ${maxTextChars} characters can be typed at once.`)
    .optional()
    .describe('Text to type. A line is sent only with "\\n" or the key enter after it.'),
  keys: z
    .array(z.string().min(1).max(40))
    .max(maxKeys)
    .optional()
    .describe('Keys to press after the text, such as ["enter"], ["down", "down", "enter"], ["ctrl-c"].'),
});

type TypedInput = z.infer<typeof input>;

/** Types into a background job. */
export const shellInput = defineTool({
  name: "shell_input",
  description:
    "Type text and keys into a background job, and return the output that follows. Jobs with pty take all keys.",
  category: "shell",
  annotations: { title: "Type into job", dangerous: true },
  examples: [
    { description: "Answer a question", arguments: { job_id: "job_1", text: "yes", keys: ["enter"] } },
    { description: "Stop a program", arguments: { job_id: "job_1", keys: ["ctrl-c"] } },
  ],
  input,
  output: jobView.extend({ stdout: z.string(), stderr: z.string(), truncated: z.boolean() }),
  // The job may be a shell, so what is denied in a command line is denied here, too.
  shellLine: ({ text = "", keys = [] }) => ({
    line: text.trim() === "" ? keys.join(" ") || ":" : text,
    dialect: "other",
  }),
  async preview(call, ctx) {
    const job = await findJob(call, ctx);
    toTyped(call, job);
    return {
      summary: "Type into a background job",
      details: { job: job.jobId, command: job.command, text: call.text, keys: call.keys },
    };
  },
  async execute(call, ctx) {
    const typed = toTyped(call, await findJob(call, ctx));
    await ctx.processes.type(call.job_id, typed);
    await ctx.clock.sleep(reactionMs, ctx.signal);
    const { stdout, stderr, truncated, ...job } = await ctx.processes.output(call.job_id);
    return { ...toJobView(job), stdout, stderr, truncated };
  },
  render: ({ stdout, stderr, ...job }) =>
    [renderJob(job), stdout.trimEnd() || "(no new output yet)", withLabel("stderr", stderr)]
      .filter((part) => part !== "")
      .join("\n"),
});

async function findJob({ job_id }: TypedInput, { processes }: ToolContext): Promise<JobInfo> {
  const jobs = await processes.jobs();
  // An unknown id is reported as for the other tools.
  return jobs.find(({ jobId }) => jobId === job_id) ?? processes.output(job_id);
}

/** The characters to send; throws for keys that do not exist or that the job cannot take. */
function toTyped({ text = "", keys = [] }: TypedInput, { pty }: JobInfo): JobInput {
  if (text === "" && keys.length === 0) {
    throw new ToolValidationError("Nothing to type: pass text or keys.", {
      code: "VALUE_INVALID",
      details: { argument: "text" },
    });
  }
  // A terminal expects what the enter key sends.
  if (pty) return { text: text.replace(/\r?\n/g, "\r") + keys.map(keySequence).join("") };
  const pressed = keys.map(plainKey);
  return {
    text: text + pressed.map((key) => key.text).join(""),
    end: pressed.some(({ end }) => end),
  };
}
