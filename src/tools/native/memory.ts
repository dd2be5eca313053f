import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import { runMemory } from "./memory-files.js";

const path = z.string().min(1).max(1000);
const input = z.object({
  command: z.enum(["view", "create", "str_replace", "insert", "delete", "rename"]),
  path: path.optional().describe("A path below /memories."),
  view_range: z.array(z.number().int()).length(2).optional().describe("For view: first and last line."),
  file_text: z.string().max(1_000_000).optional().describe("For create."),
  old_str: z.string().optional().describe("For str_replace."),
  new_str: z.string().optional().describe("For str_replace."),
  insert_line: z.number().int().optional().describe("For insert: the line after which to insert."),
  insert_text: z.string().optional().describe("For insert."),
  old_path: path.optional().describe("For rename."),
  new_path: path.optional().describe("For rename."),
});

export type MemoryInput = z.infer<typeof input>;

/** Claude's memory: files below /memories, in the state. */
export const memory: Tool = defineTool({
  name: "memory",
  description:
    "Keep files below /memories that last between conversations: view, create, str_replace, insert, delete, rename.",
  category: "memory",
  annotations: { title: "Memory" },
  native: { provider: "anthropic", definition: { type: "memory_20250818" } },
  examples: [{ arguments: { command: "view", path: "/memories" } }],
  input,
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

/** The error for a command that lacks an argument. */
export function missingArgument(command: string, name: string): ToolValidationError {
  return new ToolValidationError(`Parameter \`${name}\` is required for command: ${command}`, {
    code: "VALUE_INVALID",
    hint: `Pass ${name} and call again.`,
    details: { argument: name },
  });
}
