import { maxTimerMs } from "../../contract/system-clock.js";
import type { FleetConfig } from "../bus/open-bus.js";
import { callPriorities, type CallPriority } from "../protocol.js";
import type { OwnedWorkspace } from "./owned-workspace.js";
import { WaitingLine } from "./waiting-line.js";

export interface CallSlotsOptions {
  /** Calls that run at the same time. */
  readonly slots: number;
  /** Of one user or program, run and waiting. */
  readonly maxByPrincipal?: number | undefined;
  /** Calls that wait for a person: they take no slot. */
  readonly asking: () => number;
}

/** The places of a worker for calls: those of a higher priority take them first, the others in the order in which they came. */
export class CallSlots {
  readonly #options: CallSlotsOptions;
  readonly #waiting: Readonly<Record<CallPriority, WaitingLine<() => void>>> = {
    high: new WaitingLine(),
    normal: new WaitingLine(),
    low: new WaitingLine(),
  };
  readonly #byPrincipal = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #taken = 0;

  constructor(options: CallSlotsOptions) {
    this.#options = options;
    // A call may have begun to wait for a person since.
    this.#timer = setInterval(() => this.#fill(), 500);
    this.#timer.unref();
  }

  /** Wait for a place; the result gives it back, and is `undefined` where none was free in time. */
  async take(priority: CallPriority, withinMs: number): Promise<(() => void) | undefined> {
    const isTaken = await new Promise<boolean>((resolve) => {
      const giveUp = (): void => {
        leave();
        resolve(false);
      };
      const timer = setTimeout(giveUp, Math.min(withinMs, maxTimerMs)).unref();
      const leave = this.#waiting[priority].join(() => {
        clearTimeout(timer);
        resolve(true);
      });
      this.#fill();
    });
    if (!isTaken) return undefined;
    return () => {
      this.#taken -= 1;
      this.#fill();
    };
  }

  /** Count a call of a principal; `undefined` where it has too many, else what takes it off again. */
  count(principal: string): (() => void) | undefined {
    const count = this.#byPrincipal.get(principal) ?? 0;
    if (count >= (this.#options.maxByPrincipal ?? Infinity)) return undefined;
    this.#byPrincipal.set(principal, count + 1);
    return () => {
      const left = (this.#byPrincipal.get(principal) ?? 1) - 1;
      if (left === 0) this.#byPrincipal.delete(principal);
      else this.#byPrincipal.set(principal, left);
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #fill(): void {
    const { slots, asking } = this.#options;
    for (const priority of callPriorities)
      while (!this.#waiting[priority].isEmpty && this.#taken - asking() < slots) {
        this.#taken += 1;
        this.#waiting[priority].shift()?.();
      }
  }
}

export function openSlots(
  { slots, quotas }: FleetConfig,
  owned: ReadonlyMap<string, OwnedWorkspace>,
): CallSlots {
  const asking = (): number => sumOf(owned, ({ tenon }) => tenon.approvals.waiting().length);
  return new CallSlots({ slots, maxByPrincipal: quotas.callsByPrincipal, asking });
}

export function sumOf(
  owned: ReadonlyMap<string, OwnedWorkspace>,
  count: (one: OwnedWorkspace) => number,
): number {
  return [...owned.values()].reduce((sum, one) => sum + count(one), 0);
}
