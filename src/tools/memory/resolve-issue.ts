import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { memoryId, memoryRecord, toResult } from "./fields.js";

export const resolveIssue = defineTool({
  name: "resolve_issue",
  description: "Mark a saved issue as resolved and store how it was solved.",
  category: "memory",
  annotations: { title: "Resolve issue" },
  examples: [{ arguments: { id: "mem-3", resolution: "Each run takes a free port." } }],
  input: z.object({
    id: memoryId,
    resolution: z.string().trim().min(1).max(100_000).describe("How it was solved."),
  }),
  output: memoryRecord,
  resources: () => ({ writes: [{ lock: "memory" }] }),
  execute: async ({ id, resolution }, { store }) => toResult(await store.memories.resolve(id, resolution)),
  render: ({ id, title }) => `Resolved ${id}: ${title}`,
});
