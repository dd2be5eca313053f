import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LogEnd } from "./log-end.js";
import { segmentPaths } from "./segment-files.js";
import { newDir, newWriter } from "./testing/fixture.js";

const line = (name: string): string => `,"callId":"${name}","time":1,"durationMs":1}`;

/** A log on a disk that works or not, with a clock that the test sets. */
function open() {
  const dir = newDir();
  const disk = { isFull: false, tries: 0 };
  const clock = { now: 1000 };
  const told: unknown[] = [];
  const end = new LogEnd({
    open: () => {
      disk.tries++;
      if (disk.isFull) throw Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC", syscall: "write" });
      return newWriter(dir, 1 << 24);
    },
    now: () => clock.now,
    onFault: (message) => told.push(message),
    onRestored: (counts) => told.push(counts),
  });
  const written = () =>
    readFileSync(segmentPaths(dir, 0).lines, "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((text) => JSON.parse(text) as { callId?: string; kind?: string; calls?: number })
      .map(({ callId, kind, calls }) => callId ?? (calls === undefined ? kind : `${calls} ${kind}`));
  return { end, disk, clock, told, written };
}

describe("the end of the log", () => {
  it("keeps what it cannot write, tries again after 200 ms, and writes in the order it was told", async () => {
    const { end, disk, clock, told, written } = open();
    disk.isFull = true;
    end.write([line("one")]);
    expect(told).toEqual([expect.stringMatching(/could not be stored: .*no space/i)]);
    expect([end.fault, end.isResting]).toEqual([told[0], true]);
    clock.now = 1199;
    end.write([line("two")]);
    expect(disk.tries).toBe(1);
    clock.now = 1200;
    expect(end.isResting).toBe(false);
    end.write([line("three")]);
    expect([disk.tries, told.length]).toEqual([2, 1]);
    disk.isFull = false;
    clock.now = 1400;
    // What waited comes first, and is not counted for the place of a line that is written now.
    expect(end.writeNow(line("now"), [line("four")])).toBe(5);
    expect([end.fault, told[1]]).toEqual([undefined, { written: 3, lost: 0 }]);
    await end.close();
    expect(written()).toEqual(["one", "two", "three", "four", "now"]);
  });

  it("leaves a line that was to be written now to its caller, and keeps the others", async () => {
    const { end, disk, written } = open();
    disk.isFull = true;
    expect(() => end.writeNow(line("now"), [line("other")])).toThrow("ENOSPC");
    disk.isFull = false;
    expect(end.retry()).toBe(true);
    expect(end.retry()).toBe(true);
    await end.close();
    expect(written()).toEqual(["other"]);
  });

  it("keeps ten thousand lines, and notes in the log how many more were lost", async () => {
    const { end, disk, told, written } = open();
    disk.isFull = true;
    end.write(Array<string>(9999).fill(line("kept")));
    end.write([line("last"), line("lost"), line("lost")]);
    end.write([line("lost")]);
    expect(end.retry()).toBe(false);
    disk.isFull = false;
    expect(end.retry()).toBe(true);
    expect(told.at(-1)).toEqual({ written: 10_000, lost: 3 });
    end.write([line("after")]);
    await end.close();
    expect(written().slice(9999)).toEqual(["last", "3 lost", "after"]);
  });

  it("finds out whether writing works again where nothing waits", async () => {
    const { end, disk, clock, written } = open();
    end.fail(new Error("the disk did not sync"));
    expect(end.fault).toMatch("the disk did not sync");
    await end.syncNow(); // not while nothing can be written
    clock.now += 200;
    disk.isFull = true;
    expect(end.retry()).toBe(false);
    disk.isFull = false;
    expect([end.retry(), end.fault]).toEqual([true, undefined]);
    await end.close();
    expect([written(), end.isOpen]).toEqual([["restored"], false]);
  });

  it("syncs what was written a moment before, once for all who wait", async () => {
    const { end } = open();
    end.syncSoon(); // nothing was written
    end.write([line("one")]);
    end.syncSoon();
    await expect.poll(() => end.writer().unsynced).toBe(false);
    end.write([line("two")]);
    const first = end.syncShared();
    expect(end.syncShared()).toBe(first);
    await first;
    expect(end.writer().unsynced).toBe(false);
    expect(end.syncShared()).not.toBe(first);
    await end.close();
  });
});
