import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { layerAdoptions, plantLayer } from "./testing/layer-changes.js";
import { manyChanges } from "./testing/many-changes.js";
import { openWorld, origin } from "./testing/open-world.js";
import { plant } from "./testing/plant.js";
import { buildChildren, type Children } from "./testing/run-child.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";
import { killEverywhere } from "../../../test/setup/kill-everywhere.js";

let children: Children;
let base: string;

beforeAll(async () => {
  children = await buildChildren();
});

beforeEach(() => {
  base = tempDir("crash");
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

/** The same beginning again, at the same place: what the journal remembers are paths and inodes. */
function plantAgain(): void {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(base, "ws"), { recursive: true });
  plant(join(base, "ws"));
}

async function checkRecovered(allowed: readonly Snapshot[]): Promise<number> {
  const world = await openWorld(base);
  try {
    const report = await world.journal.recover();
    expect(report.failed).toEqual([]);
    const now = snapshot(world.root);
    expect(allowed).toContainEqual(now);
    expect(await world.state.journal.unfinished()).toEqual([]);
    expect(await world.state.integrity()).toEqual({ ok: true, problems: [] });
    expect(await world.journal.recover()).toEqual({ completed: 0, rolledBack: 0, failed: [] });
    return allowed.findIndex((each) => isDeepStrictEqual(each, now));
  } finally {
    await world.close();
  }
}

type Snapshot = Record<string, string>;

/** Do the change, in this process, from its beginning to its end. */
async function changeAll(): Promise<Snapshot> {
  const world = await openWorld(base);
  await world.journal.apply(manyChanges, origin("the-call"));
  await world.close();
  return snapshot(world.root);
}

function plantLayerAgain(): void {
  rmSync(base, { recursive: true, force: true });
  plantLayer(base);
}

/** Commit the layer, in this process. */
async function adoptAll(): Promise<Snapshot> {
  const world = await openWorld(base);
  await world.journal.adopt(async () => layerAdoptions(base), origin("the-call"));
  await world.close();
  return snapshot(world.root);
}

/** Kill the task everywhere, each time after the same beginning, then let it come to its end; returns its last step. */
async function killTask(
  task: string,
  { prepare, check, stride }: { prepare: () => unknown; check: () => Promise<unknown>; stride: number },
): Promise<number> {
  const runTo = async (step: number): Promise<NodeJS.Signals | number | null> => {
    await prepare();
    return children.run(task, base, String(step));
  };
  const last = await killEverywhere(async (step) => {
    const end = await runTo(step);
    if (end === 0) return false;
    expect(end).toBe("SIGKILL");
    await check();
    return true;
  }, stride);
  expect(await runTo(0)).toBe(0);
  return last;
}

describe("a process killed at any step", () => {
  it("leaves all of a change or nothing", { timeout: 240_000 }, async () => {
    plantAgain();
    const before = snapshot(join(base, "ws"));
    const after = await changeAll();
    expect(after).not.toEqual(before);
    const outcomes = new Set<number>();
    const points = await killTask("change", {
      prepare: plantAgain,
      check: async () => outcomes.add(await checkRecovered([before, after])),
      stride: 3,
    });
    expect(points).toBeGreaterThan(30);
    expect(outcomes).toEqual(new Set([0, 1]));
  });

  it("leaves all of an undo or nothing, and either can be gone on from", { timeout: 240_000 }, async () => {
    plantAgain();
    const before = snapshot(join(base, "ws"));
    const after = await changeAll();
    const changeAgain = async (): Promise<void> => {
      plantAgain();
      await changeAll();
    };
    const check = async (): Promise<void> => {
      const outcome = await checkRecovered([after, before]);
      const world = await openWorld(base);
      await world.journal.undo({ callId: outcome === 0 ? "the-call" : "the-undo" }, origin());
      expect(snapshot(world.root)).toEqual(outcome === 0 ? before : after);
      await world.close();
    };
    const points = await killTask("undo", { prepare: changeAgain, check, stride: 4 });
    expect(points).toBeGreaterThan(30);
    expect(snapshot(join(base, "ws"))).toEqual(before);
  });

  it(
    "commits all changes of a command or none, and the layer is whole again",
    { timeout: 240_000 },
    async () => {
      plantLayer(base);
      const [before, layer] = [snapshot(join(base, "ws")), snapshot(join(base, "layer"))];
      const after = await adoptAll();
      const outcomes = new Set<number>();
      const check = async (): Promise<void> => {
        const outcome = await checkRecovered([before, after]);
        outcomes.add(outcome);
        if (outcome === 0) expect(snapshot(join(base, "layer"))).toEqual(layer);
      };
      await killTask("adopt", { prepare: plantLayerAgain, check, stride: 4 });
      expect(outcomes.has(0)).toBe(true);
    },
  );

  it(
    "undoes all changes of a command or none, and either can be continued from",
    { timeout: 240_000 },
    async () => {
      plantLayer(base);
      const before = snapshot(join(base, "ws"));
      const after = await adoptAll();
      const adoptAgain = async (): Promise<void> => {
        plantLayerAgain();
        await adoptAll();
      };
      const check = async (): Promise<void> => {
        const outcome = await checkRecovered([after, before]);
        const world = await openWorld(base);
        await world.journal.undo({ callId: outcome === 0 ? "the-call" : "the-undo" }, origin());
        expect(snapshot(world.root)).toEqual(outcome === 0 ? before : after);
        await world.close();
      };
      await killTask("undo", { prepare: adoptAgain, check, stride: 6 });
    },
  );

  it("may be killed again while it takes the changes of a command back", { timeout: 240_000 }, async () => {
    plantLayer(base);
    const before = snapshot(join(base, "ws"));
    const killed = async (): Promise<void> => {
      plantLayerAgain();
      expect(await children.run("adopt", base, "16")).toBe("SIGKILL");
    };
    const check = async (): Promise<unknown> => checkRecovered([before]);
    await killTask("recover", { prepare: killed, check, stride: 3 });
  });

  it.each([12, 30, 38, 44])(
    "may be killed again while it recovers from step %i",
    { timeout: 240_000 },
    async (point) => {
      plantAgain();
      const before = snapshot(join(base, "ws"));
      const after = await changeAll();
      const wound = async (): Promise<void> => {
        plantAgain();
        expect(await children.run("change", base, String(point))).toBe("SIGKILL");
      };
      const check = async (): Promise<unknown> => checkRecovered([before, after]);
      const last = await killTask("recover", { prepare: wound, check, stride: 6 });
      expect(last).toBeGreaterThan(0);
    },
  );

  it("is cleaned up after by the next change of another process too", async () => {
    mkdirSync(join(base, "ws"));
    plant(join(base, "ws"));
    const before = snapshot(join(base, "ws"));
    expect(await children.run("change", base, "25")).toBe("SIGKILL");
    const world = await openWorld(base);
    await world.journal.apply([{ op: "write", path: "next", data: Buffer.from("next") }], origin());
    await world.journal.undo({ path: "next" }, origin());
    expect(snapshot(world.root)).toEqual(before);
    await world.close();
  });

  it("loses no acknowledged value of the store", async () => {
    const child = children.start("kv", base);
    let said = "";
    await new Promise<void>((done) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.split("\n").length > 500) child.kill("SIGKILL");
      });
      child.on("close", () => done());
    });
    const last = Number(said.trimEnd().split("\n").at(-1));
    expect(last).toBeGreaterThan(400);
    const world = await openWorld(base);
    const keys = new Set(await world.state.kv("test").list());
    for (let n = 0; n <= last; n += 1) expect(keys.has(`key-${n}`)).toBe(true);
    expect(await world.state.kv("test").get(`key-${last}`)).toEqual({ n: last });
    expect(await world.state.integrity()).toEqual({ ok: true, problems: [] });
    await world.close();
  });
});

