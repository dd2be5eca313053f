import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { memoryId, memoryRecord, memoryShare, toResult } from "./fields.js";

/** Promotes a memory to a decision of the project. */
export const promoteToDecision = defineTool({
  name: "promote_to_decision",
  description:
    "Promote a memory to a decision of the project, visible in all later iterations. It keeps a link to its origin.",
  category: "memory",
  annotations: { title: "Promote to decision", idempotent: true },
  examples: [{ arguments: { id: "mem-1", rationale: "It was measured." } }],
  input: z.object({
    id: memoryId,
    rationale: z.string().trim().min(1).max(100_000).optional().describe("Why it was decided."),
    share: memoryShare.describe(
      "Share it with more than before: everyone at this MCP endpoint, or everyone.",
    ),
  }),
  output: memoryRecord.extend({ created: z.boolean().describe("False if it had been promoted before.") }),
  resources: () => ({ writes: [{ lock: "memory" }] }),
  async execute({ id, rationale, share }, { store }) {
    const { memory, created } = await store.memories.promote(id, { kind: "decision", rationale, share });
    return { ...toResult(memory), created };
  },
  render: ({ id, title, created }, { id: from }) =>
    created
      ? `Promoted ${from} to decision ${id}: ${title}`
      : `${from} had already been promoted to decision ${id}.`,
});
