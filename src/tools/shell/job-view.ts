import * as z from "zod";
import type { JobInfo } from "../../contract/ports/processes.js";
import { heldBackList, heldBackOf, heldBackNote } from "./held-back.js";
import { refusedNotes } from "./network-notes.js";
import { networkPart, networkResult } from "./network-argument.js";
import { describeState } from "./shell-result.js";

/** A background job in a result. */
export const jobView = z.object({
  jobId: z.string(),
  command: z.string(),
  pid: z.number(),
  startedAt: z.number().describe("Unix time in milliseconds."),
  state: z.string().describe("running, waiting for input, listening on port N, or how it ended."),
  ports: z.array(z.number()).optional().describe("Ports that it listens on."),
  exitCode: z.number().nullable().optional(),
  ...heldBackList,
  ...networkResult,
  notes: z.array(z.string()).optional().describe("Further remarks, such as a limit that it reached."),
});

export type JobView = z.infer<typeof jobView>;

/** The input field that selects a job. */
export const jobInput = z.object({
  job_id: z.string().min(1).max(64).describe('The id from shell_exec or shell_jobs, such as "job_1".'),
});

/** Convert a job to a result. */
export function toJobView(job: JobInfo): JobView {
  const { jobId, command, pid, startedAt, state, notes = [] } = job;
  const allNotes = [...refusedNotes(job.network), ...notes];
  return {
    jobId,
    command,
    pid,
    startedAt,
    state: describeState(state),
    ...(state.kind === "listening" && { ports: [...state.ports] }),
    ...(state.kind === "exited" && { exitCode: state.exitCode }),
    ...(allNotes.length > 0 && { notes: allNotes }),
    ...networkPart(job.network),
    ...heldBackOf(job.callId, job.heldBack),
  };
}

/** A job as text for the model. */
export function renderJob(job: JobView): string {
  const { jobId, state, command, notes = [] } = job;
  const [first = "", ...more] = command.split("\n");
  const line = `${jobId}: ${state}: ${first}${more.length > 0 ? " …" : ""}`;
  return [...heldBackNote(job), line, ...notes.map((note) => `[${note}]`)].join("\n");
}
