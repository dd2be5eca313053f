import * as fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import type { Lock } from "./locks.js";
import { Scheduler, type Ticket, type ToolLimits } from "./scheduler.js";
import { randomCases } from "../../test/setup/random-cases.js";

/**
 * The scheduler against a model that looks at all pairs of calls after each step. Both must have the
 * same calls running at every moment: fewer would be lost overlap, more would be a broken order.
 */
describe("Scheduler against a brute-force model", () => {
  it("runs exactly the calls that no earlier conflicting call, limit or priority holds back", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(limited, fc.constant(unlimited)),
        fc.array(step, { maxLength: 60, size: "max" }),
        async (limits, steps) => {
          const world = new World(limits);
          for (const next of steps) {
            if (next.act === "limit" && limits === unlimited) continue;
            world.take(next);
            await flushed();
            world.compare();
          }
          await drain(world);
          expect(world.scheduler.stats()).toMatchObject({ running: 0, waiting: 0, nestedRunning: 0 });
        },
      ),
      { numRuns: randomCases(1000) },
    );
  });
});

interface Settings {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  readonly tools: readonly ToolLimits[];
}

const toolLimits: fc.Arbitrary<ToolLimits> = fc.record(
  { max: fc.integer({ min: 1, max: 3 }), queue: fc.integer({ min: 0, max: 6 }) },
  { requiredKeys: [] },
);

// Where there are slots enough, a call may wait for nothing but earlier conflicting calls.
const unlimited: Settings = { maxConcurrent: 1e6, maxQueued: 1e6, tools: [{}, {}, {}] };

const limited: fc.Arbitrary<Settings> = fc.record({
  maxConcurrent: fc.constantFrom(1, 2, 3, 5, 1000),
  maxQueued: fc.constantFrom(3, 8, 1000, 1000),
  tools: fc.array(toolLimits, { minLength: 3, maxLength: 3 }),
});

const shared: fc.Arbitrary<Lock> = fc.record({
  space: fc.constantFrom("path", "path", "path", "path", "path", "path", "env", "host", "lock"),
  key: fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/a/d", "/ab", "/e/f"),
  write: fc.boolean(),
});
const ofSession: fc.Arbitrary<Lock> = fc.record(
  {
    space: fc.constant("session" as const),
    key: fc.constantFrom("s1", "s2"),
    write: fc.boolean(),
    partial: fc.constant(true as const),
  },
  { requiredKeys: ["space", "key", "write"] },
);
const lock: fc.Arbitrary<Lock> = fc.oneof(
  { arbitrary: shared, weight: 3 },
  { arbitrary: ofSession, weight: 1 },
);

const step = fc.record({
  act: fc.constantFrom(..."call call call call nest nest release release cancel limit".split(" ")),
  pick: fc.nat(),
  tool: fc.nat(2),
  priority: fc.oneof(fc.constant(0), fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true })),
  locks: fc.array(lock, { maxLength: 3 }),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Call {
  readonly parent: Call | undefined;
  readonly locks: readonly Lock[];
  readonly tool: number;
  readonly priority: number;
  state: "waiting" | "running" | "released" | "cancelled";
  ticket: Ticket | undefined;
  cancel: (() => void) | undefined;
}

class World {
  readonly calls: Call[] = [];
  readonly scheduler: Scheduler;
  #maxConcurrent: number;
  readonly #maxQueued: number;
  readonly #tools: readonly ToolLimits[];
  readonly #toolMax: number[];

  constructor({ maxConcurrent, maxQueued, tools }: Settings) {
    this.scheduler = new Scheduler({ maxConcurrent, maxQueued, monotonic: () => 0 });
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
    this.#tools = tools;
    this.#toolMax = tools.map((tool) => tool.max ?? Infinity);
  }

