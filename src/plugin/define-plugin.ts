import type { PluginDefinition } from "../contract/plugin.js";

/**
 * Declare a plugin: the default export of its main file. It is checked when it is loaded.
 *
 * @example
 * export default definePlugin({ name: "weather", version: "1.0.0", tools: [forecast] });
 */
export function definePlugin<const P extends PluginDefinition>(plugin: P): P {
  return plugin;
}
