import * as z from "zod";

/** The name of a snippet. */
export const snippetName = z.string().trim().min(1).max(200);

/** Labels to find things by. */
export const tagList = z.array(z.string().trim().min(1).max(100)).max(50);

/** What is told of a snippet without its code. */
export const snippetSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  language: z.string(),
  tags: z.array(z.string()),
  version: z.number().describe("Counts up with every save."),
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
});