describe("several processes on one workspace", () => {
  it("keep each other's order: no change is lost", { timeout: 120_000 }, async () => {
    mkdirSync(join(base, "ws"));
    writeFileSync(join(base, "ws/log"), "");
    const ends = await Promise.all([1, 2, 3].map(() => children.run("append", base, "25")));
    expect(ends).toEqual([0, 0, 0]);
    const world = await openWorld(base);
    const lines = Buffer.from(await world.guard.read("log"))
      .toString()
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(75);
    for (const pid of new Set(lines.map((line) => line.split(" ")[0]))) {
      const own = lines
        .filter((line) => line.startsWith(`${pid} `))
        .map((line) => Number(line.split(" ")[1]));
      expect(own).toEqual([...own.keys()]);
    }
    for (let n = 0; n < 75; n += 1) await world.journal.undo({ path: "log" }, origin());
    expect(Buffer.from(await world.guard.read("log")).toString()).toBe("");
    expect(readdirSync(world.root)).toEqual(["log"]);
    await world.close();
  });

  it("break the lock of one that was killed, and of no one that lives", async () => {
    const child = children.start("hold", base, "the-key");
    await new Promise((done) => child.stdout?.once("data", done));
    const world = await openWorld(base);
    const wanted = [{ key: "the-key", mode: "shared" as const }];
    await expect(world.state.locks.acquire(wanted, { timeoutMs: 200 })).rejects.toMatchObject({
      code: "STATE_BUSY",
      message: expect.stringContaining(String(child.pid)),
    });
    const exited = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await exited;
    const held = await world.state.locks.acquire(wanted, { timeoutMs: 2000 });
    await held.release();
    expect(await world.state.locks.list()).toEqual([]);
    await world.close();
  });
});
