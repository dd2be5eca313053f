import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { memoryId, memoryRecord, memoryShare, toResult } from "./fields.js";

/** Promotes a memory to a pattern of the project. */
export const promoteToPattern = defineTool({
  name: "promote_to_pattern",
  description:
    "Promote a memory to a pattern of the project: a reusable way of working, visible in all later iterations. It keeps a link to its origin.",
  category: "memory",
  annotations: { title: "Promote to pattern", idempotent: true },
  examples: [{ arguments: { id: "mem-2", when_to_use: "Calls over the network." } }],
  input: z.object({
    id: memoryId,
    when_to_use: z.string().trim().min(1).max(100_000).optional().describe("When it applies."),
    share: memoryShare.describe(
      "Share it with more than before: everyone at this MCP endpoint, or everyone.",
    ),
  }),
  output: memoryRecord.extend({ created: z.boolean().describe("False if it had been promoted before.") }),
  resources: () => ({ writes: [{ lock: "memory" }] }),
  async execute({ id, when_to_use: whenToUse, share }, { store }) {
    const { memory, created } = await store.memories.promote(id, { kind: "pattern", whenToUse, share });
    return { ...toResult(memory), created };
  },
  render: ({ id, title, created }, { id: from }) =>
    created
      ? `Promoted ${from} to pattern ${id}: ${title}`
      : `${from} had already been promoted to pattern ${id}.`,
});
