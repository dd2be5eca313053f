import type { ToolState } from "../contract/lifecycle.js";
import type { Clock } from "../contract/ports/clock.js";
import type { Tool } from "../contract/tool.js";
import type { Block } from "./block.js";
import { type TransitionWatch, Lifecycle } from "./lifecycle.js";
import { messageOf } from "../contract/message-of.js";
import { withinTime } from "../contract/system-clock.js";

export interface LifeParts {
  readonly tool: Tool;
  readonly version: string;
  readonly clock: Pick<Clock, "now">;
  readonly watch: TransitionWatch;
  readonly health: HealthOptions;
}

/** What blocks one tool version, and its state. Owned by its entry. */
export class ToolLife {
  readonly lifecycle: Lifecycle;
  readonly gate: HealthGate;
  /** Limit of `init`, `dispose` and `healthCheck`. */
  readonly limitMs: number;
  /** Calls between begin and end. */
  running = 0;
  /** `init` is done, or there is none and the tool was needed. */
  warm = false;
  /** How many steps that may bring the tool back (`init`, a probe) are under way. */
  probes = 0;
  /** One call is running to see whether the tool works again. */
  trial = false;
  /** Whether `block` must be checked before a new call. */
  shut = false;
  #off: string | undefined;
  #gone: string | undefined;
  #critical = false;
  #settling = false;
  #disposing = false;
  #leaving: Promise<void> | undefined;
  #left: (() => void) | undefined;
  readonly #tool: Tool;
  readonly #clock: Pick<Clock, "now">;

  constructor(parts: LifeParts) {
    const { tool, version, clock, watch, health } = parts;
    this.#tool = tool;
    this.#clock = clock;
    this.gate = new HealthGate(health);
    this.limitMs = health.initTimeoutMs ?? 30_000;
    this.lifecycle = new Lifecycle({ name: tool.name, version }, clock, watch);
  }

  /** The reason a person gave, or `undefined` while nobody disabled it. */
  get off(): string | undefined {
    return this.#off;
  }

  get leaving(): boolean {
    return this.#gone !== undefined;
  }

  /** Whether the end of the running calls needs more than the step to Ready. */
  get troubled(): boolean {
    return this.#critical || this.shut;
  }

  /** Disable the tool with a reason, or enable it with `undefined`. */
  switch(off: string | undefined): void {
    this.#off = off;
    if (off === undefined) this.gate.reset();
    this.refresh();
  }

  /** Leave once no call runs: dispose, then Unregistered. */
  leave(reason: string): Promise<void> {
    this.#gone ??= reason;
    this.#leaving ??= new Promise((resolve) => (this.#left = resolve));
    this.refresh();
    return this.#leaving;
  }

