import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manyChanges } from "./testing/many-changes.js";
import { openWorld, origin } from "./testing/open-world.js";
import { plant } from "./testing/plant.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";
import type { LockStore } from "../../contract/ports/locks.js";
import { lockLost } from "../../store/locks.js";

let base: string;
const mounts: string[] = [];

beforeEach(() => {
  base = tempDir("faults");
});

afterEach(() => {
  for (const mount of mounts.splice(0)) execFileSync("umount", ["-l", mount]);
  rmSync(base, { recursive: true, force: true });
});

/** A disk that is soon full; `false`, said loudly, where this user may not mount one. */
function mountSmall(at: string, size: string): boolean {
  mkdirSync(at, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tenon-test", at], {
      stdio: "pipe",
    });
  } catch {
    process.stderr.write(
      "\nNOT TESTED ON A REAL FULL DISK: this user may not mount a tmpfs; a fault stands in.\n",
    );
    return false;
  }
  mounts.push(at);
  return true;
}

describe("a process that loses the lock in the middle of a change", () => {
  it("does not tell the change as one that was not made: who goes on may complete it", async () => {
    const world = await openWorld(base);
    let isLost = false;
    const check = async (): Promise<void> => {
      if (isLost) throw lockLost("of the journal");
    };
    const locks: LockStore = {
      ...world.state.locks,
      acquire: async (...wanted) => ({ ...(await world.state.locks.acquire(...wanted)), check }),
    };
    const failpoint = (step: string): void => {
      isLost ||= step === "stepped";
      if (isLost) throw new Error("stopped");
    };
    const stopped = await openWorld(base, { locks, failpoint });
    const data = new TextEncoder().encode("x");
    await expect(stopped.journal.apply([{ op: "write", path: "a", data }], origin())).rejects.toMatchObject({
      code: "CALL_INTERRUPTED",
      retryable: false,
    });
    const next = await openWorld(base);
    expect(await next.journal.recover()).toMatchObject({ completed: 1 });
    expect(readdirSync(next.root)).toEqual(["a"]);
    for (const each of [next, stopped, world]) await each.close();
  });
});

describe("a fault at any step", () => {
  it("leaves all or nothing, and no rubbish", { timeout: 120_000 }, async () => {
    const outcomes = new Set<string>();
    for (let point = 1; point < 200; point += 1) {
      rmSync(base, { recursive: true, force: true });
      mkdirSync(join(base, "ws"), { recursive: true });
      plant(join(base, "ws"));
      const before = snapshot(join(base, "ws"));
      let points = 0;
      let failing = true;
      const world = await openWorld(base, {
        failpoint: () => {
          points += 1;
          if (points === point && failing) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        },
      });
      const failed = await world.journal.apply(manyChanges, origin()).then(
        () => false,
        () => true,
      );
      failing = false;
      await world.journal.recover();
      const now = snapshot(world.root);
      const same = JSON.stringify(now) === JSON.stringify(before);
      expect(Object.keys(now).filter((name) => name.includes(".tenon"))).toEqual([]);
      expect(await world.state.journal.unfinished()).toEqual([]);
      outcomes.add(same ? "nothing" : "all");
      if (!same) {
        const [last] = await world.journal.history();
        await world.journal.undo({ callId: last?.callId ?? "" }, origin());
        expect(snapshot(world.root)).toEqual(before);
      }
      await world.close();
      if (!failed) break;
    }
    expect([...outcomes].sort()).toEqual(["all", "nothing"]);
  });
});

describe("a full disk", () => {
  it("refuses a change whose files do not fit, and leaves everything as it was", async () => {
    const workspace = join(base, "ws");
    const real = mountSmall(workspace, "256k");
    writeFileSync(join(workspace, "a"), "a");
    const before = snapshot(workspace);
    const world = await openWorld(base, real ? {} : { failpoint: failAt("staged") });
    const big = Buffer.alloc(400_000);
    const writing = world.journal.apply(
      [
        { op: "write", path: "a", data: Buffer.from("changed") },
        { op: "write", path: "big", data: big },
      ],
      origin(),
    );
    await expect(writing).rejects.toMatchObject(real ? { code: "FILE_IO" } : { code: "ENOSPC" });
    expect(snapshot(workspace)).toEqual(before);
    expect(await world.state.journal.unfinished()).toEqual([]);
    await world.close();
  });

  it("refuses a change that cannot be recorded in the journal, and works again when there is room", async () => {
    const stateDir = join(base, "state");
    const real = mountSmall(stateDir, "2m");
    const world = await openWorld(base, real ? {} : { failpoint: failAt("intent") });
    writeFileSync(join(world.root, "a"), Buffer.alloc(200_000, "a"));
    const before = snapshot(world.root);
    const filler = join(stateDir, "filler");
    if (real) fill(filler);
    const data = Buffer.from("changed");
    const writing = world.journal.apply([{ op: "write", path: "a", data }], origin());
    await expect(writing).rejects.toMatchObject(real ? { code: "FILE_IO" } : { code: "ENOSPC" });
    expect(snapshot(world.root)).toEqual(before);
    rmSync(filler, { force: true });
    const again = real ? world : await openWorld(base);
    await again.journal.apply([{ op: "write", path: "a", data }], origin());
    await again.journal.undo({ path: "a" }, origin());
    expect(snapshot(world.root)).toEqual(before);
    expect(readdirSync(world.root)).toEqual(["a"]);
    expect(await again.state.integrity()).toEqual({ ok: true, problems: [] });
    if (again !== world) await again.close();
    await world.close();
  });
});

function failAt(wanted: string): (step: string) => void {
  return (step) => {
    if (step === wanted) throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
}

/** Leave not a single block free. */
function fill(file: string): void {
  const { bavail, bsize } = statfsSync(join(file, ".."));
  writeFileSync(file, Buffer.alloc(bavail * bsize));
}
