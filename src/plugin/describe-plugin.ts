import type { CheckedPlugin, CheckedTool } from "./check-plugin.js";
import {
  extensionData,
  hookNames,
  pickMembers,
  toolData,
  toolMethods,
  type ExtensionManifest,
  type PluginManifest,
  type ToolManifest,
} from "./protocol.js";

export function describePlugin(plugin: CheckedPlugin): PluginManifest {
  return {
    name: plugin.name,
    version: plugin.version,
    ...(plugin.description !== undefined && { description: plugin.description }),
    tools: plugin.tools.map(describeTool),
    extensions: plugin.extensions.map(describeExtension),
  };
}

function describeTool({ tool, input, output }: CheckedTool): ToolManifest {
  return {
    ...(pickMembers(tool, toolData) as Pick<ToolManifest, (typeof toolData)[number]>),
    inputSchema: input.jsonSchema,
    ...(output !== undefined && { outputSchema: output.jsonSchema }),
    methods: toolMethods.filter((name) => typeof tool[name] === "function"),
  };
}

function describeExtension(extension: Readonly<Record<string, unknown>>): ExtensionManifest {
  return {
    ...(pickMembers(extension, extensionData) as unknown as ExtensionManifest),
    hooks: hookNames.filter((name) => typeof extension[name] === "function"),
  };
}
