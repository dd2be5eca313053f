import { ToolDefinitionError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { compileSchema } from "../schema/compile-schema.js";
import type { CheckedTool } from "./check-plugin.js";

/** What the registry's own check does, as far as these tests need it. */
export function acceptFixture(like: unknown): CheckedTool {
  const tool = like as Tool;
  if (tool.description === "") throw new ToolDefinitionError(`Tool "${tool.name}" has no description.`);
  return { tool, input: compileSchema(tool.input), output: undefined };
}
