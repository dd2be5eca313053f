import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Ask the person a question, with choices where there are some. */
export const askUser = defineTool({
  name: "ask_user",
  description: "Ask the person a question and wait for the answer.",
  category: "interaction",
  annotations: { title: "Ask the person" },
  timeoutMs: null,
  input: z.object({
    question: z.string().min(1).max(10_000).describe("What to ask"),
    options: z
      .array(z.string().min(1).max(1000))
      .max(50)
      .optional()
      .describe("Answers to choose from; others stay possible"),
  }),
  async execute({ question, options }, { interact, signal }) {
    const choices = options === undefined || options.length === 0 ? {} : { options };
    const answer = await interact.ask({ kind: "ask", message: question, ...choices }, signal);
    return { question, answer: answer.text ?? "" };
  },
  render: ({ answer }) => answer,
});
