import type { Extension, HookCall } from "../contract/extension.js";
import type { Tool } from "../contract/tool.js";
import { ToolError } from "../contract/errors.js";
import type { GetConnection } from "./remote-tool.js";
import { extensionData, pickMembers, toolData, type ExtensionManifest, type HookName } from "./protocol.js";

/** An extension whose hooks run in a plugin's process; the caller enforces the time limit. */
export function createRemoteExtension(manifest: ExtensionManifest, getConnection: GetConnection): Extension {
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
