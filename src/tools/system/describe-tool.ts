import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

const schema = z.record(z.string(), z.unknown());

export const describeTool = defineTool({
  name: "describe_tool",
  description:
    "Describe one tool in full: what it does, JSON Schemas of its arguments and result, and examples.",
  category: "system",
  annotations: { title: "Describe a tool", readOnly: true, idempotent: true },
  examples: [{ arguments: { name: "edit_file" } }],
  input: z.object({ name: z.string().min(1).max(256).describe("A tool name, an alias, or name@range.") }),
  output: z.object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    category: z.string(),
    aliases: z.array(z.string()),
    annotations: schema,
    inputSchema: schema,
    outputSchema: schema.optional(),
    examples: z.array(z.unknown()).optional(),
  }),
  execute: ({ name }, { tools }) => {
    const { aliases, annotations, inputSchema, outputSchema, examples, ...rest } = tools.describe(name);
    return {
      ...rest,
      aliases: [...aliases],
      annotations: { ...annotations },
      inputSchema: { ...inputSchema },
      ...(outputSchema !== undefined && { outputSchema: { ...outputSchema } }),
      ...(examples !== undefined && { examples: [...examples] }),
    };
  },
});
