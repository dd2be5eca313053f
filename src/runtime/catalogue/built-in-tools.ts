import type { Tool } from "../../contract/tool.js";
import type { ToolMakers } from "../../contract/tool-makers.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
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
 * Register the built-in tools together with those that the models of some providers were trained on. One that has the name
 * of a built-in tool is a later version of it, so that sessions without native tools still have the other.
 */
export function registerTools(registry: ToolRegistry, native: readonly NativeProvider[]): void {
  const added = createNativeTools(native);
  if (added.length === 0) return registry.registerOnUse(builtInToolMakers());
  const names = new Set(added.map(({ name }) => name));
  registry.registerMany([...createBuiltInTools().map((tool) => withoutAliases(tool, names)), ...added]);
}

function withoutAliases(tool: Tool, taken: ReadonlySet<string>): Tool {
  if (tool.aliases?.some((alias) => taken.has(alias)) !== true) return tool;
  return { ...tool, aliases: tool.aliases.filter((alias) => !taken.has(alias)) };
}

/** All built-in tools; each Tenon has its own instances, because some keep state. */
export const createBuiltInTools = (): readonly Tool[] =>
  Object.values(builtInToolMakers()).map((make) => make());

/** The same, each made when it is first needed. */
export const builtInToolMakers = (): ToolMakers => ({
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
});
