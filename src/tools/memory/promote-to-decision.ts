import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { memoryId, memoryRecord, toResult } from "./fields.js";

/** Lifts a memory to a decision of the project. */
export const promoteToDecision = defineTool({
  name: "promote_to_decision",
  description:
    "Make a memory a decision of the project, seen in every later iteration; it keeps the link to its origin.",
  category: "memory",
  annotations: { title: "Promote to decision", idempotent: true },
  examples: [{ arguments: { id: "mem-1", rationale: "It was measured." } }],
  input: z.object({
    id: memoryId,
    rationale: z.string().trim().min(1).max(100_000).optional().describe("Why it was decided."),
  }),
  output: memoryRecord.extend({ created: z.boolean().describe("False where it was promoted before.") }),
  resources: () => ({ writes: [{ lock: "memory" }] }),
  async execute({ id, rationale }, { store }) {
    const { memory, created } = await store.memories.promote(id, { kind: "decision", rationale });
    return { ...toResult(memory), created };
  },
  render: ({ id, title, created }, { id: from }) =>
    created ? `${from} is now the decision ${id}: ${title}` : `${from} was made the decision ${id} before.`,
});
