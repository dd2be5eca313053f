import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Asks the user a question, with optional choices. */
export const askUser = defineTool({
  name: "ask_user",
  description: "Ask the user a question and wait for the answer.",
  category: "interaction",
  annotations: { title: "Ask the user" },
  timeoutMs: null,
  input: z.object({
    question: z.string().min(1).max(10_000).describe("The question."),
    options: z
      .array(z.string().min(1).max(1000))
      .max(50)
      .optional()
      .describe("Answers to choose from. The user may still give another answer."),
  }),
  output: z.object({ question: z.string(), answer: z.string() }),
  async execute({ question, options }, { interact, signal }) {
    const choices = options === undefined || options.length === 0 ? {} : { options };
    const answer = await interact.ask({ kind: "ask", message: question, ...choices }, signal);
    return { question, answer: answer.text ?? "" };
  },
  render: ({ answer }) => answer,
});
