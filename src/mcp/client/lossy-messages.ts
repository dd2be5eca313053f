import { createFloodGate, type FloodGate } from "./flood-gate.js";

/** Messages of which some may be lost. */
export type LossyKind = "message" | "progress";

/** The kind of a line, as nearly all programs write a log message or a report of progress. */
export function lossyKindOf(line: string): LossyKind | undefined {
  return /^\{"(?:jsonrpc":"2\.0",")?method":"notifications\/(message|progress)"/.exec(line)?.[1] as
    | LossyKind
    | undefined;
}

/** The same for a method. */
export const lossyMethods: ReadonlyMap<string, LossyKind> = new Map([
  ["notifications/message", "message"],
  ["notifications/progress", "progress"],
]);

/** In a second. */
const maxLossy = { message: 1000, progress: 2000 } as const;

/** Log messages and progress beyond a limit are dropped, so that a talkative server still gets its answers through. */
export class LossyMessages {
  readonly #gates: Readonly<Record<LossyKind, FloodGate>>;
  readonly #onFault: (message: string) => void;

  constructor(now: () => number, onFault: (message: string) => void) {
    this.#onFault = onFault;
    this.#gates = {
      message: createFloodGate(now, { maxMessages: maxLossy.message }),
      progress: createFloodGate(now, { maxMessages: maxLossy.progress }),
    };
  }

  /** Count one more; whether it must be dropped. */
  drops(kind: LossyKind): boolean {
    if (this.#gates[kind].count() === 0) return false;
    const what = kind === "message" ? "log messages" : "reports of progress";
    this.#onFault(`it sent more than ${maxLossy[kind]} ${what} in a second; the rest was dropped`);
    return true;
  }
}
