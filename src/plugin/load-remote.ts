import type { PluginOptions } from "../contract/plugin.js";
import type { FoundPlugin } from "./find-plugin.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { openPluginConnection, type ProcessDeps } from "./open-plugin-connection.js";
import type { PluginConnection } from "./plugin-connection.js";
import type { PluginSlot } from "./plugin-slot.js";
import { createRemoteTool, type GetConnection } from "./remote-tool.js";
import type { Extension, HookCall } from "../contract/extension.js";
import type { Tool } from "../contract/tool.js";
import { ToolError } from "../contract/errors.js";
import { extensionData, pickMembers, toolData, type ExtensionManifest, type HookName } from "./protocol.js";

interface RemotePlugin extends LoadedPlugin {
  readonly connection: PluginConnection;
}

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

/** An extension whose hooks run in a plugin's process; the caller enforces the time limit. */
function createRemoteExtension(manifest: ExtensionManifest, getConnection: GetConnection): Extension {
  const has = new Set(manifest.hooks);
  const reached = async () => getConnection();
  const told = (hook: HookName) => (tool: Tool) => {
    // Nobody waits for it; a process that is gone has heard enough.
    reached()
      .then((connection) => connection.hook({ extension: manifest.name, hook, tool: dataOf(tool) }))
      .catch(() => undefined);
  };
  const asked = (hook: HookName) => (tool: Tool, subject: unknown, call: HookCall) => {
    const { callId, sessionId, taskId, agent, userId, parentCallId, signal } = call;
    const who = { callId, sessionId, taskId, agent, userId, parentCallId };
    const params = { extension: manifest.name, hook, tool: dataOf(tool), subject, call: who };
    return reached()
      .then((connection) => connection.hook(params, signal))
      .catch((error: unknown) => {
        throw isFault(error) ? new Error(error.message, { cause: error }) : error;
      }) as Promise<never>;
  };
  return {
    ...(pickMembers(manifest, extensionData) as unknown as Extension),
    ...(has.has("onToolRegister") && { onToolRegister: told("onToolRegister") }),
    ...(has.has("onToolUnregister") && { onToolUnregister: told("onToolUnregister") }),
    ...(has.has("onToolExecute") && { onToolExecute: asked("onToolExecute") }),
    ...(has.has("onToolComplete") && { onToolComplete: asked("onToolComplete") }),
  };
}

/** A process that is gone, or a hook that broke, has not said that a call must not run. */
function isFault(error: unknown): error is ToolError {
  if (!(error instanceof ToolError)) return false;
  return error.code === "PLUGIN_LOST" || error.details?.["unexpected"] === true;
}

function dataOf(tool: Tool): Record<string, unknown> {
  return pickMembers(tool, toolData);
}
