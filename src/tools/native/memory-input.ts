import * as z from "zod";

const path = z.string().min(1).max(1000);
/** The arguments of Claude's memory tool. */
export const memoryInput = z.object({
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

export type MemoryInput = z.infer<typeof memoryInput>;
