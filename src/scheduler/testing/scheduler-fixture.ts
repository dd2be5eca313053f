import type { Lock } from "../locks.js";
import { Scheduler, type Job, type SchedulerOptions, type Ticket } from "../scheduler.js";

export const read = (key: string): Lock => ({ space: "path", key, write: false });
export const write = (key: string): Lock => ({ space: "path", key, write: true });

/** A scheduler with a clock that stands still, and what starts calls in it. */
export function create(options: Partial<SchedulerOptions> = {}) {
  const time = { now: 0 };
  const scheduler = new Scheduler({ monotonic: () => time.now, ...options });
  const anyTool = {};
  const start = (locks: readonly Lock[] = [], job: Partial<Job> = {}) =>
    scheduler.acquire({ limits: anyTool, priority: 0, locks, ...job });
  const startNow = (locks: readonly Lock[] = [], job: Partial<Job> = {}): Ticket => {
    const ticket = start(locks, job);
    if (ticket instanceof Promise) throw new Error("the call waits");
    return ticket;
  };
  return { scheduler, start, startNow, time };
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export async function stateOf(ticket: Ticket | Promise<Ticket>): Promise<"running" | "waiting" | "refused"> {
  if (!(ticket instanceof Promise)) return "running";
  const waiting = settled().then(() => "waiting" as const);
  return Promise.race([
    ticket.then(
      () => "running" as const,
      () => "refused" as const,
    ),
    waiting,
  ]);
}
