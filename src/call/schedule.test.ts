import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Resource } from "../index.js";
import { gate, open, tool, until } from "../../test/spine-fixture.js";

/** A tool that says what it touches by its arguments and notes when it runs. */
function worker(log: string[], members: object = {}) {
  const held = new Map<string, () => void>();
  const work = tool("work", {
    input: z.object({
      id: z.string(),
      reads: z.array(z.any()).default([]),
      writes: z.array(z.any()).default([]),
    }),
    resources: ({ reads, writes }: { reads: Resource[]; writes: Resource[] }) => ({ reads, writes }),
    annotations: {},
    execute: async (input: never) => {
      const { id } = input as { id: string };
      log.push(`+${id}`);
      const own = gate();
      held.set(id, own.open);
      await own.passed;
      log.push(`-${id}`);
      return id;
    },
    ...members,
  });
  const finish = (id: string) => held.get(id)?.();
  return { work, finish, runs: (id: string) => held.has(id) };
}

const call = (id: string, writes: Resource[] = [], reads: Resource[] = [], more: object = {}) => ({
  name: "work",
  arguments: { id, reads, writes },
  ...more,
});

const lock = (name: string): Resource[] => [{ lock: name }];

const allowAll = { policy: { rules: [{ decision: "allow" as const, tool: "*" }] } };

