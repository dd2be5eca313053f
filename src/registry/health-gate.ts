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
export class HealthGate {
  readonly #limit: number;
  readonly #firstWaitMs: number;
  #criticals = 0;
  #waits = 0;
  #reason: string | undefined;
  #probeAt = 0;

  constructor(options: HealthOptions) {
    this.#limit = options.criticalErrors ?? 5;
    this.#firstWaitMs = options.probeAfterMs ?? 30_000;
  }

  /** Why the tool is disabled, or `undefined` if it is not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** When the next probe may run. */
  get probeAt(): number {
    return this.#probeAt;
  }

  /** Count an outcome; `true` if it disables the tool. */
  record(outcome: CallOutcome, now: number): boolean {
    if (outcome !== "critical") {
      this.#criticals = 0;
      if (outcome === "ok" && this.#reason === undefined) this.#waits = 0;
      return false;
    }
    this.#criticals++;
    if (this.#criticals < this.#limit || this.#reason !== undefined) return false;
    this.shut(`${this.#criticals} critical errors in a row`, now);
    return true;
  }

  /** Disable the tool, or keep it disabled for twice as long as before. */
  shut(reason: string, now: number): void {
    this.#reason = reason;
    this.#probeAt = now + Math.min(maxWaitMs, this.#firstWaitMs * 2 ** Math.min(this.#waits, 30));
    this.#waits++;
  }

  /** Enable the tool again after a probe; the next wait stays longer until a call succeeds. */
  open(): void {
    this.#reason = undefined;
    this.#criticals = 0;
  }

  /** Forget all failures, since a person enabled the tool. */
  reset(): void {
    this.open();
    this.#waits = 0;
  }
}
