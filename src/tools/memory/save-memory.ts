import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { SavedKind } from "../../contract/ports/memories.js";
import { memoryRecord, memoryShare, toResult } from "./fields.js";

/** What differs between the tools that save memories. */
export interface SaveMemory {
  readonly name: string;
  readonly kind: SavedKind;
  readonly title: string;
  readonly description: string;
  readonly example: { readonly title: string; readonly content: string; readonly tags?: string[] };
}

/** Define a tool that saves one kind of memory in the current iteration. */
export function defineSaveMemory({ name, kind, title, description, example }: SaveMemory) {
  return defineTool({
    name,
    description,
    category: "memory",
    annotations: { title },
    examples: [{ arguments: { ...example } }],
    input: z.object({
      title: z.string().trim().min(1).max(500).describe("A one-line title."),
      content: z.string().trim().min(1).max(100_000).describe("The full text."),
      tags: z.array(z.string().trim().min(1).max(100)).max(50).default([]).describe("Labels to find it by."),
      share: memoryShare,
    }),
    output: memoryRecord,
    resources: () => ({ writes: [{ lock: "memory" }], reads: [{ lock: "pipeline" }] }),
    execute: async (memory, { store }) => toResult(await store.memories.save({ kind, ...memory })),
    render: ({ id, iterationId }) => `Saved the ${kind} as ${id} in ${iterationId}.`,
  });
}