  /** Why no call can begin now. */
  block(): Block | undefined {
    if (this.#gone !== undefined) return { code: "TOOL_DISABLED", reason: this.#gone };
    if (this.#off !== undefined) {
      return {
        code: "TOOL_DISABLED",
        reason: this.#off === "" ? "is disabled" : `is disabled: ${this.#off}`,
      };
    }
    const { reason, probeAt } = this.gate;
    if (reason === undefined || this.probes > 0) return undefined;
    const out = `was disabled after ${reason}`;
    if (this.trial) return { code: "TOOL_UNHEALTHY", reason: `${out} and another call is testing it` };
    if (probeAt > this.#clock.now()) return { code: "TOOL_UNHEALTHY", reason: out, availableAt: probeAt };
    // A trial call needs the tool for itself, or its outcome could be another call's.
    const alone = this.running === 0 || this.#tool.healthCheck !== undefined || !this.warm;
    return alone ? undefined : { code: "TOOL_UNHEALTHY", reason: `${out} and still has running calls` };
  }

  /** Count how a call ended; the state is settled by the last one. */
  judge(outcome: CallOutcome): void {
    const critical = outcome === "critical";
    if (critical) this.#critical = true;
    const now = critical ? this.#clock.now() : 0;
    const mayChange = critical || this.trial;
    if (this.trial) {
      this.trial = false;
      if (critical) this.gate.shut("another critical error", now);
      else this.gate.open();
    }
    this.gate.record(outcome, now);
    if (mayChange) this.shut = this.#isShut();
  }

  /** A tool without `init` is ready as soon as it is needed. */
  warmUp(): void {
    this.warm = true;
    this.lifecycle.move("Initializing");
    this.lifecycle.move("Ready");
    this.settle();
  }

  refresh(): void {
    this.shut = this.#isShut();
    this.settle();
  }

  /** Move, by legal transitions, to the right state once no call runs. Listeners may change which one that is. */
  settle(): void {
    if (this.#settling || this.lifecycle.moving) return;
    this.#settling = true;
    try {
      while (this.running === 0 && this.#step());
    } finally {
      this.#settling = false;
    }
  }

  #isShut(): boolean {
    return this.#off !== undefined || this.#gone !== undefined || this.gate.reason !== undefined;
  }

  /** One transition; `false` if there is none left to make. */
  #step(): boolean {
    const { state } = this.lifecycle;
    if (state === "Unregistered" || state === "Initializing") return false;
    if (state === "Executing") return this.#stopExecuting();
    if (this.#gone !== undefined) return this.#depart(state);
    if (state === "Error") return this.#go(this.shut ? "Disabled" : "Ready");
    if (state === "Ready") return this.shut && this.#go("Disabled");
    if (state === "Disabled") return !this.shut && this.#go("Ready");
    // Without init it can move on to Disabled. With init it stays Registered, and `shut` keeps calls out.
    if (state !== "Registered" || !this.shut || this.#tool.init !== undefined) return false;
    this.warmUp();
    return true;
  }

  #stopExecuting(): boolean {
    const critical = this.#critical;
    this.#critical = false;
    return critical ? this.#go("Error", "unexpected error") : this.#go("Ready");
  }

  #go(to: ToolState, reason?: string): boolean {
    const why = this.#off === undefined ? this.gate.reason : this.#off || undefined;
    this.lifecycle.move(to, to === "Disabled" ? why : reason);
    return true;
  }

  /** Dispose, then unregister. A tool that was never started has nothing to dispose. */
  #depart(state: ToolState): boolean {
    const untouched = state === "Registered" && this.#tool.init !== undefined;
    if (this.#tool.dispose === undefined || untouched) {
      this.#end();
      return false;
    }
    if (!this.#disposing) void this.#dispose();
    return false;
  }

  async #dispose(): Promise<void> {
    this.#disposing = true;
    let fault: string | undefined;
    try {
      await withinTime(() => this.#tool.dispose?.(), this.limitMs, "dispose");
    } catch (error) {
      fault = `dispose failed: ${messageOf(error)}`;
    }
    this.#end(fault);
  }

  #end(reason?: string): void {
    this.lifecycle.move("Unregistered", reason);
    this.#left?.();
  }
}

/** When a tool is disabled for its errors, and how long until it is tried again. */
export interface HealthOptions {
  /** Critical errors in a row that disable a tool. @default 5 */
  readonly criticalErrors?: number | undefined;
  /** Wait before the first probe; it doubles up to ten minutes. @default 30000 */
  readonly probeAfterMs?: number | undefined;
  /** Limit of `init`, `dispose` and `healthCheck`. @default 30000 */
  readonly initTimeoutMs?: number | undefined;
}

/** How a call ended, as far as the tool's health is concerned. */
export type CallOutcome = "ok" | "failed" | "critical";

const maxWaitMs = 600_000;

/** Counts critical errors in a row and keeps a tool disabled until its next probe. */
class HealthGate {
  readonly #limit: number;
  readonly #firstWaitMs: number;
  #criticals = 0;
  #waits = 0;
  /** Why the tool is disabled, or `undefined` if it is not. */
  reason: string | undefined;
  /** When the next probe may run. */
  probeAt = 0;

  constructor(options: HealthOptions) {
    this.#limit = options.criticalErrors ?? 5;
    this.#firstWaitMs = options.probeAfterMs ?? 30_000;
  }

  /** Count an outcome; `true` if it disables the tool. */
  record(outcome: CallOutcome, now: number): boolean {
    if (outcome !== "critical") {
      this.#criticals = 0;
      if (outcome === "ok" && this.reason === undefined) this.#waits = 0;
      return false;
    }
    this.#criticals++;
    if (this.#criticals < this.#limit || this.reason !== undefined) return false;
    this.shut(`${this.#criticals} critical errors in a row`, now);
    return true;
  }

  /** Disable the tool, or keep it disabled for twice as long as before. */
  shut(reason: string, now: number): void {
    this.reason = reason;
    this.probeAt = now + Math.min(maxWaitMs, this.#firstWaitMs * 2 ** Math.min(this.#waits, 30));
    this.#waits++;
  }

  /** Enable the tool again after a probe; the next wait stays longer until a call succeeds. */
  open(): void {
    this.reason = undefined;
    this.#criticals = 0;
  }

  /** Forget all failures, since a person enabled the tool. */
  reset(): void {
    this.open();
    this.#waits = 0;
  }
}
