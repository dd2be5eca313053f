import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { Tool } from "../../contract/tool.js";
import { runMemory } from "./memory-files.js";
import { memoryInput, type MemoryInput } from "./memory-input.js";

/** Claude's memory: files below /memories, in the state. */
export const memory: Tool = defineTool({
  name: "memory",
  description:
    "Store files below /memories that persist between conversations: view, create, str_replace, insert, delete, rename.",
  category: "memory",
  annotations: { title: "Memory" },
  native: { provider: "anthropic", definition: { type: "memory_20250818" } },
  examples: [{ arguments: { command: "view", path: "/memories" } }],
  input: memoryInput,
  output: z.object({ output: z.string() }),
  resources: ({ command }) => {
    const lock = [{ lock: "memories" }];
    return command === "view" ? { reads: lock } : { writes: lock };
  },
  execute: async (call, { store }) => ({ output: await runMemory(withPath(call), store) }),
  render: ({ output }) => output,
});

/** A view without a path shows all; every other command needs its own. */
function withPath(call: MemoryInput): MemoryInput {
  return call.command === "view" && call.path === undefined ? { ...call, path: "/memories" } : call;
}
