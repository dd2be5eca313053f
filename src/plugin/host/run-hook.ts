import type { HookCall } from "../../contract/extension.js";
import type { CheckedPlugin } from "../check-plugin.js";
import type { HookParams } from "../protocol.js";

type AnyHook = (tool: unknown, subject: unknown, call: HookCall) => unknown;

/** Run a hook of one of the plugin's extensions. */
export async function runHook(
  { extensions }: CheckedPlugin,
  { extension: name, hook, tool, subject, call }: HookParams,
  signal: AbortSignal,
): Promise<unknown> {
  const extension = extensions.find((one) => one["name"] === name);
  const run = extension?.[hook] as AnyHook | undefined;
  return run?.call(extension, tool, subject, { ...(call as HookCall), signal });
}
