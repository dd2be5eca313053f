import type { RuntimeBase } from "../state/runtime-base.js";
import { homedir } from "node:os";
import { join } from "node:path";
import { userConfigDir } from "../../config/folders.js";
import { ToolDefinitionError, ToolUnavailableError } from "../../contract/errors.js";
import type { PluginEntry, PluginInfo, PluginLimits, PluginOptions } from "../../contract/plugin.js";
import type { Log } from "../../contract/ports/log.js";
import { findPlugin, type PluginLocations } from "../../plugin/find-plugin.js";
import { PluginSlot } from "../../plugin/plugin-slot.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { nearest } from "../../schema/nearest.js";
import type { TenonOptions } from "../tenon-options.js";
import type { Extensions } from "../catalogue/extensions.js";
import { createLog } from "../log/create-log.js";
import type { SandboxTrial } from "../world/observe-program.js";
import type { ProgramSandboxes } from "../world/program-sandboxes.js";
import type { InstallTarget } from "./install-plugin.js";
import { processDeps, sandboxedPlugin, slotOptions } from "./slot-options.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/** What plugins are loaded with. */
export interface PluginsOptions extends Pick<
  RuntimeBase,
  "config" | "events" | "redact" | "workspace" | "env"
> {
  readonly registry: ToolRegistry;
  readonly extensions: Extensions;
  /** Runs plugins in the sandbox. */
  readonly programs: ProgramSandboxes;
  readonly now: () => number;
  /** What the host program passed. */
  readonly options: Pick<TenonOptions, "log" | "home" | "loaded">;
  /** For tests: the grace period of a stopped call, and the first delay before a restart. */
  readonly times?: { readonly graceMs?: number; readonly restartMs?: number } | undefined;
}

/** Where the user's plugins from npm are installed. */
export function userPluginDir(env: PluginsOptions["env"], home: string): string {
  return join(userConfigDir(env, home), "plugins");
}

const optionNames: KeysOf<PluginOptions> = {
  inProcess: true,
  sandbox: true,
  options: true,
  watch: true,
  timeoutMs: true,
  limits: true,
};
const limitNames: KeysOf<PluginLimits> = { memory: true, processes: true };

/** The plugins of a runtime. Nothing is loaded until the first call, `ready` or `load`. */
export class Plugins {
  readonly #parts: PluginsOptions & { readonly log: Log; readonly target: InstallTarget };
  readonly #places: PluginLocations;
  readonly #slots = new Map<string, PluginSlot>();
  /** Configured plugins that were not found or are disabled. */
  readonly #absent: PluginInfo[] = [];
  #starting: Promise<void> | undefined;
  #started: boolean;
  #closed = false;

  constructor(parts: PluginsOptions) {
    const { config, options, registry, extensions, now, redact } = parts;
    const isDisabled = (name: string): boolean => config.tools.perTool[name]?.enabled === false;
    const log = createLog({ level: config.logLevel, sink: options.log ?? (() => {}), now, redact });
    const target = { registry, extensions, isDisabled, owners: new Map(), removers: new WeakMap() };
    this.#parts = { ...parts, log, target };
    const own = userPluginDir(parts.env, options.home ?? homedir());
    // A workspace could contain a package with a configured name: only the host program may load from there.
    const packageFolders = options.loaded === undefined ? [own, process.cwd(), parts.workspace] : [own];
    this.#places = { cwd: process.cwd(), packageFolders };
    this.#started = config.plugins.length === 0;
  }

