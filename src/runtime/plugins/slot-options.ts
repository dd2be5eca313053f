import type { PluginOptions } from "../../contract/plugin.js";
import type { Log } from "../../contract/ports/log.js";
import type { OpenProgram } from "../../contract/ports/upstream.js";
import type { FoundPlugin } from "../../plugin/find-plugin.js";
import { loadInProcess } from "../../plugin/load-in-process.js";
import { loadRemote } from "../../plugin/load-remote.js";
import type { LoadedPlugin } from "../../plugin/loaded-plugin.js";
import type { PluginSlot, SlotDeps } from "../../plugin/plugin-slot.js";
import { pluginHostFile, pluginPackages } from "./plugin-files.js";
import { installPlugin, uninstallPlugin, type InstallTarget } from "./install-plugin.js";
import { acceptPluginTool } from "./accept-plugin-tool.js";
import type { PluginsOptions } from "./plugins.js";
import { safeEnv } from "../world/safe-env.js";

/** Imported with the first plugin, because nothing else needs it. */
const openProgram: OpenProgram = async (spec, events) =>
  (await import("../../mcp/client/open-program.js")).openProgram(spec, events);

/** How one plugin is opened, registered and reported. */
export function slotOptions(
  parts: PluginsOptions & { readonly log: Log; readonly target: InstallTarget },
  find: () => FoundPlugin,
  options: PluginOptions,
): SlotDeps {
  const { log, workspace, target } = parts;
  const say = (level: keyof Log, message: string, fields: Readonly<Record<string, unknown>>): void => {
    log[level](message, fields);
  };
  const open = (found: FoundPlugin, slot: PluginSlot): Promise<LoadedPlugin> => {
    if (options.inProcess === true) {
      return loadInProcess(found, options, {
        accept: acceptPluginTool,
        packages: pluginPackages(),
        workspace,
        log,
      });
    }
    const started = {
      openProgram,
      node: process.execPath,
      hostFile: pluginHostFile(),
      env: safeEnv(parts.env),
      workspace,
      log: say,
      graceMs: parts.times?.graceMs,
    };
    return loadRemote(found, options, { deps: started, slot });
  };
  return {
    find,
    open,
    install: (fresh, old) => {
      installPlugin(target, fresh, old);
      const { name, version, tools } = fresh;
      parts.events.emit("PLUGIN_LOADED", { plugin: name, version, tools: tools.map((tool) => tool.name) });
    },
    uninstall: async (loaded) => {
      await uninstallPlugin(target, loaded);
      parts.events.emit("PLUGIN_UNLOADED", { plugin: loaded.name });
    },
    restartMs: parts.times?.restartMs,
    onFault: (plugin, message) => {
      log.warn(message, { plugin });
      parts.events.emit("PLUGIN_FAILED", { plugin, message });
    },
  };
}
