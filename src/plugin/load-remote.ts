import type { PluginOptions } from "../contract/plugin.js";
import type { FoundPlugin } from "./find-plugin.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { openPluginConnection, type ProcessDeps } from "./open-plugin-connection.js";
import type { PluginConnection } from "./plugin-connection.js";
import type { PluginSlot } from "./plugin-slot.js";
import { createRemoteExtension } from "./remote-extension.js";
import { createRemoteTool } from "./remote-tool.js";

/** A plugin in a process of its own. */
interface RemotePlugin extends LoadedPlugin {
  readonly connection: PluginConnection;
}

/** Load a plugin into a process of its own. */
export async function loadRemote(
  found: FoundPlugin,
  options: PluginOptions,
  { deps, slot }: { readonly deps: ProcessDeps; readonly slot: PluginSlot },
): Promise<LoadedPlugin> {
  const state: { loaded?: RemotePlugin } = {};
  const connection = await openPluginConnection(found, options, {
    deps,
    onLost: (reason) => {
      if (state.loaded !== undefined) slot.lost(state.loaded, reason);
    },
  });
  const getConnection = (): PluginConnection | Promise<PluginConnection> =>
    connection.gone === undefined ? connection : successorOf(connection, slot);
  const { name, version, description, tools, extensions } = connection.manifest;
  const loaded: RemotePlugin = {
    connection,
    name,
    version,
    description,
    tools: tools.map((tool) => createRemoteTool(tool, getConnection)),
    extensions: extensions.map((extension) => createRemoteExtension(extension, getConnection)),
    get pid() {
      return connection.pid;
    },
    idle: (graceMs) => connection.idle(graceMs),
    close: (reason) => connection.close(reason),
  };
  state.loaded = loaded;
  return loaded;
}

/** A tool whose process is gone asks the one that took its place; the old one says why there is none. */
async function successorOf(connection: PluginConnection, slot: PluginSlot): Promise<PluginConnection> {
  await slot.settled();
  const current = slot.current as Partial<RemotePlugin> | undefined;
  return current?.connection?.gone === undefined ? (current?.connection ?? connection) : connection;
}