describe("calls", () => {
  it("that write the same thing keep the order they came in", async () => {
    const log: string[] = [];
    const { work, finish, runs } = worker(log);
    const tenon = open({ tools: [work], config: allowAll });
    const done = tenon.callMany([call("a", lock("x")), call("b", lock("x")), call("c", lock("x"))]);
    for (const id of ["a", "b", "c"]) {
      await until(() => runs(id));
      finish(id);
    }
    const answers = await done;
    expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
    expect(answers.map(({ result }) => result)).toEqual(["a", "b", "c"]);
    expect(answers[2]?.metadata.waitedMs).toBeGreaterThan(0);
  });

  it("that only read the same thing, or touch other things, run at the same time", async () => {
    const log: string[] = [];
    const { work, finish } = worker(log);
    const tenon = open({ tools: [work], config: allowAll });
    const done = tenon.callMany([
      call("a", [], lock("x")),
      call("b", [], lock("x")),
      call("c", lock("y")),
      call("d", lock("x")),
    ]);
    await until(() => log.length === 3);
    expect(log).toEqual(["+a", "+b", "+c"]);
    for (const id of ["a", "b"]) finish(id);
    await until(() => log.includes("+d"));
    for (const id of ["c", "d"]) finish(id);
    await done;
  });

  it("know that a path has many names and that a tree holds its files", async () => {
    const log: string[] = [];
    const { work, finish } = worker(log);
    const tenon = open({ tools: [work], config: allowAll });
    const done = tenon.callMany([
      call("a", [{ path: "dir/a.txt" }]),
      call("b", [{ path: "./dir/../dir//a.txt" }]),
      call("c", [{ tree: "dir" }]),
      call("d", [{ path: "other.txt" }]),
    ]);
    await until(() => log.length === 2);
    expect(log).toEqual(["+a", "+d"]);
    for (const id of ["a", "d"]) finish(id);
    await until(() => log.includes("+b"));
    expect(log).not.toContain("+c");
    finish("b");
    await until(() => log.includes("+c"));
    finish("c");
    await done;
  });

  it("of two sessions do not meet in the environment", async () => {
    const log: string[] = [];
    const { work, finish } = worker(log);
    const tenon = open({ tools: [work], config: allowAll });
    const one = tenon.createSession().call(call("a", [{ env: "X" }]));
    const other = tenon.createSession().call(call("b", [{ env: "X" }]));
    await until(() => log.length === 2);
    expect(log).toEqual(["+a", "+b"]);
    finish("a");
    finish("b");
    await Promise.all([one, other]);
  });

  it("do not exceed maxConcurrent, overall and per tool", async () => {
    const log: string[] = [];
    const { work, finish, runs } = worker(log);
    const single = { ...worker(log).work, name: "single", concurrency: { max: 1 } };
    const tenon = open({ tools: [work, single], config: { tools: { maxConcurrent: 3 } } });
    const done = tenon.callMany(Array.from({ length: 9 }, (_, index) => call(`${index}`)));
    for (let index = 0; index < 9; index++) {
      await until(() => runs(`${index}`));
      expect(
        log.filter((line) => line.startsWith("+")).length - log.filter((line) => line.startsWith("-")).length,
      ).toBeLessThanOrEqual(3);
      finish(`${index}`);
    }
    await done;
    expect(tenon.stats()).toMatchObject({ running: 0, waiting: 0, peakRunning: 3 });

    let now = 0;
    let peak = 0;
    const counted = (concurrency: object) =>
      tool("counted", {
        concurrency,
        async execute() {
          peak = Math.max(peak, ++now);
          await new Promise((resolve) => setTimeout(resolve, 2));
          now--;
        },
      });
    for (const concurrency of [{ max: 2 }, { safe: false }]) {
      peak = 0;
      const other = open({ tools: [counted(concurrency)] });
      const answers = await other.callMany(Array.from({ length: 10 }, () => ({ name: "counted" })));
      expect(answers.every(({ success }) => success)).toBe(true);
      expect(peak).toBe("max" in concurrency ? 2 : 1);
    }
  });

  it("of a higher priority start first among those that wait", async () => {
    const log: string[] = [];
    const { work, finish, runs } = worker(log);
    const tenon = open({ tools: [work], config: { tools: { maxConcurrent: 1 } } });
    const done = tenon.callMany([
      call("first"),
      call("low", [], [], { priority: -1 }),
      call("normal"),
      call("high", [], [], { priority: 5 }),
    ]);
    for (const id of ["first", "high", "normal", "low"]) {
      await until(() => runs(id));
      finish(id);
    }
    await done;
    expect(log.filter((line) => line.startsWith("+"))).toEqual(["+first", "+high", "+normal", "+low"]);
  });

  it("beyond the queue are refused at once and clearly, the others are not harmed", async () => {
    const log: string[] = [];
    const { work, finish, runs } = worker(log);
    const tenon = open({ tools: [work], config: { tools: { maxConcurrent: 1, maxQueued: 2 } } });
    const running = [call("a"), call("b"), call("c")].map((request) => tenon.call(request));
    const refused = await tenon.call(call("d"));
    expect(refused).toFailWith("QUEUE_FULL", { type: "ToolUnavailableError", retryable: true });
    for (const id of ["a", "b", "c"]) {
      await until(() => runs(id));
      finish(id);
    }
    expect((await Promise.all(running)).every(({ success }) => success)).toBe(true);
    const again = tenon.call(call("e"));
    await until(() => runs("e"));
    finish("e");
    expect(await again).toSucceed();
  });

  it("in any batch with any resources end as if one after the other", async () => {
    const resource = fc.oneof(
      fc.constantFrom("a", "b", "c").map((name): Resource => ({ lock: name })),
      fc.constantFrom("d/a", "d/b", "d", "e/f").map((path): Resource => ({ path })),
      fc.constantFrom("d", "e").map((tree): Resource => ({ tree })),
    );
    const step = fc.record({
      reads: fc.array(resource, { maxLength: 2 }),
      writes: fc.array(resource, { maxLength: 2 }),
      turns: fc.nat(3),
      priority: fc.constantFrom(undefined, -1, 3),
    });
    const keysOf = (one: Resource): string[] => {
      if ("lock" in one) return [`lock:${one.lock}`];
      const all = ["d", "d/a", "d/b", "e", "e/f", "."];
      const path = "path" in one ? one.path : "tree" in one ? one.tree : "";
      return all
        .filter((other) => path === "." || other === path || other.startsWith(`${path}/`))
        .map((p) => `path:${p}`);
    };
    const tick = (turns: number) =>
      new Promise<void>((resolve) => (turns === 0 ? resolve() : setImmediate(resolve)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, max) => {
          const world = new Map<string, string>();
          const apply = tool("apply", {
            annotations: {},
            input: z.object({
              index: z.number(),
              reads: z.array(z.any()),
              writes: z.array(z.any()),
              turns: z.number(),
            }),
            resources: ({ reads, writes }: { reads: Resource[]; writes: Resource[] }) => ({ reads, writes }),
            async execute(given: never) {
              const { index, reads, writes, turns } = given as (typeof steps)[number] & { index: number };
              const seen = [...reads, ...writes].flatMap(keysOf).map((key) => world.get(key) ?? "");
              await tick(turns);
              for (const key of writes.flatMap(keysOf)) world.set(key, `${world.get(key) ?? ""}${index};`);
              return seen.join("|");
            },
          });
          const tenon = open({
            builtIns: false,
            tools: [apply],
            config: { ...allowAll, tools: { maxConcurrent: max } },
          });
          const requests = steps.map(({ priority, ...rest }, index) => ({
            name: "apply",
            arguments: { index, ...rest },
            ...(priority !== undefined && { priority }),
          }));
          const together = (await tenon.callMany(requests)).map(({ result, error }) => result ?? error);
          const worldTogether = new Map(world);
          world.clear();
          const serial: unknown[] = [];
          for (const request of requests) {
            const { result, error } = await tenon.call(request);
            serial.push(result ?? error);
          }
          await tenon.close();
          expect(serial.every((result) => typeof result === "string")).toBe(true);
          expect(together).toEqual(serial);
          expect(worldTogether).toEqual(world);
        },
      ),
      { numRuns: 40 },
    );
  });
});
