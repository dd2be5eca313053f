import type { ReplayOptions, ReplayParts, ReplayReport } from "./replay.js";

/** Runs a recorded task again. */
export type Replay = (taskId: string, options?: ReplayOptions) => Promise<ReplayReport>;

/** Prepare replays; what they need is loaded with the first one. */
export function createReplay(parts: ReplayParts): Replay {
  return async (taskId, options) => (await import("./replay.js")).replayTask(parts, taskId, options);
}