  /** Load the configured plugins once; a broken one is reported and does not affect the others. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Resolves when the configured plugins are loaded, for a tool that is not registered yet; else `undefined`. */
  awaited(name: string): Promise<void> | undefined {
    if (this.#started) return undefined;
    const starting = this.start();
    // A registered tool need not wait for the others.
    return this.#parts.registry.has(name) ? undefined : starting;
  }

  async load(path: string, options: PluginOptions = {}): Promise<PluginInfo> {
    checkKeys(options, optionNames, "loadPlugin");
    checkKeys(options.limits, limitNames, "limits of loadPlugin");
    if (this.#closed) {
      throw new ToolUnavailableError("Tenon is closed.", { code: "RUNTIME_CLOSED", retryable: false });
    }
    refuseContradiction(path, options);
    const find = () => findPlugin(path, this.#places);
    const found = find();
    const double = this.#slots.get(found.file);
    // A failed plugin may be loaded again, with other options.
    if (double?.current !== undefined) throw taken(double.name, found.file);
    const slot = new PluginSlot(found, options, slotOptions(this.#parts, find, options));
    this.#slots.set(found.file, slot);
    try {
      await slot.load();
    } catch (error) {
      this.#parts.events.emit("PLUGIN_FAILED", { plugin: slot.name, message: (error as Error).message });
      throw error;
    }
    return slot.info();
  }

  /** Load a plugin in the sandbox once, apart from the others, and find out what it tries to use. */
  async tryInSandbox(path: string, options: PluginOptions): Promise<SandboxTrial> {
    refuseContradiction(path, options);
    const found = findPlugin(path, this.#places);
    const { tryPlugin } = await import("./try-plugin.js");
    const observer = this.#parts.programs.observe(sandboxedPlugin(found));
    return tryPlugin(found, options, { deps: processDeps(this.#parts, found), observer });
  }

  async unload(name: string): Promise<void> {
    const slot = this.#named(name);
    await slot.unload();
    this.#slots.delete(slot.file);
  }

  async reload(name: string): Promise<PluginInfo> {
    const slot = this.#named(name);
    await slot.load();
    return slot.info();
  }

  list(): readonly PluginInfo[] {
    return [...[...this.#slots.values()].map((slot) => slot.info()), ...this.#absent];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#slots.values()].map((slot) => slot.unload()));
  }

  async #start(): Promise<void> {
    const entries: readonly (string | PluginEntry)[] = this.#parts.config.plugins;
    await Promise.all(
      entries.map((entry) => this.#loadEntry(typeof entry === "string" ? { path: entry } : entry)),
    );
    this.#started = true;
  }

  async #loadEntry({ path, enabled, ...options }: PluginEntry): Promise<void> {
    const mode = options.inProcess === true ? "in-process" : "process";
    const { sandbox = false } = options;
    const absent = {
      name: path,
      source: path,
      mode,
      sandbox,
      tools: [],
      extensions: [],
      restarts: 0,
    } as const;
    if (enabled === false) {
      this.#absent.push({ ...absent, state: "disabled" });
      return;
    }
    try {
      await this.load(path, options);
    } catch (error) {
      // Closing before a plugin was loaded is not a failure.
      if (this.#closed) return;
      const { message } = error as Error;
      this.#parts.log.error(message, { plugin: path });
      const known = [...this.#slots.values()].some(({ source }) => source === path);
      if (!known) this.#absent.push({ ...absent, state: "failed", fault: message });
    }
  }

  #named(name: string): PluginSlot {
    const all = [...this.#slots.values()];
    const slot = all.find((one) => one.name === name) ?? all.find((one) => one.source === name);
    if (slot !== undefined) return slot;
    const near = nearest(
      name,
      all.map((one) => one.name),
    );
    throw new ToolDefinitionError(`Plugin "${name}" not found.`, {
      code: "PLUGIN_NOT_FOUND",
      hint: near === undefined ? "tenon.plugins() lists the loaded plugins." : `Did you mean "${near}"?`,
    });
  }
}

/** Tenon's own process is not in the sandbox. */
function refuseContradiction(path: string, { inProcess, sandbox }: PluginOptions): void {
  if (inProcess !== true || sandbox === undefined) return;
  throw new ToolDefinitionError(
    `The plugin "${path}" cannot run in Tenon's own process and in the sandbox.`,
    {
      code: "PLUGIN_INVALID",
      hint: 'Remove "inProcess" or "sandbox" from its entry.',
    },
  );
}

function taken(name: string, file: string): ToolDefinitionError {
  return new ToolDefinitionError(`The plugin "${name}" is already loaded from ${file}.`, {
    code: "NAME_TAKEN",
    hint: "Unload the other one first, or reload it.",
  });
}
