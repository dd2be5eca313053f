import type { ToolDescription } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";

/** What is known of a tool without running it. */
export function describeEntry({ tool, name, version, aliases, input, output }: ToolEntry): ToolDescription {
  return {
    name,
    version,
    description: tool.description,
    category: tool.category,
    aliases,
    annotations: tool.annotations ?? {},
    inputSchema: input.jsonSchema,
    ...(output !== undefined && { outputSchema: output.jsonSchema }),
    ...(tool.examples !== undefined && { examples: tool.examples }),
    ...(tool.definition !== undefined && { definition: tool.definition }),
    ...(tool.native !== undefined && { native: tool.native }),
  };
}
