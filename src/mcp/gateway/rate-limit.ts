import { ToolUnavailableError } from "../../contract/errors.js";

/** Counts the calls of a server. */
export interface RateLimit {
  /** Count a call, or throw `QUOTA_SPENT` where there were too many in the last minute. */
  count(): void;
}

const minuteMs = 60_000;

/** Allow so many calls in any minute; without a number there is no limit. */
export function createRateLimit(
  server: string,
  maxPerMinute: number | undefined,
  now: () => number,
): RateLimit {
  if (maxPerMinute === undefined) return { count: () => {} };
  const times: number[] = [];
  return {
    count() {
      const time = now();
      while (times[0] !== undefined && times[0] <= time - minuteMs) times.shift();
      const [oldest] = times;
      if (oldest !== undefined && times.length >= maxPerMinute) {
        const retryAfterMs = oldest + minuteMs - time;
        throw new ToolUnavailableError(
          `The MCP server "${server}" takes at most ${maxPerMinute} calls a minute.`,
          {
            code: "QUOTA_SPENT",
            hint: `Call again in ${Math.ceil(retryAfterMs / 1000)} s. The limit is mcpServers.${server}.maxPerMinute.`,
            details: { server, retryAfterMs },
          },
        );
      }
      times.push(time);
    },
  };
}
