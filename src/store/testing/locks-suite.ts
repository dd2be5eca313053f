import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { journalLock, type HeldLocks, type LockRequest } from "../../contract/ports/locks.js";
import type { State } from "../open-state.js";
import { currentProcess } from "../process-identity.js";
import { systemClock } from "../../contract/system-clock.js";
import type { Fixture, NewFixture } from "./drivers.js";

/** What locks promise to several processes, in whatever database. */
export function locksSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let one: State;
  let other: State;

  beforeAll(async () => void (fixture = await newFixture()));

  afterAll(() => fixture.close());

  beforeEach(async () => {
    one = await fixture.open();
    other = await fixture.open();
  });

  // Closing gives all locks back, so that the next test finds none.
  afterEach(async () => {
    await one.close();
    await other.close();
    await fixture.exec("DELETE FROM lock_tickets");
  });

  /** Whether `wanted` must wait while `held` is held. */
  async function conflicts(held: LockRequest, wanted: LockRequest): Promise<boolean> {
    const first = await one.locks.acquire([held]);
    try {
      const second = await other.locks.acquire([wanted], { timeoutMs: 0 });
      await second.release();
      return false;
    } catch {
      return true;
    } finally {
      await first.release();
    }
  }

  describe("locks", () => {
    it.each<[LockRequest, LockRequest, boolean]>([
      [exclusive("/w/a"), exclusive("/w/a"), true],
      [exclusive("/w/a"), shared("/w/a"), true],
      [shared("/w/a"), exclusive("/w/a"), true],
      [shared("/w/a"), shared("/w/a"), false],
      [exclusive("/w/a"), exclusive("/w/b"), false],
      [exclusive("/w/a"), exclusive("/w/a/b"), false],
      [exclusive("/w/a", true), exclusive("/w/a/b"), true],
      [exclusive("/w/a/b"), shared("/w/a", true), true],
      [shared("/w", true), exclusive("/w/a/b/c"), true],
      [shared("/w", true), shared("/w/a", true), false],
      [exclusive("/w/a", true), exclusive("/w/ab"), false],
      [exclusive("/w/a/"), exclusive("/w/a"), true],
      [exclusive("/", true), exclusive("/w"), true],
      [exclusive("/w/%", true), exclusive("/w/x/y"), false],
    ])("%o against %o: conflict %s", async (held, wanted, expected) => {
      expect(await conflicts(held, wanted)).toBe(expected);
    });

    it("are granted in the order of asking, so that nobody starves", async () => {
      const order: string[] = [];
      const first = await one.locks.acquire([shared("k")]);
      const ask = async (state: State, name: string, request: LockRequest): Promise<void> => {
        const held = await state.locks.acquire([request]);
        order.push(name);
        await held.release();
      };
      const writer = ask(other, "writer", exclusive("k"));
      await expect.poll(() => one.locks.list()).toHaveLength(2);
      const reader = ask(one, "reader behind the writer", shared("k"));
      await expect.poll(() => one.locks.list()).toHaveLength(3);
      expect(order).toEqual([]);
      await first.release();
      await Promise.all([writer, reader]);
      expect(order).toEqual(["writer", "reader behind the writer"]);
    });

    it("of one call are granted together: no order of keys deadlocks", async () => {
      let running = 0;
      const work = async (state: State, keys: string[]): Promise<void> => {
        for (let n = 0; n < 20; n += 1) {
          const held = await state.locks.acquire(keys.map((key) => exclusive(key)));
          running += 1;
          expect(running).toBe(1);
          await Promise.resolve();
          running -= 1;
          await held.release();
        }
      };
      await Promise.all([work(one, ["a", "b"]), work(other, ["b", "a"]), work(one, ["b", "c", "a"])]);
    });

    it("can be waited for only so long, and the wait leaves nothing behind", async () => {
      const held = await one.locks.acquire([exclusive("k")]);
      const waiting = other.locks.acquire([exclusive("k")], { timeoutMs: 30 });
      await expect(waiting).rejects.toMatchObject({ code: "STATE_BUSY", retryable: true });
      expect(await one.locks.list()).toHaveLength(1);
      await held.release();
      await held.release();
      expect(await one.locks.list()).toEqual([]);
    });

    it("stop waiting when the signal fires", async () => {
      await one.locks.acquire([exclusive("k")]);
      const stop = new AbortController();
      const waiting = other.locks.acquire([exclusive("k")], { signal: stop.signal });
      await expect.poll(() => one.locks.list()).toHaveLength(2);
      stop.abort();
      await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
      expect(await one.locks.list()).toHaveLength(1);
    });

    it("can be kept as long as nobody queues behind them", async () => {
      const held = await one.locks.acquire([exclusive("k")]);
      expect(await held.isAlone()).toBe(true);
      const waiting = other.locks.acquire([exclusive("k")]);
      await expect.poll(() => one.locks.list()).toHaveLength(2);
      expect(await held.isAlone()).toBe(false);
      await held.release();
      const next = await waiting;
      expect(await next.isAlone()).toBe(true);
      await next.release();
      expect(await next.isAlone()).toBe(false);
    });

    it("are given back when the state closes", async () => {
      await one.locks.acquire([exclusive("k")]);
      await one.close();
      const held: HeldLocks = await other.locks.acquire([exclusive("k")], { timeoutMs: 1000 });
      expect(await other.locks.list()).toMatchObject([{ key: "k", pid: process.pid }]);
      await held.release();
    });

    it("of a process that died are free at once", async () => {
      await one.locks.acquire([exclusive("k")]);
      const { boot, namespace, started } = currentProcess();
      const dead = JSON.stringify([2 ** 22 + 1, boot, namespace, started]);
      await fixture.exec("UPDATE lock_tickets SET owner = $1", [dead]);
      await (await other.locks.acquire([exclusive("k")], { timeoutMs: 1000 })).release();
      expect(await other.locks.list()).toEqual([]);
    });

    it("of a process in another container are broken only when its heart has stopped", async () => {
      await one.locks.acquire([exclusive("k")]);
      const { pid, boot, started } = currentProcess();
      const owner = JSON.stringify([pid, boot, "pid:[elsewhere]", started]);
      await fixture.exec("UPDATE lock_tickets SET owner = $1", [owner]);
      const wanted = [exclusive("k")];
      await expect(other.locks.acquire(wanted, { timeoutMs: 20 })).rejects.toMatchObject({
        code: "STATE_BUSY",
      });
      await fixture.exec("UPDATE lock_tickets SET heartbeat = heartbeat - 11000");
      const quick = await fixture.open({ clock: fastClock });
      await (await quick.locks.acquire(wanted)).release();
    });

    it("of a living process stay its own when the clock jumps", async () => {
      const held = await one.locks.acquire([exclusive("k")]);
      await fixture.exec("UPDATE lock_tickets SET heartbeat = heartbeat - 3600000");
      const waiting = other.locks.acquire([exclusive("k")], { timeoutMs: 3500 });
      await expect(waiting).rejects.toMatchObject({ code: "STATE_BUSY" });
      await held.check();
      expect(held.lost.aborted).toBe(false);
    });

    it("refuse the check and the writes of a holder that lost them", async () => {
      const quick = await fixture.open({ clock: fastClock });
      const held = await quick.locks.acquire([journalLock("here")]);
      await held.check();
      await fixture.exec("DELETE FROM lock_tickets");
      const entry = { kind: "change", origin, time: 1, changes: [] } as const;
      const lost = { code: "STATE_BUSY", message: expect.stringContaining("taken over") };
      await expect(quick.journal.fenced(held.fence).begin(entry)).rejects.toMatchObject(lost);
      expect(await quick.journal.unfinished()).toEqual([]);
      await expect.poll(() => held.check().catch((error: unknown) => error)).toMatchObject(lost);
      expect(held.lost.aborted).toBe(true);
      const next = await other.locks.acquire([journalLock("here")]);
      expect(next.fence).toBeGreaterThan(held.fence);
      await held.release();
      await expect(other.journal.fenced(next.fence).begin(entry)).resolves.toBeGreaterThan(0);
    });

    it("are asked for again by a waiter that was thrown out of the queue", async () => {
      const held = await one.locks.acquire([exclusive("k")]);
      const quick = await fixture.open({ clock: fastClock });
      const waiting = quick.locks.acquire([exclusive("k")], { timeoutMs: 100_000 });
      await expect.poll(() => one.locks.list()).toHaveLength(2);
      await new Promise((later) => setTimeout(later, 300)); // 3 s by the fast clock: nobody is thrown out before
      await fixture.exec("DELETE FROM lock_tickets WHERE id > $1", [held.fence]);
      await held.release();
      const got = await waiting;
      expect(await one.locks.list()).toHaveLength(1);
      await got.check();
    });

    it("of different places do not wait for each other", async () => {
      await one.locks.acquire([journalLock("here")]);
      await other.locks.acquire([journalLock("there")], { timeoutMs: 0 });
      await expect(other.locks.acquire([journalLock("here")], { timeoutMs: 0 })).rejects.toMatchObject({
        code: "STATE_BUSY",
      });
    });
  });
}

const origin = { callId: "c", sessionId: "s", tool: "t" };

/** A clock that runs ten times as fast, so that tests need not wait long. */
const fastClock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 10,
};

function exclusive(key: string, tree = false): LockRequest {
  return { key, mode: "exclusive", tree };
}

function shared(key: string, tree = false): LockRequest {
  return { key, mode: "shared", tree };
}
