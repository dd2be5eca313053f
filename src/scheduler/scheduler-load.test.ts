import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Lock } from "./locks.js";
import { Scheduler, type Job, type Ticket } from "./scheduler.js";

const calls = 100_000;
const anyTool = {};
const slowTool = { max: 5 };
const path = (key: string, write: boolean): Lock => ({ space: "path", key, write });

// A cost for each pair of calls would be paid ten thousand million times here and run into the time limit.
const loads: [string, (n: number) => Partial<Job>][] = [
  ["without resources", () => ({})],
  ["of as many tools", () => ({ limits: {} })],
  ["of one saturated tool", () => ({ limits: slowTool })],
  ["with as many priorities", (n) => ({ priority: (n * 7919) % calls })],
  ["that write one file", () => ({ locks: [path("/ws/a", true)] })],
  ["that read and write one file in turn", (n) => ({ locks: [path("/ws/a", n % 2 === 0)] })],
  ["that first read, then write one file", (n) => ({ locks: [path("/ws/a", n > calls / 2)] })],
  [
    "that write a file each below a tree that is read in turn",
    (n) => ({ locks: [n % 2 === 0 ? path("/ws", false) : path(`/ws/src/${n}`, true)] }),
  ],
];

describe("Scheduler under load", () => {
  it.for(loads)("drains 100,000 waiting calls %s", async ([, load], { annotate }) => {
    const scheduler = new Scheduler({ maxConcurrent: 10, monotonic: () => performance.now() });
    const enter = (job: Partial<Job>) =>
      scheduler.acquire({ limits: anyTool, priority: 0, locks: [], ...job });
    const busy = [enter({ locks: [path("/", true)] }), ...Array.from({ length: 9 }, () => enter({}))];
    const heap = heapUsed();
    const start = performance.now();
    let done = 0;
    const all = Array.from({ length: calls }, async (_, n) => {
      const ticket = await enter(load(n));
      done++;
      scheduler.release(ticket);
    });
    expect(scheduler.stats()).toMatchObject({ running: 10, waiting: calls });
    const queued = performance.now();
    const bytes = heapUsed() - heap;
    const resumed = performance.now();
    for (const ticket of busy) scheduler.release(ticket as Ticket);
    await Promise.all(all);
    const drained = performance.now();
    await annotate(
      `${Math.round(bytes / calls)} bytes, ${micros(queued - start)} to queue and ${micros(drained - resumed)} to drain a call`,
    );
    expect(done).toBe(calls);
    expect(scheduler.stats()).toMatchObject({ running: 0, waiting: 0, peakRunning: 10, peakWaiting: calls });
  });

  it("forgets calls that were cancelled while they waited behind one that runs on", async ({ annotate }) => {
    const scheduler = new Scheduler({ monotonic: () => 0 });
    const running = scheduler.acquire({ limits: anyTool, priority: 0, locks: [path("/a", true)] }) as Ticket;
    const heap = heapUsed();
    let refused = 0;
    const wait = (write: boolean) => {
      let cancel = (): void => {};
      const onAbort = (stop: () => void) => {
        cancel = stop;
        return () => {};
      };
      const locks = [path("/a", write)];
      const waiting = scheduler.acquire({ limits: anyTool, priority: 0, locks, onAbort }) as Promise<Ticket>;
      waiting.catch(() => refused++);
      return cancel;
    };
    for (let n = 0; n < calls / 2; n++) {
      const cancelWriter = wait(true);
      const cancelReader = wait(false);
      cancelWriter();
      cancelReader();
      await Promise.resolve();
    }
    const grown = heapUsed() - heap;
    await annotate(`${Math.round(grown / calls)} bytes kept of a cancelled call`);
    expect(refused).toBe(calls);
    expect(grown / calls).toBeLessThan(64);
    expect(scheduler.stats()).toMatchObject({ running: 1, waiting: 0, peakWaiting: 2 });
    scheduler.release(running);
  });
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

function micros(ms: number): string {
  return `${((ms * 1000) / calls).toFixed(1)} µs`;
}
