import type { Clock } from "../contract/ports/clock.js";

export interface CircuitOptions {
  readonly clock: Clock;
  /** Whether the server answers again; resolves where it does. */
  readonly probe: () => Promise<void>;
}

/** How long something may be waited for. */
export interface Patience {
  /** By the clock's steady time. */
  readonly until: number;
  /** What to say when the time is over. */
  readonly late: () => unknown;
}

/** Fails waiting and new calls at once while the server is down, so that they do not time out one by one. */
export interface Circuit {
  /** Throws where the server was given up and is not back yet. */
  check(): void;
  /** Wait for something; its signal fires when the time is over, or when the server is given up. */
  wait<Result>(
    begin: (signal: AbortSignal) => Promise<Result> | undefined,
    patience: Patience,
  ): Promise<Result | undefined>;
  /** Give the server up until a probe succeeds; each call that is refused gets an error of its own. */
  open(toError: () => unknown): void;
  close(): void;
}

const probeEveryMs = 250;
// A probe that hangs, as on a network that swallows packets, must not keep a later one from finding the server.
const maxProbeMs = 2_500;

/** Begin with a server that is believed to be there. */
export function createCircuit({ clock, probe }: CircuitOptions): Circuit {
  let toError: (() => unknown) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const waiting = new Set<(reason: unknown) => void>();
  const probeAfter = (ms: number): void => {
    if (closed || toError === undefined) return;
    timer = setTimeout(() => {
      probeAfter(maxProbeMs);
      probe().then(
        () => {
          clearTimeout(timer);
          toError = undefined;
        },
        () => {
          clearTimeout(timer);
          probeAfter(probeEveryMs);
        },
      );
    }, ms).unref();
  };
  return {
    check() {
      if (toError !== undefined) throw toError();
    },
    async wait(begin, { until, late }) {
      const stop = new AbortController();
      const begun = begin(stop.signal);
      if (begun === undefined) return undefined;
      return new Promise((resolve, reject) => {
        const giveUp = (reason: unknown): void => {
          end();
          stop.abort(reason);
          reject(reason);
        };
        const over = setTimeout(() => giveUp(late()), Math.max(0, until - clock.monotonic()));
        const end = (): void => {
          clearTimeout(over);
          waiting.delete(giveUp);
        };
        waiting.add(giveUp);
        begun.finally(end).then(resolve, reject);
      });
    },
    open(makeError) {
      if (toError !== undefined || closed) return;
      toError = makeError;
      for (const giveUp of waiting) giveUp(makeError());
      probeAfter(probeEveryMs);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
