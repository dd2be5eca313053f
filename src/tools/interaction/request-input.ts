import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Ask the person for a text. */
export const requestInput = defineTool({
  name: "request_input",
  description: "Ask the person to type something in.",
  category: "interaction",
  annotations: { title: "Ask for input" },
  timeoutMs: null,
  input: z.object({
    prompt: z.string().min(1).max(10_000).describe("What to type in"),
    default: z.string().max(10_000).optional().describe("What an empty answer stands for"),
  }),
  async execute({ prompt, default: fallback }, { interact, signal }) {
    const preset = fallback === undefined ? {} : { default: fallback };
    const answer = await interact.ask({ kind: "input", message: prompt, ...preset }, signal);
    const typed = answer.text ?? "";
    return { input: typed === "" && fallback !== undefined ? fallback : typed };
  },
  render: ({ input }) => input,
});
