import type { PluginInfo, PluginOptions } from "../../contract/plugin.js";
import type { Plugins } from "./plugins.js";

/** The methods of a Tenon that are about plugins. */
export interface PluginMethods {
  /** Load a plugin from a file, a folder or a package, in a process of its own unless told otherwise. */
  loadPlugin(path: string, options?: PluginOptions): Promise<PluginInfo>;
  /** Take a plugin's tools away, let its calls end, end its process. */
  unloadPlugin(name: string): Promise<void>;
  /** Load a plugin again from the disk; no call is lost, and where it fails the old one stays. */
  reloadPlugin(name: string): Promise<PluginInfo>;
  /** The plugins that are loaded, failed or switched off. */
  plugins(): readonly PluginInfo[];
}

/** Make them. */
export function pluginMethods(plugins: Plugins): PluginMethods {
  return {
    loadPlugin: (path, options) => plugins.load(path, options),
    unloadPlugin: (name) => plugins.unload(name),
    reloadPlugin: (name) => plugins.reload(name),
    plugins: () => plugins.list(),
  };
}
