import { ToolInternalError } from "../contract/errors.js";
import type { HealthReport, ToolState } from "../contract/lifecycle.js";
import type { Clock } from "../contract/ports/clock.js";
import type { Tool } from "../contract/tool.js";
import type { Validator } from "../schema/compile-schema.js";
import { type Block, toUnavailable } from "./block.js";
import { checkHealth } from "./check-health.js";
import { type CallOutcome, type LifeParts, ToolLife } from "./tool-life.js";
import type { Lifecycle } from "./lifecycle.js";
import { messageOf } from "../contract/message-of.js";
import { withinTime } from "../contract/system-clock.js";

/** What the registry hands to an entry: the checked tool and what belongs to it. */
export interface EntryParts extends LifeParts {
  readonly input: Validator;
  readonly output: Validator | undefined;
  /** The tool's own switch, asked at every call. */
  readonly isEnabled: (() => boolean) | undefined;
}

/** One version of a registered tool: its validators, its state and its running calls. */
export class ToolEntry {
  readonly tool: Tool;
  readonly name: string;
  readonly version: string;
  readonly aliases: readonly string[];
  readonly dependsOn: readonly string[];
  /** @internal All tools that it calls, required or optional. */
  readonly calls: readonly string[];
  /** @internal */
  readonly input: Validator;
  /** @internal */
  readonly output: Validator | undefined;
  /** @internal The entry that took this one's place: a call that has not begun should go there. */
  successor: ToolEntry | undefined;
  readonly #isEnabled: (() => boolean) | undefined;
  readonly #clock: Pick<Clock, "now">;
  readonly #life: ToolLife;
  readonly #plain: boolean;
  #initialising: Promise<void> | undefined;
  #checking: Promise<HealthReport> | undefined;

  /** @internal */
  constructor(parts: EntryParts) {
    this.tool = parts.tool;
    this.name = parts.tool.name;
    this.version = parts.version;
    this.aliases = parts.tool.aliases ?? [];
    this.dependsOn = parts.tool.dependsOn ?? [];
    this.calls = [...this.dependsOn, ...(parts.tool.optionalDependsOn ?? [])];
    this.input = parts.input;
    this.output = parts.output;
    this.#isEnabled = parts.isEnabled;
    this.#clock = parts.clock;
    this.#life = new ToolLife(parts);
    this.#plain = parts.isEnabled === undefined && this.dependsOn.length === 0;
  }

  get state(): ToolState {
    return this.#life.lifecycle.state;
  }

  /** @internal Its state and past changes, also after it has left. */
  get lifecycle(): Pick<Lifecycle, "state" | "history"> {
    return this.#life.lifecycle;
  }

  /** Calls between `begin` and `end`, those that wait for `init` included. */
  get running(): number {
    return this.#life.running;
  }

  /** @internal Whether it can be used without further checks. */
  get open(): boolean {
    return this.#plain && !this.#life.shut;
  }

  /** The reason a person gave when disabling it, or `undefined` while it is enabled. */
  get disabledBecause(): string | undefined {
    return this.#life.off;
  }

