import { describe, expect, it } from "vitest";
import { ToolCancelledError, ToolUnavailableError } from "../contract/errors.js";
import type { Lock } from "./locks.js";
import { create, read, stateOf, write } from "./testing/scheduler-fixture.js";

/** A handle with which a test cancels one waiting call. */
function cancellable() {
  const handle = {
    subscribed: 0,
    cancel: (): void => {},
    onAbort: (cancel: () => void) => {
      handle.subscribed++;
      handle.cancel = cancel;
      return () => {
        handle.subscribed--;
      };
    },
  };
  return handle;
}

describe("Scheduler conflicts", () => {
  it.each<[string, Lock, Lock, boolean]>([
    ["two reads of one file", read("/a"), read("/a"), false],
    ["two writes of one file", write("/a"), write("/a"), true],
    ["a write below a directory that is read", write("/a/b"), read("/a"), true],
    ["a read below a directory that is written", read("/a/b/c"), write("/a"), true],
    ["a write of the root and a read anywhere", write("/"), read("/x/y"), true],
    ["writes of names with a common beginning", write("/a"), write("/ab"), false],
    ["writes of two files in one directory", write("/d/1"), write("/d/2"), false],
    ["a path and a lock of the same name", write("/a"), { space: "lock", key: "/a", write: true }, false],
    ["an env key with a slash and its beginning", envLock("a/b"), envLock("a"), false],
    ["names of object members", write("/__proto__"), write("/constructor"), false],
  ])("orders %s only where they conflict", async (_, first, second, conflict) => {
    const { scheduler, start, startNow } = create();
    const earlier = startNow([first]);
    const later = start([second]);
    expect(await stateOf(later)).toBe(conflict ? "waiting" : "running");
    scheduler.release(earlier);
    expect(await stateOf(later)).toBe("running");
  });

  it("does not let a call wait for itself, whatever it reads and writes at once", () => {
    const { startNow, scheduler } = create();
    const ticket = startNow([
      read("/a"),
      write("/a"),
      write("/a/b"),
      read("/"),
      write("/a/b/c"),
      read("/a/b"),
    ]);
    scheduler.release(ticket);
    expect(scheduler.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it("lets a call that reads a directory and writes one file in it run beside a read of another", async () => {
    const { start, startNow } = create();
    startNow([read("/d"), write("/d/1")]);
    expect(await stateOf(start([read("/d/2")]))).toBe("running");
    expect(await stateOf(start([write("/d/3")]))).toBe("waiting");
  });

  it("lets readers pass at once when the writer that held them back is cancelled", async () => {
    const { start, startNow } = create();
    startNow([read("/a")]);
    const handle = cancellable();
    const writer = start([write("/a")], { onAbort: handle.onAbort });
    const reader = start([read("/a")]);
    expect(await stateOf(reader)).toBe("waiting");
    handle.cancel();
    await expect(writer).rejects.toBeInstanceOf(ToolCancelledError);
    expect(await stateOf(reader)).toBe("running");
  });

  it("still waits for a running call from before a cancelled one", async () => {
    const { scheduler, start, startNow } = create();
    const first = startNow([write("/a/1")]);
    const handle = cancellable();
    const cancelled = start([read("/a")], { onAbort: handle.onAbort });
    const second = start([write("/a/2")]);
    const last = start([read("/a")]);
    handle.cancel();
    await expect(cancelled).rejects.toBeInstanceOf(ToolCancelledError);
    expect(await stateOf(second)).toBe("running");
    scheduler.release(await second);
    expect(await stateOf(last)).toBe("waiting");
    scheduler.release(first);
    expect(await stateOf(last)).toBe("running");
  });
});

function envLock(key: string): Lock {
  return { space: "env", key, write: true };
}

describe("Scheduler limits", () => {
  it("gives a ticket at once where nothing stands in the way", () => {
    const { scheduler, startNow } = create();
    expect(startNow().waitedMs).toBe(0);
    expect(startNow([write("/a")]).waitedMs).toBe(0);
    expect(scheduler.stats()).toMatchObject({ running: 2, waiting: 0, peakRunning: 2, maxConcurrent: 10 });
  });

  it("runs at most maxConcurrent calls, says how long one waited, and follows changes of the limit", async () => {
    const { scheduler, start, startNow, time } = create({ maxConcurrent: 2 });
    const first = startNow();
    startNow();
    const waiting = [start(), start(), start()];
    expect(scheduler.stats()).toMatchObject({ running: 2, waiting: 3, peakWaiting: 3 });
    time.now = 250;
    scheduler.release(first);
    expect((await waiting[0]!).waitedMs).toBe(250);
    expect(scheduler.stats()).toMatchObject({ running: 2, waiting: 2 });
    scheduler.setMaxConcurrent(4);
    for (const ticket of waiting) await ticket;
    expect(scheduler.stats()).toMatchObject({ running: 4, waiting: 0, peakRunning: 4 });
  });

  it("does not let a saturated tool hold up the others", async () => {
    const { scheduler, start, startNow } = create();
    const limits = { max: 1 };
    const first = startNow([], { limits });
    const second = start([], { limits, priority: 9 });
    expect(await stateOf(second)).toBe("waiting");
    startNow();
    expect(scheduler.loadOf(limits)).toEqual({ running: 1, waiting: 1, peakRunning: 1, max: 1 });
    scheduler.release(first);
    expect(await stateOf(second)).toBe("running");
    const third = start([], { limits });
    scheduler.setToolMax(limits, 2);
    expect(await stateOf(third)).toBe("running");
  });

  it("starts ready calls by priority, in order of arrival within one", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const first = startNow();
    const order: number[] = [];
    const priorities = [0, 5, -1e308, 5, 1e-9, NaN, 1e308, 0];
    const all = priorities.map(async (priority, n) => {
      const ticket = await start([], { priority, limits: n % 2 === 0 ? {} : { max: 3 } });
      order.push(n);
      scheduler.release(ticket);
    });
    scheduler.release(first);
    await Promise.all(all);
    expect(order).toEqual([6, 1, 3, 4, 0, 5, 7, 2]);
  });

  it("keeps conflicting calls in order of arrival against their priorities", async () => {
    const { scheduler, start, startNow } = create();
    const first = startNow([write("/a")]);
    const low = start([write("/a")], { priority: 0 });
    const high = start([write("/a")], { priority: 100 });
    scheduler.release(first);
    expect(await stateOf(low)).toBe("running");
    expect(await stateOf(high)).toBe("waiting");
  });

  it("refuses what cannot wait any more and leaves no trace of it", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1, maxQueued: 1 });
    const first = startNow([write("/a")]);
    const second = start([write("/b")]);
    expect(() => start([write("/c")])).toThrow(ToolUnavailableError);
    expect(() => start([write("/a")])).toThrow(
      expect.objectContaining({ code: "QUEUE_FULL", retryable: true }),
    );
    expect(scheduler.stats()).toMatchObject({ running: 1, waiting: 1 });
    scheduler.release(first);
    scheduler.release(await second);
    startNow([write("/a"), write("/c")]);
  });

  it("bounds the queue of one tool alone", () => {
    const { start, startNow } = create();
    const limits = { max: 1, queue: 0 };
    startNow([], { limits });
    expect(() => start([], { limits })).toThrow(/of this tool is full/);
    startNow();
  });

  it.each([0, -3, 0.5])("takes a limit of %d as one, which cannot deadlock", (max) => {
    const { scheduler, startNow } = create({ maxConcurrent: max });
    scheduler.release(startNow([], { limits: { max } }));
    scheduler.setMaxConcurrent(NaN);
    scheduler.release(startNow());
    expect(scheduler.stats()).toMatchObject({ running: 0, maxConcurrent: 1 });
  });
});

