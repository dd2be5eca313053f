import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Asks the user for a text. */
export const requestInput = defineTool({
  name: "request_input",
  description: "Ask the user to enter a text.",
  category: "interaction",
  annotations: { title: "Ask for input" },
  timeoutMs: null,
  input: z.object({
    prompt: z.string().min(1).max(10_000).describe("What to enter."),
    default: z.string().max(10_000).optional().describe("The value that an empty answer stands for."),
  }),
  output: z.object({ input: z.string() }),
  async execute({ prompt, default: fallback }, { interact, signal }) {
    const preset = fallback === undefined ? {} : { default: fallback };
    const answer = await interact.ask({ kind: "input", message: prompt, ...preset }, signal);
    const typed = answer.text ?? "";
    return { input: typed === "" && fallback !== undefined ? fallback : typed };
  },
  render: ({ input }) => input,
});
