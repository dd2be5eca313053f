import { checkPlugin, type AcceptTool, type CheckedPlugin } from "../check-plugin.js";
import { pluginError } from "../plugin-error.js";
import { describePlugin } from "../describe-plugin.js";
import { importError } from "../import-error.js";
import { loadModule } from "../load-module.js";
import { setUp } from "../set-up.js";
import type {
  AskToolParams,
  CallAnswer,
  CallMeta,
  HookParams,
  OpenParams,
  PluginManifest,
} from "../protocol.js";
import { createLog } from "./remote-context.js";
import { createToolRunner } from "./run-tool.js";
import type { ContextRequests } from "./context-requests.js";
import type { HookCall } from "../../contract/extension.js";

export interface OpenedPlugin {
  readonly plugin: CheckedPlugin;
  readonly manifest: PluginManifest;
  call(name: string, input: unknown, meta: CallMeta, signal: AbortSignal): Promise<CallAnswer>;
  askTool(params: AskToolParams, signal: AbortSignal): Promise<unknown>;
  hook(params: HookParams, signal: AbortSignal): Promise<unknown>;
  cancel(key: string): void;
  close(): Promise<void>;
}

export interface OpenDeps {
  readonly accept: AcceptTool;
  readonly packages: Readonly<Record<string, string>>;
  readonly requests: ContextRequests;
}

/** Import a plugin, check it and let it set itself up. */
export async function openPlugin(params: OpenParams, deps: OpenDeps): Promise<OpenedPlugin> {
  const { label, workspace, options, timeoutMs } = params;
  const plugin = checkPlugin(await importPlugin(params, deps), label, deps.accept);
  refuseUnportable(plugin);
  // Described before `setup` runs: a plugin that cannot be shown need not start anything.
  const manifest = describePlugin(plugin);
  const log = createLog((...args) => deps.requests.note("", "log", args));
  const close = await setUp(plugin, { options, workspace, log, timeoutMs });
  const runner = createToolRunner(plugin, { requests: deps.requests, workspace });
  return {
    plugin,
    manifest,
    call: (...call) => runner.call(...call),
    askTool: (params, signal) => runner.ask(params, signal),
    hook: (hook, signal) => runHook(plugin, hook, signal),
    cancel: (key) => runner.cancel(key),
    async close() {
      await runner.dispose();
      await close();
    },
  };
}

async function importPlugin({ file, root, label }: OpenParams, { packages }: OpenDeps): Promise<unknown> {
  try {
    return await loadModule(file, { root, packages, fresh: false });
  } catch (error) {
    throw importError(label, error);
  }
}

function refuseUnportable(plugin: CheckedPlugin): void {
  const faults = plugin.extensions
    .filter(({ extendTool }) => extendTool !== undefined)
    .map(
      ({ name }) => `its extension "${String(name)}" has extendTool, which only works with inProcess: true`,
    );
  if (faults.length > 0) throw pluginError(plugin.name, faults);
}

type AnyHook = (tool: unknown, subject: unknown, call: HookCall) => unknown;

async function runHook(
  { extensions }: CheckedPlugin,
  { extension: name, hook, tool, subject, call }: HookParams,
  signal: AbortSignal,
): Promise<unknown> {
  const extension = extensions.find((one) => one["name"] === name);
  const run = extension?.[hook] as AnyHook | undefined;
  return run?.call(extension, tool, subject, { ...(call as HookCall), signal });
}
