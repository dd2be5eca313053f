import * as z from "zod";
import { memoryKinds, memoryShares, type FoundMemory, type Memory } from "../../contract/ports/memories.js";

export const memoryId = z.string().trim().min(1).max(100).describe("Id of the memory, such as mem-12.");

export const memoryShare = z
  .enum(memoryShares)
  .optional()
  .describe("Who finds it: only its owner, everyone at this MCP endpoint, or everyone.");

/** A memory in the result of a tool. */
export const memoryRecord = z.object({
  id: z.string(),
  kind: z.enum(memoryKinds),
  layer: z.enum(["iteration", "project"]),
  iterationId: z.string(),
  title: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  createdAt: z.number().describe("Unix milliseconds."),
  agent: z.string(),
  status: z.enum(["open", "resolved"]).optional(),
  resolution: z.string().optional(),
  resolvedAt: z.number().optional(),
  origin: z.string().optional().describe("The memory that this one was promoted from."),
  rationale: z.string().optional(),
  whenToUse: z.string().optional(),
  promotedTo: z.array(z.string()).optional(),
  principal: z.string().optional().describe("The only one who finds it."),
  endpoint: z.string().optional().describe("The MCP endpoint at which it is found."),
  score: z.number().optional().describe("How well it matches; 1 is the best match of this result."),
});

/** A memory as a result. The cast drops `readonly`: results are not modified. */
export function toResult(memory: Memory | FoundMemory): z.infer<typeof memoryRecord> {
  return memory as z.infer<typeof memoryRecord>;
}
