import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { toolCategories } from "../../contract/tool.js";

const output = z.object({
  query: z.string(),
  total: z.number().describe("How many tools match."),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        category: z.enum(toolCategories),
        parameters: z.array(z.string()).describe("Names of the arguments, the required ones first."),
      }),
    )
    .describe("Best match first."),
});

/** Finds tools in a catalogue that is too large to list in full. */
export const toolSearch = defineTool({
  name: "tool_search",
  description:
    "Find tools by describing what they should do. Returns names and arguments; describe_tool shows one tool in full.",
  category: "system",
  annotations: { title: "Find tools", readOnly: true, idempotent: true },
  examples: [{ arguments: { query: "rename a file" } }, { arguments: { query: "", category: "memory" } }],
  input: z.object({
    query: z
      .string()
      .max(1000)
      .describe("What the tool should do, in words. An empty query lists all tools."),
    category: z.enum(toolCategories).optional().describe("Only tools of this category."),
    limit: z.number().int().min(1).max(100).default(10).describe("Maximum number of tools to return."),
  }),
  output,
  execute: ({ query, category, limit }, { tools }) => {
    const { tools: found, total } = tools.search(query, { category, limit });
    return { query, total, tools: found.map((tool) => ({ ...tool, parameters: [...tool.parameters] })) };
  },
  render({ tools, total }) {
    if (tools.length === 0) return "No tool matches. Try other words, or an empty query to list all tools.";
    const lines = tools.map(
      ({ name, parameters, description }) => `${name}(${parameters.join(", ")}): ${description}`,
    );
    return [...lines, ...(total > tools.length ? [`[${total - tools.length} more match]`] : [])].join("\n");
  },
});
