import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Resource, Resources } from "../contract/resources.js";
import { toLocks } from "./locks.js";
import { Scheduler } from "./scheduler.js";
import { randomCases } from "../../test/setup/random-cases.js";

describe("Scheduler outcome", () => {
  it("is that of one call after the other, for any calls, limits and durations", async () => {
    const batch = fc.array(operation, { minLength: 2, maxLength: 25, size: "max" });
    const maxConcurrent = fc.constantFrom(1, 2, 4, 100);
    await fc.assert(
      fc.asyncProperty(batch, maxConcurrent, async (operations, max) => {
        const scheduler = new Scheduler({ maxConcurrent: max, monotonic: () => 0 });
        const together = new Map<string, number>();
        const answers = await Promise.all(
          operations.map((each, id) => runScheduled({ scheduler, state: together, operation: each, id })),
        );
        const serial = new Map<string, number>();
        const expected: number[] = [];
        for (const [id, each] of operations.entries()) expected.push(await run(each, id, serial));
        expect(answers).toEqual(expected);
        expect(Object.fromEntries(together)).toEqual(Object.fromEntries(serial));
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("would not be without the scheduler", async () => {
    const state = new Map<string, number>();
    const operations: Operation[] = [5, 1].map((turns) => ({
      resources: { writes: [{ path: "/a" }] },
      turns,
      tool: 0,
      priority: 0,
      session: 0,
    }));
    const torn = await Promise.all(operations.map((each, id) => run(each, id, state)));
    const serial = new Map<string, number>();
    const expected: number[] = [];
    for (const [id, each] of operations.entries()) expected.push(await run(each, id, serial));
    expect(torn).not.toEqual(expected);
  });
});

interface Operation {
  readonly resources: Resources;
  readonly turns: number;
  readonly tool: number;
  readonly priority: number;
  readonly session: number;
}

const paths = ["/", "/a", "/a/b", "/a/b/c", "/a/d", "/ab", "/e/f"];
const tools = [{}, { max: 1 }, { max: 2 }];

const resource: fc.Arbitrary<Resource> = fc.oneof(
  fc.constantFrom(...paths.map((path) => ({ path }))),
  fc.constantFrom(...paths.map((tree) => ({ tree }))),
  fc.constantFrom({ env: "K" }, { host: "h" }, { lock: "K" }),
);

const operation: fc.Arbitrary<Operation> = fc.record({
  resources: fc.record(
    { reads: fc.array(resource, { maxLength: 2 }), writes: fc.array(resource, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
  turns: fc.nat(12),
  tool: fc.nat(2),
  priority: fc.integer({ min: -1, max: 1 }),
  session: fc.nat(2),
});

interface ScheduledRun {
  readonly scheduler: Scheduler;
  readonly state: Map<string, number>;
  readonly operation: Operation;
  readonly id: number;
}

async function runScheduled({ scheduler, state, operation, id }: ScheduledRun): Promise<number> {
  const { resources, priority, tool } = operation;
  const locks = toLocks(resources, { canonicalPath: (path) => path, sessionId: String(operation.session) });
  const ticket = await scheduler.acquire({ limits: tools[tool]!, priority, locks });
  try {
    return await run(operation, id, state);
  } finally {
    scheduler.release(ticket);
  }
}

/** Reads all it touches, takes its time, and writes what it read mixed with itself; overlap would show. */
async function run({ resources, turns }: Operation, id: number, state: Map<string, number>): Promise<number> {
  const written = (resources.writes ?? []).flatMap(cellsOf);
  const touched = [...(resources.reads ?? []).flatMap(cellsOf), ...written];
  const digest = () => touched.reduce((sum, cell) => (sum * 31 + (state.get(cell) ?? 7)) % 1_000_003, id + 1);
  const before = digest();
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  const after = digest();
  for (const cell of written) state.set(cell, (before * 3 + after) % 1_000_003);
  return before * 1_000_003 + after;
}

/** A path stands for itself and all below it. */
function cellsOf(resource: Resource): string[] {
  if ("env" in resource) return [`env ${resource.env}`];
  if ("host" in resource) return [`host ${resource.host}`];
  if ("lock" in resource) return [`lock ${resource.lock}`];
  const top = "path" in resource ? resource.path : resource.tree;
  return paths.filter((path) => path === top || path.startsWith(top === "/" ? "/" : `${top}/`));
}