  /** @internal Why it cannot be used now, apart from its dependencies. */
  block(): Block | undefined {
    const fixed = this.#life.shut ? this.#life.block() : undefined;
    if (fixed !== undefined || this.#isEnabled === undefined) return fixed;
    try {
      return this.#isEnabled() ? undefined : { code: "TOOL_DISABLED", reason: "reports that it is disabled" };
    } catch (error) {
      return { code: "TOOL_DISABLED", reason: `cannot say whether it is enabled (${messageOf(error)})` };
    }
  }

  /** @internal A call starts. Waits only where `init` or a health check has to run first. */
  begin(): undefined | Promise<void> {
    const life = this.#life;
    if (!life.warm || life.shut) return this.#beginSlowly();
    if (life.running++ === 0) life.lifecycle.move("Executing");
    return undefined;
  }

  /** @internal A call ended; the last one settles the state. */
  end(outcome: CallOutcome): void {
    const life = this.#life;
    if (life.running === 0)
      throw new ToolInternalError(`A call of "${this.name}" ended that had not started.`);
    life.running--;
    life.judge(outcome);
    if (life.running > 0) return;
    if (!life.troubled) life.lifecycle.move("Ready");
    if (life.troubled) life.settle();
  }

  /** @internal Run `init` now, again where it failed before. */
  async initialize(): Promise<void> {
    const life = this.#life;
    if (life.warm) return;
    if (life.off !== undefined || life.leaving) throw this.#refusal();
    if (this.tool.init === undefined) life.warmUp();
    else await this.#initialize();
  }

  /** @internal Refuse new calls at once; running ones end first. */
  disable(reason: string): void {
    this.#life.switch(reason);
  }

  /** @internal Allow calls again, and forget past faults. */
  enable(): void {
    this.#life.switch(undefined);
  }

  /** @internal Unregister: no new calls, running ones end, then `dispose`. */
  retire(reason: string, successor?: ToolEntry): Promise<void> {
    this.successor ??= successor;
    return this.#life.leave(reason);
  }

  /** @internal Run the tool's own health check, never two at once; a good one brings back a tool that was taken out. */
  check(): Promise<HealthReport> {
    this.#checking ??= this.#runCheck();
    return this.#checking;
  }

  #refusal(): Error {
    const block = this.#life.block() ?? { code: "TOOL_UNHEALTHY", reason: "is being probed" };
    return toUnavailable(this.name, block, this.#clock.now());
  }

  #beginSlowly(): undefined | Promise<void> {
    const life = this.#life;
    if (life.shut && life.block() !== undefined) throw this.#refusal();
    if (!life.warm) {
      if (this.tool.init !== undefined) return this.#beginAfter(this.#initialize());
      life.warmUp();
      return this.begin();
    }
    if (this.tool.healthCheck !== undefined) return this.#beginAfter(this.check());
    life.trial = true;
    life.running++;
    this.#enter();
    return undefined;
  }

  /** The call counts as running while it waits, so that the tool is not disposed meanwhile. */
  async #beginAfter(step: Promise<unknown>): Promise<void> {
    const life = this.#life;
    life.running++;
    try {
      await step;
      if (life.off !== undefined || life.gate.reason !== undefined) throw this.#refusal();
    } catch (error) {
      life.running--;
      life.settle();
      throw error;
    }
    this.#enter();
  }

  #enter(): void {
    const { lifecycle } = this.#life;
    if (lifecycle.state === "Disabled") lifecycle.move("Ready", "probe");
    if (lifecycle.state === "Ready") lifecycle.move("Executing");
  }

  #initialize(): Promise<void> {
    this.#initialising ??= this.#runInit();
    return this.#initialising;
  }

  async #runInit(): Promise<void> {
    const life = this.#life;
    life.probes++;
    life.lifecycle.move("Initializing");
    try {
      await withinTime(() => this.tool.init?.(), life.limitMs, "init");
      life.warm = true;
      life.gate.open();
      life.lifecycle.move("Ready");
    } catch (error) {
      life.gate.shut(`its start failed (${messageOf(error)})`, this.#clock.now());
      life.lifecycle.move("Failed", messageOf(error));
    }
    life.probes--;
    this.#initialising = undefined;
    life.refresh();
    if (!life.warm) throw this.#refusal();
  }

  async #runCheck(): Promise<HealthReport> {
    const life = this.#life;
    const probe = life.warm && life.gate.reason !== undefined && this.tool.healthCheck !== undefined;
    if (probe) life.probes++;
    const report = await checkHealth(this, life.limitMs);
    this.#checking = undefined;
    if (!probe) return report;
    life.probes--;
    const now = this.#clock.now();
    if (report.status === "healthy") life.gate.open();
    else if (life.gate.probeAt <= now) life.gate.shut(`a failed probe (${report.message})`, now);
    life.refresh();
    return report;
  }
}