  take(next: Step): void {
    if (next.act === "call") this.#call(next, undefined);
    if (next.act === "nest") this.#call(next, choose(this.#started(), next.pick));
    if (next.act === "release") this.release(choose(this.#started(), next.pick));
    if (next.act === "cancel") this.#cancel(choose(this.waiting(), next.pick));
    if (next.act === "limit") this.#limit(next);
  }

  release(call: Call | undefined): void {
    if (call?.ticket === undefined) return;
    this.scheduler.release(call.ticket);
    call.state = "released";
    this.#advance();
  }

  compare(): void {
    const started = (holds: (call: Call) => boolean) => this.calls.map((call, n) => (holds(call) ? n : -1));
    assert.deepEqual(
      started((call) => call.ticket !== undefined),
      started(wasStarted),
    );
    const live = this.calls.filter((call) => this.#isLive(call));
    const count = (nested: boolean, state: string) =>
      live.filter((call) => (call.parent !== undefined) === nested && call.state === state).length;
    const { running, waiting, nestedRunning, nestedWaiting } = this.scheduler.stats();
    assert.deepEqual(
      { running, waiting, nestedRunning, nestedWaiting },
      {
        running: this.#slotsTaken().length,
        waiting: count(false, "waiting"),
        nestedRunning: count(true, "running"),
        nestedWaiting: count(true, "waiting"),
      },
    );
  }

  running(): Call[] {
    return this.calls.filter((call) => call.state === "running");
  }

  waiting(): Call[] {
    return this.calls.filter((call) => call.state === "waiting");
  }

  isBlocked(call: Call): boolean {
    const earlier = this.calls.slice(0, this.calls.indexOf(call));
    return earlier.some(
      (other) => this.#isLive(other) && isBelow(other, call.parent) && conflict(other, call),
    );
  }

  #started(): Call[] {
    return this.calls.filter(wasStarted);
  }

  #call({ locks, tool, priority }: Step, from: Call | undefined): void {
    let parent = from;
    while (parent?.state === "released") parent = parent.parent;
    const call: Call = {
      parent,
      locks,
      tool,
      priority,
      state: "waiting",
      ticket: undefined,
      cancel: undefined,
    };
    this.calls.push(call);
    this.#advance();
    const refused = call.state === "waiting" && this.#isFull(call);
    const start = () =>
      this.scheduler.acquire({
        limits: this.#tools[tool]!,
        priority,
        locks,
        ...(from?.ticket === undefined ? {} : { parent: from.ticket }),
        onAbort: (cancel) => {
          call.cancel = cancel;
          return () => {};
        },
      });
    if (refused) {
      assert.throws(() => void start(), /queue .* is full/);
      call.state = "cancelled";
      return;
    }
    const ticket = start();
    // A call that need not wait gets its ticket at once.
    assert.equal(ticket instanceof Promise, call.state === "waiting");
    if (ticket instanceof Promise) void keep(call, ticket);
    else call.ticket = ticket;
  }

  #cancel(call: Call | undefined): void {
    if (call === undefined) return;
    call.cancel?.();
    call.state = "cancelled";
    this.#advance();
  }

  #limit({ pick, tool }: Step): void {
    const max = (pick % 4) + 1;
    if (pick % 2 === 0) {
      this.#maxConcurrent = max;
      this.scheduler.setMaxConcurrent(max);
    } else {
      this.#toolMax[tool] = max;
      this.scheduler.setToolMax(this.#tools[tool]!, max);
    }
    this.#advance();
  }

  #advance(): void {
    for (const call of this.waiting()) {
      if (call.parent !== undefined && !this.isBlocked(call)) call.state = "running";
    }
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.state = "running";
  }

  #next(): Call | undefined {
    const taken = this.#slotsTaken();
    if (taken.length >= this.#maxConcurrent) return undefined;
    const ready = this.waiting().filter(
      (call) =>
        call.parent === undefined &&
        !this.isBlocked(call) &&
        taken.filter((other) => other.tool === call.tool).length < this.#toolMax[call.tool]!,
    );
    const highest = ready.reduce((most, { priority }) => Math.max(most, priority), -Infinity);
    return ready.find((call) => call.priority === highest);
  }

  #slotsTaken(): Call[] {
    return this.calls.filter((call) => call.parent === undefined && wasStarted(call) && this.#isLive(call));
  }

  #isFull(call: Call): boolean {
    const others = this.waiting().filter((other) => other !== call && other.parent === call.parent);
    if (others.length >= this.#maxQueued) return true;
    if (call.parent !== undefined) return false;
    const queue = this.#tools[call.tool]!.queue ?? Infinity;
    return others.filter((other) => other.tool === call.tool).length >= queue;
  }

  // A released call lives on in those below it.
  #isLive(call: Call): boolean {
    if (call.state === "waiting" || call.state === "running") return true;
    return this.calls.some((other) => other.parent === call && this.#isLive(other));
  }
}

function wasStarted(call: Call): boolean {
  return call.state === "running" || call.state === "released";
}

function isBelow(call: Call, ancestor: Call | undefined): boolean {
  if (ancestor === undefined) return true;
  for (let above = call.parent; above !== undefined; above = above.parent) {
    if (above === ancestor) return true;
  }
  return false;
}

function conflict(a: Call, b: Call): boolean {
  return a.locks.some((first) =>
    b.locks.some(
      (second) => (first.write || second.write) && first.space === second.space && touch(first, second),
    ),
  );
}

function touch({ space, key: a, partial: one }: Lock, { key: b, partial: other }: Lock): boolean {
  if (a === b) return !(one === true && other === true);
  return (
    space === "path" &&
    (`${b}/`.startsWith(a === "/" ? a : `${a}/`) || `${a}/`.startsWith(b === "/" ? b : `${b}/`))
  );
}

function choose(list: readonly Call[], pick: number): Call | undefined {
  return list[pick % Math.max(list.length, 1)];
}

async function keep(call: Call, waiting: Promise<Ticket>): Promise<void> {
  call.ticket = await waiting.catch(() => undefined);
}

async function drain(world: World): Promise<void> {
  for (let [next] = world.running(); next !== undefined; [next] = world.running()) {
    world.release(next);
    await flushed();
    world.compare();
  }
  assert.deepEqual(world.waiting(), []);
}

async function flushed(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}
