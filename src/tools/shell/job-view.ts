import * as z from "zod";
import type { JobInfo } from "../../contract/ports/processes.js";
import { describeState } from "./shell-result.js";

/** A background job as tools show it. */
export const jobView = z.object({
  jobId: z.string(),
  command: z.string(),
  pid: z.number(),
  startedAt: z.number().describe("Unix time in milliseconds."),
  state: z.string().describe("running, waiting for input, listening on port N, or how it ended."),
  ports: z.array(z.number()).optional().describe("That it listens on."),
  exitCode: z.number().nullable().optional(),
  notes: z
    .array(z.string())
    .optional()
    .describe("What else is to be known, such as a limit that it reached."),
});

export type JobView = z.infer<typeof jobView>;

/** The input that names a job. */
export const jobInput = z.object({
  job_id: z.string().min(1).max(64).describe('As shell_exec and shell_jobs say it, such as "job_1".'),
});

/** Show a job. */
export function toJobView({ jobId, command, pid, startedAt, state, notes }: JobInfo): JobView {
  return {
    jobId,
    command,
    pid,
    startedAt,
    state: describeState(state),
    ...(state.kind === "listening" && { ports: [...state.ports] }),
    ...(state.kind === "exited" && { exitCode: state.exitCode }),
    ...(notes !== undefined && { notes: [...notes] }),
  };
}

/** A job in one line. */
export function renderJob({ jobId, state, command, notes = [] }: JobView): string {
  const [first = "", ...more] = command.split("\n");
  const line = `${jobId}: ${state}: ${first}${more.length > 0 ? " …" : ""}`;
  return [line, ...notes.map((note) => `[${note}]`)].join("\n");
}
