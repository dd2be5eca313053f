import type { PluginInfo, PluginOptions, PluginState } from "../contract/plugin.js";
import { ToolUnavailableError } from "../contract/errors.js";
import { pluginError } from "./plugin-error.js";
import type { FoundPlugin } from "./find-plugin.js";
import type { LoadedPlugin } from "./loaded-plugin.js";
import { watchFiles } from "./watch-files.js";

/** What a slot needs from the runtime. */
export interface SlotDeps {
  /** Look for the plugin again: its main file may be another one now. */
  readonly find: () => FoundPlugin;
  /** Start it. `onLost` is told when it ends by itself; `current` is the one that answers now. */
  readonly open: (found: FoundPlugin, slot: PluginSlot) => Promise<LoadedPlugin>;
  /** Put its tools in the place of the old ones, or throw and leave all as it was. */
  readonly install: (fresh: LoadedPlugin, old: LoadedPlugin | undefined) => void;
  /** Take its tools away; resolves when their calls have ended. */
  readonly uninstall: (loaded: LoadedPlugin) => Promise<void>;
  readonly onFault: (plugin: string, message: string) => void;
  /** How long calls of an old process may go on after a reload. @default 60000 */
  readonly graceMs?: number | undefined;
  /** The first wait before a process is restarted; it doubles. @default 200 */
  readonly restartMs?: number | undefined;
}

const maxRestarts = 8;
const maxWaitMs = 30_000;
/** Calls wait for a restart that comes so soon; else they are answered at once. */
const maxHoldMs = 1000;
/** Who ran so long was well: the next fault is a first one. */
const steadyMs = 60_000;

/** A plugin that is refused more has enough of them to show what it lacks. */
const maxNotes = 20;

/** The life of one plugin: loading, reloading under load, restarts, the end. */
export class PluginSlot {
  readonly source: string;
  /** Its main file when it was first found. */
  readonly file: string;
  readonly options: PluginOptions;
  readonly #parts: SlotDeps;
  readonly #leaving = new Set<Promise<void>>();
  #loaded: LoadedPlugin | undefined;
  #label: string;
  #state: PluginState = "loading";
  #fault: string | undefined;
  readonly #notes = new Set<string>();
  #restarts = 0;
  #failures = 0;
  #startedAt = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #restarting: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;

  constructor(found: FoundPlugin, options: PluginOptions, parts: SlotDeps) {
    this.source = found.source;
    this.file = found.file;
    this.options = options;
    this.#label = found.label;
    this.#parts = parts;
  }

  get name(): string {
    return this.#loaded?.name ?? this.#label;
  }

  get current(): LoadedPlugin | undefined {
    return this.#loaded;
  }

  info(): PluginInfo {
    const {
      name,
      version,
      description,
      tools = [],
      extensions = [],
      pid,
    } = this.#loaded ?? { name: this.#label };
    return {
      name,
      ...(version !== undefined && { version }),
      ...(description !== undefined && { description }),
      source: this.source,
      mode: this.options.inProcess === true ? "in-process" : "process",
      sandbox: this.options.sandbox ?? false,
      state: this.#state,
      tools: tools.map((tool) => tool.name),
      extensions: extensions.map((extension) => extension.name),
      ...(pid !== undefined && this.#state === "running" && { pid }),
      restarts: this.#restarts,
      ...(this.#fault !== undefined && { fault: this.#fault }),
      ...(this.#notes.size > 0 && { notes: [...this.#notes] }),
    };
  }

  /** The sandbox refused it something. */
  note(text: string): void {
    if (this.#notes.size < maxNotes) this.#notes.add(text);
  }

  /** Load it for the first time, or again where that failed; calls of the old one end on the old one. */
  load(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#replace();
      } catch (error) {
        this.#fault = (error as Error).message;
        if (this.#loaded === undefined) this.#state = "failed";
        throw error;
      }
      this.#failures = 0;
      if (this.options.watch === true) this.#watch();
    });
  }

  /** Its process ended by itself. */
  lost(loaded: LoadedPlugin, reason: string): void {
    if (loaded !== this.#loaded || this.#state === "stopped") return;
    this.#fault = reason;
    this.#parts.onFault(this.name, `The plugin "${this.name}" ended: ${reason}`);
    if (performance.now() - this.#startedAt > steadyMs) this.#failures = 0;
    this.#restartLater();
  }

  /** Resolves when a restart that is near is over, well or not; at once where none is. */
  async settled(): Promise<void> {
    await this.#restarting;
  }

  /** Take its tools away, let its calls end, and end it. */
  async unload(): Promise<void> {
    this.#state = "stopped";
    this.#unwatch?.();
    await this.#inTurn(async () => {
      const loaded = this.#loaded;
      if (loaded !== undefined) {
        await this.#parts.uninstall(loaded);
        await loaded.close("the plugin was unloaded");
      }
      await Promise.all(this.#leaving);
    });
  }

  async #replace(): Promise<void> {
    const old = this.#loaded;
    const fresh = await this.#parts.open(this.#parts.find(), this);
    try {
      this.#refuseStopped();
      if (old !== undefined && old.name !== fresh.name) {
        throw pluginError(old.name, [`its name is now "${fresh.name}"; unload it and load it again`]);
      }
      this.#parts.install(fresh, old);
    } catch (error) {
      await fresh.close("it was refused");
      throw error;
    }
    this.#loaded = fresh;
    this.#state = "running";
    this.#fault = undefined;
    this.#startedAt = performance.now();
    if (old !== undefined) this.#dismiss(old);
  }

  /** What runs there may end; then it is closed. */
  #dismiss(old: LoadedPlugin): void {
    const left = old
      .idle(this.#parts.graceMs ?? 60_000)
      .then(() => old.close("it was replaced"))
      .catch((error: unknown) =>
        this.#parts.onFault(this.name, `"${old.name}" did not close properly: ${String(error)}`),
      )
      .then(() => void this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #restartLater(): void {
    if (this.#failures >= maxRestarts) {
      this.#state = "failed";
      this.#parts.onFault(
        this.name,
        `The plugin "${this.name}" ended ${this.#failures} times in a row and is not restarted again.`,
      );
      return;
    }
    this.#state = "restarting";
    const waitMs = Math.min((this.#parts.restartMs ?? 200) * 2 ** this.#failures++, maxWaitMs);
    const restarting = new Promise<void>((resolve) => {
      // Never taken back: calls may wait for it, and it looks whether it is still wanted.
      setTimeout(() => void this.#restart().then(resolve), waitMs).unref();
    });
    this.#restarting = waitMs <= maxHoldMs ? restarting : undefined;
  }

  async #restart(): Promise<void> {
    await this.#inTurn(async () => {
      // Somebody may have reloaded it meanwhile.
      if (this.#state !== "restarting") return;
      try {
        await this.#replace();
        this.#restarts++;
      } catch (error) {
        this.#fault = (error as Error).message;
        this.#parts.onFault(this.name, `The plugin "${this.name}" could not be restarted: ${this.#fault}`);
        if (this.#state === "restarting") this.#restartLater();
      }
    });
  }

  #watch(): void {
    this.#unwatch ??= watchFiles(this.#parts.find().root, () => {
      this.load().catch((error: Error) => this.#parts.onFault(this.name, error.message));
    });
  }

  #refuseStopped(): void {
    if (this.#state !== "stopped") return;
    throw new ToolUnavailableError(`The plugin "${this.name}" was unloaded.`, { code: "PLUGIN_LOST" });
  }

  /** One change after the other. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
