import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openState } from "./open-state.js";
import { systemClock } from "../contract/system-clock.js";
import { collectGarbage, postgresFixture, sqliteFixture, type Fixture } from "./testing/drivers.js";
import { buildChildren, outputOf, type Children } from "./testing/run-child.js";
import { underLoad } from "../../test/setup/under-load.js";

let children: Children;

beforeAll(async () => void (children = await buildChildren()));

describe.each([
  ["sqlite", sqliteFixture],
  ["postgres", postgresFixture],
] as const)("%s", (_, newFixture) => {
  let fixture: Fixture;

  beforeEach(async () => void (fixture = await newFixture()));

  afterEach(() => fixture.close());

  it("has every acknowledged write after a SIGKILL in the middle of a thousand", async () => {
    for (const [round, target] of [3, 90, 300].entries()) {
      const child = children.start("write", fixture, `${round}-`);
      let text = "";
      const gone = new Promise((done) => child.once("close", done));
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.split("\n").length > target) child.kill("SIGKILL");
      });
      await gone;
      const acknowledged = text.slice(0, text.lastIndexOf("\n")).split("\n").map(Number);
      expect(acknowledged.length).toBeGreaterThanOrEqual(target);
      expect(acknowledged.length).toBeLessThan(1000);
      const state = await fixture.open();
      const rows = await state.sql.all<{ key: string; value: string }>("SELECT key, value FROM kv");
      const values = new Map(rows.map(({ key, value }) => [key, value]));
      for (const n of acknowledged) {
        expect(values.get(`${round}-${n}`)).toBe(JSON.stringify({ n, text: "v".repeat(n % 300) }));
      }
      expect(await state.integrity()).toEqual({ ok: true, problems: [] });
      await state.close();
    }
  });

  it("loses no count where several processes write at once, the very first opening included", async () => {
    await Promise.all(Array.from({ length: 4 }, () => children.run("count", fixture, "25")));
    const state = await fixture.open();
    expect(await state.kv("n").get("n")).toBe(100);
  });

  it("keeps one whole value where two processes save the same name", async () => {
    await Promise.all([children.run("save", fixture, "a"), children.run("save", fixture, "b")]);
    const saved = await (await fixture.open()).sessions.load("shared");
    const word = saved?.env["word"] ?? "";
    expect(word).toMatch(/^[ab]-79$/);
    expect(saved?.data).toEqual(Array.from({ length: 50 }, () => word));
  });

  it("frees the locks of a process that was killed, at once", async () => {
    const child = children.start("lock", fixture, "/ws/file");
    await new Promise((held) => child.stdout?.once("data", held));
    const state = await fixture.open();
    const wanted = [{ key: "/ws/file", mode: "exclusive" }] as const;
    await expect(state.locks.acquire(wanted, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "STATE_BUSY",
    });
    const waiting = state.locks.acquire(wanted, { timeoutMs: 5000 });
    child.kill("SIGKILL");
    await (await waiting).release();
  });

  it("passes the locks of a process that is stopped on, and refuses its writes when it goes on", async () => {
    const child = children.start("fence", fixture, "journal");
    const output = outputOf(child);
    await new Promise((held) => child.stdout?.once("data", held));
    child.kill("SIGSTOP");
    // Ten seconds without a sign of life are one by this clock.
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 10 };
    const state = await fixture.open({ clock });
    const held = await state.locks.acquire([{ key: "journal", mode: "exclusive" }]);
    child.kill("SIGCONT");
    expect(await output).toContain("taken over");
    await held.release();
  });
});

describe("a process that is stopped in the middle of a write to a file", () => {
  let fixture: Fixture;
  let child: ChildProcess;

  beforeEach(async () => {
    fixture = await sqliteFixture();
    await (await fixture.open()).kv("x").set("k", 0);
    child = children.start("hold", fixture);
    await new Promise((held) => child.stdout?.once("data", held));
    child.kill("SIGSTOP");
  });

  afterEach(async () => {
    child.kill("SIGKILL");
    await fixture.close();
  });

  it("fails writers within ten seconds of their arrival, and no reader", async () => {
    // Time passes only while somebody sleeps, so no other load counts.
    let time = 0;
    const sleep = async (ms: number): Promise<void> => {
      await systemClock.sleep(1);
      time += ms;
    };
    const state = await fixture.open({ clock: { ...systemClock, monotonic: () => time, sleep } });
    await expect(state.kv("x").set("k", 1)).rejects.toMatchObject({ code: "STATE_BUSY", retryable: true });
    expect(time).toBeGreaterThan(5_000);
    expect(time).toBeLessThan(10_000);
    expect(await state.kv("x").get("k")).toBe(0);
  });

  it("fails all writers together, those who come later sooner, and none when it is gone", async () => {
    const patienceMs = 4_000;
    const state = await fixture.open({ patienceMs });
    const write = async (n: number): Promise<number> => {
      const from = performance.now();
      await expect(state.kv("x").set(`w${n}`, n)).rejects.toMatchObject({ code: "STATE_BUSY" });
      return performance.now() - from;
    };
    const times = await Promise.all([1, 2, 3, 4, 5, 6].map(write));
    expect(Math.min(...times)).toBeGreaterThan(patienceMs * 0.9);
    expect(Math.max(...times)).toBeLessThan(underLoad(patienceMs * 2));
    expect(await write(7)).toBeLessThan(Math.min(...times) * 0.9);
    const gone = new Promise((done) => child.once("close", done));
    child.kill("SIGKILL");
    await gone;
    await state.kv("x").set("w8", 8);
    expect(await state.kv("x").list()).toEqual(["k", "w8"]);
    expect(await state.sql.get("SELECT value FROM meta WHERE key = 'held'")).toBeUndefined();
  });
});

describe("a full disk", () => {
  let base: string;
  let isMounted = false;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "tenon-full-"));
    mkdirSync(join(base, "ws"));
    mkdirSync(join(base, "state"));
    isMounted = tryMount(join(base, "state"));
  });

  afterEach(async () => {
    await collectGarbage();
    if (isMounted) execFileSync("umount", [join(base, "state")]);
    rmSync(base, { recursive: true, force: true });
  });

  it("is said clearly, and what was acknowledged before is there", async () => {
    const places = { stateDir: join(base, "state"), workspace: join(base, "ws") };
    // Without the right to mount, a limit on the size of files does the same.
    const limit = isMounted ? "" : "ulimit -f 2048; ";
    const child = spawn(
      "sh",
      ["-c", `${limit}exec "$@"`, "sh", process.execPath, children.file, "fill", JSON.stringify(places)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const { code, written, found } = JSON.parse(await outputOf(child)) as Record<string, unknown>;
    expect({ code, found }).toEqual({ code: "FILE_IO", found: written });
    expect(written).toBeGreaterThan(10);
    const state = await openState(places);
    expect(await state.kv("x").list()).toHaveLength(Number(written));
    expect(state.warnings).toEqual([]);
    expect(await state.integrity()).toEqual({ ok: true, problems: [] });
    await state.close();
  });
});

function tryMount(dir: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", dir], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
