import type { Tool } from "../../contract/tool.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { estimateTokens } from "../../text/estimate-tokens.js";

/** About as many tokens as the definition of a tool is to a model; `undefined` where there is no such tool. */
export type DefinitionTokens = (toolName: string) => number | undefined;

/** Count the tokens of definitions as MCP lists them; each is counted once. */
export function createDefinitionTokens(registry: ToolRegistry): DefinitionTokens {
  const known = new WeakMap<Tool, number>();
  return (toolName) => {
    const tool = registry.get(toolName);
    const described = tool === undefined ? undefined : registry.describe(toolName);
    if (tool === undefined || described === undefined) return undefined;
    const counted = known.get(tool);
    if (counted !== undefined) return counted;
    const { name, description, inputSchema } = described;
    const tokens = estimateTokens(JSON.stringify({ name, description, inputSchema }));
    known.set(tool, tokens);
    return tokens;
  };
}
