import type { Extension } from "./extension.js";
import type { Log } from "./ports/log.js";
import type { SandboxAccess } from "./ports/upstream.js";
import type { Tool } from "./tool.js";

/** What a plugin's `setup` gets. */
export interface PluginSetup {
  /** The plugin's own `options` from the configuration or from `loadPlugin`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Fires when the plugin is unloaded, or takes too long to set itself up. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Undoes what `setup` did; runs when the plugin is unloaded or reloaded. */
export type PluginCleanup = () => void | Promise<void>;

/** A plugin as its author writes it: the default export of its main file. */
export interface PluginDefinition {
  /** Lowercase letters, digits and hyphens; unique within a Tenon instance. */
  readonly name: string;
  /** Semver. */
  readonly version: string;
  readonly description?: string | undefined;
  readonly tools: readonly Tool[];
  /** Hooks around tools, as `registerExtension` takes them. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Runs once before the first call; what it returns runs at the end. */
  setup?(setup: PluginSetup): void | PluginCleanup | Promise<void | PluginCleanup>;
}

/** What the process of a plugin and all that it started may use together. */
export interface PluginLimits {
  /** Bytes of memory; beyond it the process is ended and started again. @default 1073741824 (1 GiB) */
  readonly memory?: number | undefined;
  /** Processes at the same time, with its own. @default 64 */
  readonly processes?: number | undefined;
}

/** How a plugin is loaded. */
export interface PluginOptions {
  /** Load it into this process: faster, but not isolated. @default false */
  readonly inProcess?: boolean | undefined;
  /** What the plugin's `setup` gets. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Reload it when one of its files changes. @default false */
  readonly watch?: boolean | undefined;
  /** How long loading it and its `setup` may take together. @default 15000 */
  readonly timeoutMs?: number | undefined;
  /** Limits of its process; they hold on Linux, and for none that is loaded in process. */
  readonly limits?: PluginLimits | undefined;
  /** Run it in the sandbox, with this access only; not with `inProcess`. @default it runs outside, with all your permissions */
  readonly sandbox?: SandboxAccess | undefined;
}

/** A plugin that a configuration names. */
export interface PluginEntry extends PluginOptions {
  /** A file, a folder or the name of an npm package. */
  readonly path: string;
  /** `false`: it stays in the configuration and is not loaded. @default true */
  readonly enabled?: boolean | undefined;
}

/** The state of a plugin. */
export type PluginState = "loading" | "running" | "restarting" | "failed" | "disabled" | "stopped";

/** Facts about a plugin. */
export interface PluginInfo {
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** As it was named: a file, a folder or a package. */
  readonly source: string;
  readonly mode: "process" | "in-process";
  readonly state: PluginState;
  readonly tools: readonly string[];
  readonly extensions: readonly string[];
  /** Of its process, while it has one. */
  readonly pid?: number | undefined;
  /** What it may reach in the sandbox; `false` if it runs outside. */
  readonly sandbox: SandboxAccess | false;
  /** How often its process was restarted after it died. */
  readonly restarts: number;
  /** What went wrong last. */
  readonly fault?: string | undefined;
  /** What the sandbox refused it since it was loaded, in full sentences. */
  readonly notes?: readonly string[] | undefined;
}
