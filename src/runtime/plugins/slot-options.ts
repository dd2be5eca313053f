import type { PluginOptions } from "../../contract/plugin.js";
import type { Log } from "../../contract/ports/log.js";
import type { OpenProgram } from "../../contract/ports/upstream.js";
import type { FoundPlugin } from "../../plugin/find-plugin.js";
import type { ProcessDeps } from "../../plugin/open-plugin-connection.js";
import { loadInProcess } from "../../plugin/load-in-process.js";
import { loadRemote } from "../../plugin/load-remote.js";
import type { LoadedPlugin } from "../../plugin/loaded-plugin.js";
import type { PluginSlot, SlotDeps } from "../../plugin/plugin-slot.js";
import { packageFolders, pluginHostFile, pluginPackages } from "./plugin-files.js";
import { installPlugin, uninstallPlugin, type InstallTarget } from "./install-plugin.js";
import { acceptPluginTool } from "./accept-plugin-tool.js";
import type { PluginsOptions } from "./plugins.js";
import { refusalNote, type SandboxedProgram } from "../world/program-sandboxes.js";
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
  const open = (found: FoundPlugin, slot: PluginSlot): Promise<LoadedPlugin> => {
    if (options.inProcess === true) {
      return loadInProcess(found, options, {
        accept: acceptPluginTool,
        packages: pluginPackages(),
        workspace,
        log,
      });
    }
    return loadRemote(found, options, { deps: processDeps(parts, found, (note) => slot.note(note)), slot });
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

/** The program that a plugin runs in, and the sandbox around it if its entry says so. */
export function processDeps(
  parts: PluginsOptions & { readonly log: Log },
  found: FoundPlugin,
  noted: (note: string) => void = () => {},
): ProcessDeps {
  const { log, workspace } = parts;
  const onNote = (note: string): void => {
    log.warn(note, { plugin: found.label });
    noted(note);
  };
  return {
    openProgram,
    confine: parts.programs.confine({
      ...sandboxedPlugin(found),
      onNote,
      onNetwork: (use) => {
        if (use.verdict === "refused") onNote(refusalNote(use, `tenon plugins sandbox ${found.source}`));
      },
    }),
    node: process.execPath,
    hostFile: pluginHostFile(),
    env: safeEnv(parts.env),
    workspace,
    log: (level, message, fields) => log[level](message, fields),
    graceMs: parts.times?.graceMs,
  };
}

/** Its own code, and the packages that every plugin gets, are visible without being granted. */
export function sandboxedPlugin(found: FoundPlugin): SandboxedProgram {
  const files = [pluginHostFile(), ...Object.values(pluginPackages())];
  return { kind: "plugin", name: found.source, programs: [...codeFolders(found), ...packageFolders(files)] };
}

/** A package finds what it depends on beside itself; a single file is alone. */
function codeFolders({ kind, file, root }: FoundPlugin): readonly string[] {
  if (kind === "file") return [file];
  const at = root.lastIndexOf("/node_modules/");
  return at === -1 ? [root] : [root.slice(0, at + "/node_modules".length)];
}
