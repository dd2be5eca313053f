import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Waits for a number of seconds. */
export const sleepTool = defineTool({
  name: "sleep",
  description: "Wait for a number of seconds, for example until a service has started.",
  category: "system",
  annotations: { title: "Sleep", readOnly: true, idempotent: true },
  examples: [{ arguments: { duration: 1.5 } }],
  // The duration itself limits the time.
  timeoutMs: null,
  input: z.object({
    duration: z
      .number()
      .min(0)
      .max(3600, "The duration is in seconds, at most 3600 (one hour).")
      .describe("Seconds to wait, 0 to 3600; fractions are allowed."),
  }),
  output: z.object({ slept: z.number().describe("Seconds waited.") }),
  execute: async ({ duration }, { clock, signal }) => {
    signal.throwIfAborted();
    await clock.sleep(duration * 1000, signal);
    return { slept: duration };
  },
  render: ({ slept }) => `Slept ${slept} s.`,
});
