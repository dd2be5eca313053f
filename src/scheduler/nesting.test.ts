import { describe, expect, it } from "vitest";
import { ToolCancelledError } from "../contract/errors.js";
import { create, read, stateOf, write } from "./testing/scheduler-fixture.js";

describe("nested calls", () => {
  it("lets a tool of which only one may run call itself", () => {
    const { scheduler, startNow } = create({ maxConcurrent: 1 });
    const limits = { max: 1, queue: 0 };
    const tickets = [startNow([write("/a")], { limits })];
    for (let depth = 0; depth < 50; depth++) {
      tickets.push(startNow([write("/a")], { limits, parent: tickets.at(-1)! }));
    }
    expect(scheduler.stats()).toMatchObject({ running: 1, nestedRunning: 50, waiting: 0 });
    for (const ticket of tickets.toReversed()) scheduler.release(ticket);
    expect(scheduler.stats()).toMatchObject({ running: 0, nestedRunning: 0, nestedWaiting: 0 });
  });

  it("keeps the order of conflicting siblings", async () => {
    const { scheduler, start, startNow } = create();
    const parent = startNow([write("/a")]);
    const first = startNow([write("/a/1")], { parent });
    const second = start([read("/a")], { parent });
    startNow([write("/b")], { parent });
    expect(await stateOf(second)).toBe("waiting");
    expect(scheduler.stats()).toMatchObject({ nestedRunning: 2, nestedWaiting: 1, waiting: 0 });
    scheduler.release(first);
    expect(await stateOf(second)).toBe("running");
  });

  it("never lets a nested call wait for outside calls, running or waiting", () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 2 });
    const parent = startNow();
    startNow([write("/a")]);
    void start([write("/a")]);
    startNow([write("/a")], { parent });
    expect(scheduler.stats()).toMatchObject({ running: 2, waiting: 1, nestedRunning: 1, nestedWaiting: 0 });
  });

  it("holds back later outside calls that conflict with a nested one", async () => {
    const { scheduler, start, startNow } = create();
    const parent = startNow();
    const child = startNow([write("/a")], { parent });
    const outside = start([read("/a")]);
    expect(await stateOf(outside)).toBe("waiting");
    scheduler.release(child);
    expect(await stateOf(outside)).toBe("running");
  });

  it("keeps the locks and the slot of a released parent until its children are done", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const parent = startNow([write("/a")]);
    const child = startNow([], { parent });
    const grandchild = startNow([], { parent: child });
    const outside = start([write("/a")]);
    scheduler.release(parent);
    scheduler.release(child);
    expect(await stateOf(outside)).toBe("waiting");
    expect(scheduler.stats()).toMatchObject({ running: 1, nestedRunning: 1 });
    scheduler.release(grandchild);
    expect(await stateOf(outside)).toBe("running");
    expect(scheduler.stats()).toMatchObject({ running: 1, nestedRunning: 0 });
  });

  it("treats a call from an ended parent as one of its own", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1 });
    const parent = startNow();
    scheduler.release(parent);
    const other = startNow();
    const orphan = start([], { parent });
    expect(await stateOf(orphan)).toBe("waiting");
    scheduler.release(other);
    expect(await stateOf(orphan)).toBe("running");
  });

  it("bounds the queue below one parent, whatever waits outside", async () => {
    const { scheduler, start, startNow } = create({ maxConcurrent: 1, maxQueued: 1 });
    const parent = startNow();
    void start();
    startNow([write("/a")], { parent });
    let cancelSecond = (): void => {};
    const second = start([write("/a")], {
      parent,
      onAbort: (cancel) => {
        cancelSecond = cancel;
        return () => {};
      },
    });
    expect(() => start([write("/a")], { parent })).toThrow(expect.objectContaining({ code: "QUEUE_FULL" }));
    cancelSecond();
    await expect(second).rejects.toBeInstanceOf(ToolCancelledError);
    expect(scheduler.stats()).toMatchObject({ nestedRunning: 1, nestedWaiting: 0, waiting: 1 });
  });
});