describe("Scheduler cancellation and release", () => {
  it("cancels a call that waits for a slot and unsubscribes", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const first = startNow();
    const handle = cancellable();
    const cancelled = start([], { onAbort: handle.onAbort });
    const next = start();
    expect(handle.subscribed).toBe(1);
    handle.cancel();
    handle.cancel();
    await expect(cancelled).rejects.toMatchObject({ code: "CANCELLED" });
    expect(handle.subscribed).toBe(0);
    expect(scheduler.stats()).toMatchObject({ running: 1, waiting: 1 });
    scheduler.release(first);
    expect(await stateOf(next)).toBe("running");
  });

  it("does not subscribe a call that need not wait, and ignores a cancel that comes too late", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const handle = cancellable();
    const first = startNow([], { onAbort: handle.onAbort });
    expect(handle.subscribed).toBe(0);
    const second = start([], { onAbort: handle.onAbort });
    scheduler.release(first);
    handle.cancel();
    await expect(second).resolves.toBeDefined();
    expect(handle.subscribed).toBe(0);
    expect(scheduler.stats()).toMatchObject({ running: 1, waiting: 0 });
  });

  it("takes a cancel or a failure during the subscription itself", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    startNow();
    let unsubscribed = 0;
    const atOnce = start([write("/a")], {
      onAbort: (cancel) => {
        cancel();
        return () => unsubscribed++;
      },
    });
    await expect(atOnce).rejects.toBeInstanceOf(ToolCancelledError);
    expect(unsubscribed).toBe(1);
    const failing = start([write("/a")], {
      onAbort: () => {
        throw new Error("no signal");
      },
    });
    await expect(failing).rejects.toThrow("no signal");
    expect(scheduler.stats()).toMatchObject({ running: 1, waiting: 0 });
  });

  it("does nothing when a ticket is released twice", () => {
    const { scheduler, startNow } = create({ maxConcurrent: 2 });
    const first = startNow([write("/a")]);
    startNow([write("/b")]);
    scheduler.release(first);
    scheduler.release(first);
    expect(scheduler.stats().running).toBe(1);
  });

  it("takes no new calls once closed and ends when all accepted ones are done", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const first = startNow();
    const second = start();
    let closed = false;
    const closing = scheduler.close().then(() => (closed = true));
    expect(() => start()).toThrow(expect.objectContaining({ code: "RUNTIME_CLOSED" }));
    scheduler.release(startNow([], { parent: first }));
    scheduler.release(first);
    const last = await second;
    expect(closed).toBe(false);
    scheduler.release(last);
    await closing;
    await expect(scheduler.close()).resolves.toBeUndefined();
  });
});
