import type { JobInfo } from "../../contract/ports/processes.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { Recorder } from "../../contract/ports/recorder.js";
import type { CallScope } from "../../contract/session.js";

export interface JobRecordOptions {
  readonly recorders: readonly Recorder[];
  readonly newId: () => string;
  readonly clock: Clock;
}

/** Record which hosts a background job reached: its call was recorded when it started, before any connection. */
export function createJobRecord({
  recorders,
  newId,
  clock,
}: JobRecordOptions): (job: JobInfo, scope: CallScope) => Promise<void> {
  return async ({ jobId, command, startedAt, network, callId: parentCallId }, { session }) => {
    if (network.length === 0) return;
    const { id: sessionId, agent, userId } = session;
    const completedAt = clock.now();
    const envelope = {
      callId: newId(),
      toolName: "job_end",
      success: true as const,
      result: { jobId, command, network: [...network] },
      startedAt,
      completedAt,
      durationMs: completedAt - startedAt,
      metadata: { sessionId, agent },
      content: [],
    };
    const owner = { sessionId, agent, userId, parentCallId, taskId: undefined, act: "job" };
    for (const recorder of recorders) await recorder.record({ ...owner, arguments: { jobId }, envelope });
  };
}
