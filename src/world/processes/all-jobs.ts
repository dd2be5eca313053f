import type { JobInfo, JobInput } from "../../contract/ports/processes.js";
import { Jobs } from "./jobs.js";
import type { OutputPart } from "./recent-output.js";

/** A job, and the session that it belongs to. */
export interface OwnedJob extends JobInfo {
  readonly sessionId: string;
}

/** The jobs of all sessions. */
export interface AllJobs {
  list(): Promise<readonly OwnedJob[]>;
  /** What a job wrote after a position; takes nothing from what its session reads. */
  follow(sessionId: string, jobId: string, since: number): OutputPart;
  type(sessionId: string, jobId: string, input: JobInput): Promise<JobInfo>;
  kill(sessionId: string, jobId: string): Promise<JobInfo>;
}

/** The jobs of sessions, by the id of the session. */
export function createAllJobs(jobs: ReadonlyMap<string, Jobs>): AllJobs {
  // Looking for a job must not make a session.
  const known = (sessionId: string): Jobs => jobs.get(sessionId) ?? new Jobs();
  return {
    async list() {
      const all = await Promise.all(
        [...jobs].map(async ([sessionId, own]) => (await own.list()).map((job) => ({ ...job, sessionId }))),
      );
      return all.flat();
    },
    follow: (sessionId, jobId, since) => known(sessionId).follow(jobId, since),
    type: async (sessionId, jobId, input) => known(sessionId).type(jobId, input),
    kill: async (sessionId, jobId) => known(sessionId).kill(jobId),
  };
}
