import type { PluginOptions } from "../contract/plugin.js";
import type { FoundPlugin } from "./find-plugin.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { openLine, type ProcessParts } from "./open-line.js";
import type { PluginLine } from "./plugin-line.js";
import type { PluginSlot } from "./plugin-slot.js";
import { createRemoteExtension } from "./remote-extension.js";
import { createRemoteTool } from "./remote-tool.js";

/** A plugin in a process of its own. */
interface RemotePlugin extends LoadedPlugin {
  readonly line: PluginLine;
}

/** Load a plugin into a process of its own. */
export async function loadRemote(
  found: FoundPlugin,
  options: PluginOptions,
  { parts, slot }: { readonly parts: ProcessParts; readonly slot: PluginSlot },
): Promise<LoadedPlugin> {
  const state: { loaded?: RemotePlugin } = {};
  const line = await openLine(found, options, {
    parts,
    events: {
      onLost: (_, reason) => {
        if (state.loaded !== undefined) slot.lost(state.loaded, reason);
      },
    },
  });
  const lineOf = (): PluginLine | Promise<PluginLine> =>
    line.gone === undefined ? line : successorOf(line, slot);
  const { name, version, description, tools, extensions } = line.manifest;
  const loaded: RemotePlugin = {
    line,
    name,
    version,
    description,
    tools: tools.map((tool) => createRemoteTool(tool, lineOf)),
    extensions: extensions.map((extension) => createRemoteExtension(extension, lineOf)),
    get pid() {
      return line.pid;
    },
    idle: (graceMs) => line.idle(graceMs),
    close: (reason) => line.close(reason),
  };
  state.loaded = loaded;
  return loaded;
}

/** A tool whose process is gone asks the one that took its place; the old one says why there is none. */
async function successorOf(line: PluginLine, slot: PluginSlot): Promise<PluginLine> {
  await slot.settled();
  const current = slot.current as Partial<RemotePlugin> | undefined;
  return current?.line?.gone === undefined ? (current?.line ?? line) : line;
}
