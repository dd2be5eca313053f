import type { Tool } from "../../contract/tool.js";
import { snippetTools } from "../../tools/snippet/index.js";
import { planningTools } from "../../tools/planning/index.js";
import { memoryTools } from "../../tools/memory/index.js";
import { codeTools } from "../../tools/code/index.js";
import { controlTools } from "../../tools/control/index.js";
import { artifactTools } from "../../tools/artifact/index.js";
import { dataTools } from "../../tools/data/index.js";
import { createFileTools } from "../../tools/file/index.js";
import { interactionTools } from "../../tools/interaction/index.js";
import { networkTools } from "../../tools/network/index.js";
import { createShellTools } from "../../tools/shell/index.js";
import { createNativeTools } from "../../tools/native/index.js";
import type { NativeProvider } from "../../tools/native/providers.js";
import { systemTools } from "../../tools/system/index.js";

/**
 * The built-in tools together with those that the models of some providers were trained on. One that has the name of a
 * built-in tool is a later version of it, so that sessions without native tools still have the other.
 */
export function createTools(native: readonly NativeProvider[]): readonly Tool[] {
  const added = createNativeTools(native);
  if (added.length === 0) return createBuiltInTools();
  const names = new Set(added.map(({ name }) => name));
  return [...createBuiltInTools().map((tool) => withoutAliases(tool, names)), ...added];
}

function withoutAliases(tool: Tool, taken: ReadonlySet<string>): Tool {
  if (tool.aliases?.some((alias) => taken.has(alias)) !== true) return tool;
  return { ...tool, aliases: tool.aliases.filter((alias) => !taken.has(alias)) };
}

/** All built-in tools; each Tenon has its own instances, because some keep state. */
export const createBuiltInTools = (): readonly Tool[] => [
  ...systemTools,
  ...dataTools,
  ...interactionTools,
  ...networkTools,
  ...createShellTools(),
  ...createFileTools(),
  ...codeTools,
  ...snippetTools,
  ...planningTools,
  ...artifactTools,
  ...controlTools,
  ...memoryTools,
];
