import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { JobInfo, JobInput } from "../../contract/ports/processes.js";
import type { AllJobs, OwnedJob } from "../../world/processes/all-jobs.js";
import type { OutputPart } from "../../world/processes/recent-output.js";
import type { RecordAction } from "../audit/audited-action.js";

/** Names one job of one session. */
export interface JobPlace {
  readonly sessionId: string;
  readonly jobId: string;
}

/** The background jobs of all sessions, as a person sees and uses them. */
export interface PersonJobs {
  list(): Promise<readonly OwnedJob[]>;
  /** What a job wrote after a position, at most its last 64 KiB; the session still reads it, too. */
  follow(job: JobPlace, since?: number): OutputPart;
  /** Type into a job; recorded, without what was typed. */
  type(job: JobPlace, input: JobInput): Promise<JobInfo>;
  /** Stop a job; recorded. */
  stop(job: JobPlace): Promise<JobInfo>;
}

/** Let a person look at jobs and use them. */
export function createPersonJobs(all: () => AllJobs | undefined, recordAction: RecordAction): PersonJobs {
  const known = (jobId: string): AllJobs => {
    const jobs = all();
    if (jobs !== undefined) return jobs;
    throw new ToolResourceNotFoundError(`Job "${jobId.slice(0, 64)}" not found.`);
  };
  return {
    list: async () => (await all()?.list()) ?? [],
    follow: ({ sessionId, jobId }, since = 0) => known(jobId).follow(sessionId, jobId, since),
    // It may be a password.
    type: ({ sessionId, jobId }, { text, end }) =>
      recordAction({
        name: "job_type",
        arguments: { session: sessionId, job: jobId, characters: text.length, ...(end === true && { end }) },
        run: () => known(jobId).type(sessionId, jobId, { text, end }),
      }),
    stop: ({ sessionId, jobId }) =>
      recordAction({
        name: "job_stop",
        arguments: { session: sessionId, job: jobId },
        run: () => known(jobId).kill(sessionId, jobId),
      }),
  };
}
