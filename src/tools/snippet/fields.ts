import * as z from "zod";

export const snippetName = z.string().trim().min(1).max(200);

/** Tags to find a snippet by. */
export const tagList = z.array(z.string().trim().min(1).max(100)).max(50);

/** A snippet without its code. */
export const snippetSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  language: z.string(),
  tags: z.array(z.string()),
  version: z.number().describe("Increases with every save."),
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
});
