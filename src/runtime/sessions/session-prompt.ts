import { ToolNotFoundError } from "../../contract/errors.js";
import type { ToolDescription } from "../../contract/tool.js";
import { ToolPromptGenerator, type ToolPrompt, type ToolPromptOptions } from "../../llm/tool-prompt.js";
import { nearest } from "../../schema/nearest.js";

/** What the system prompt of a session includes. */
export interface SessionPromptOptions extends ToolPromptOptions {
  /** Only this tool, by name or alias. @default all tools of the session */
  readonly tool?: string | undefined;
}

/** The system prompt with the tools of a session, or with one of them. */
export function sessionPrompt(
  tools: readonly ToolDescription[],
  { tool, ...options }: SessionPromptOptions,
): ToolPrompt {
  const generator = new ToolPromptGenerator(options);
  if (tool === undefined) return generator.generate(tools);
  const found = tools.find(({ name, aliases }) => name === tool || aliases.includes(tool));
  if (found !== undefined) return generator.generate([found]);
  const close = nearest(
    tool,
    tools.map(({ name }) => name),
  );
  throw new ToolNotFoundError(tool, close === undefined ? {} : { hint: `Did you mean "${close}"?` });
}
