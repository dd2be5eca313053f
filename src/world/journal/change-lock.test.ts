import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let worlds: World[];

beforeEach(() => {
  base = tempDir("change-lock");
  worlds = [];
});

afterEach(async () => {
  for (const world of worlds) await world.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: Parameters<typeof openWorld>[1] = {}): Promise<World> {
  const world = await openWorld(base, options);
  worlds.push(world);
  return world;
}

function write(path: string): FileMutation[] {
  return [{ op: "write", path, data: Buffer.from(path) }];
}

/** The world's locks, and how often one was acquired. */
function countAcquired(world: World): { locks: World["state"]["locks"]; acquired: () => number } {
  let count = 0;
  const locks: World["state"]["locks"] = {
    ...world.state.locks,
    acquire: (...wanted) => {
      count += 1;
      return world.state.locks.acquire(...wanted);
    },
  };
  return { locks, acquired: () => count };
}

describe("the lock of the journal", () => {
  it("is taken once for changes that follow each other at once, and given back soon after", async () => {
    const first = await open();
    const { locks, acquired } = countAcquired(first);
    const world = await open({ locks });
    await Promise.all(["a", "b", "c"].map((name) => world.journal.apply(write(name), origin())));
    expect(acquired()).toBe(1);
    await expect.poll(() => first.state.locks.list()).toEqual([]);
  });

  it("goes to another process that waits for it, in the middle of a series", async () => {
    const [one, other] = [await open(), await open()];
    const order: string[] = [];
    const series = (async () => {
      for (let n = 0; n < 50 && !order.includes("other"); n += 1) {
        await one.journal.apply(write("one"), origin());
        order.push("one");
      }
    })();
    await expect.poll(() => order.length).toBeGreaterThan(0);
    await other.journal.apply(write("other"), origin());
    order.push("other");
    await series;
    expect(order.indexOf("other")).toBeLessThan(50);
  });

  it("is not used by a change that was stopped before it began", async () => {
    const world = await open();
    await world.journal.apply(write("a"), origin());
    const stopped = world.journal.apply(write("b"), origin(), { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "CANCELLED" });
    const told = { isAborted: true, signal: AbortSignal.abort() };
    await expect(world.journal.apply(write("b"), origin(), told)).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(world.guard.stat("b")).toBeNull();
  });

  it("is given back when a change fails, so that the next one looks for what was left unfinished", async () => {
    let failing = true;
    const world = await open({
      failpoint: (step) => {
        if (step === "planned" && failing) throw new Error("failed");
      },
    });
    await expect(world.journal.apply(write("a"), origin())).rejects.toThrow("failed");
    expect(await world.state.locks.list()).toEqual([]);
    failing = false;
    await world.journal.apply(write("a"), origin());
  });

  it("is asked for again where it was lost meanwhile", async () => {
    const first = await open();
    const { locks, acquired } = countAcquired(first);
    const world = await open({ locks });
    await world.journal.apply(write("a"), origin());
    await first.state.close();
    const second = await open();
    expect(await second.state.locks.list()).toEqual([]);
    expect(acquired()).toBe(1);
    await expect(world.journal.apply(write("b"), origin())).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
    expect(acquired()).toBe(2);
  });
});
