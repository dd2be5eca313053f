import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomCases } from "../../../test/setup/random-cases.js";
import { messageOf } from "../../contract/message-of.js";
import { LogMarks } from "../../store/log-mark.js";
import { openDatabase } from "../../store/open-database.js";
import { createOwnerGuard, takeOwnership, type OwnerGuard } from "../../store/ownership.js";
import { currentProcess } from "../../store/process-identity.js";
import type { StateParts } from "../../store/state-parts.js";
import { leaseMs, type Member, type WorkspaceEntry } from "../protocol.js";
import type { Bucket } from "./bucket.js";
import { claimWorkspace, Lease, releaseWorkspace } from "./leases.js";
import type { Kept } from "./roster.js";
import { ServerClock } from "./server-clock.js";

/** A bucket whose server has a clock of its own. */
function createBucket<T>(server: { now: number }): Bucket<T> {
  const entries = new Map<string, Kept<T>>();
  let last = 0;
  return {
    get: async (key) => entries.get(key),
    async swap(key, value, revision) {
      if ((entries.get(key)?.revision ?? 0) !== revision) return undefined;
      entries.set(key, { value, revision: (last += 1), writtenAt: server.now });
      return last;
    },
  };
}

function memberOf(id: string, incarnation: string): Member {
  return { kind: "worker", id, incarnation, protocol: 1, version: "0", host: "" };
}

/** Lets one of several programs go on at a time. */
class Interleaving {
  readonly #waiting = new Map<number, () => void>();
  #active = 0;
  #idle: () => void = () => {};

  /** @param run Given where it may be stopped: others go on there, and time passes. */
  start(index: number, run: (pause: () => Promise<void>) => Promise<void>): void {
    this.#active += 1;
    const pause = async (): Promise<void> => {
      const resumed = new Promise<void>((resolve) => this.#waiting.set(index, resolve));
      this.#left();
      await resumed;
      this.#active += 1;
    };
    void run(pause).finally(() => this.#left());
  }

  /** Let one go on to where it is stopped next, or another where it has ended; `false` where all have. */
  async step(index: number): Promise<boolean> {
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    const [next = index] = this.#waiting.has(index) ? [index] : this.#waiting.keys();
    const resume = this.#waiting.get(next);
    this.#waiting.delete(next);
    if (resume === undefined) return false;
    const stopped = new Promise<void>((resolve) => (this.#idle = resolve));
    resume();
    await stopped;
    return true;
  }

  #left(): void {
    this.#active -= 1;
    if (this.#active <= 0) this.#idle();
  }
}

interface Model {
  readonly server: { now: number };
  readonly members: Bucket<Member>;
  readonly workspaces: Bucket<WorkspaceEntry>;
  /** The state of the workspace, a real database. */
  readonly parts: StateParts;
  /** Without it, a worker that was stopped commits when it goes on. */
  readonly isFenced: boolean;
  readonly commits: string[];
}

/** Requests reach the server at one moment and their answers the worker at a later one. */
function slow<T>(bucket: Bucket<T>, pause: () => Promise<void>): Bucket<T> {
  const late = async <R>(work: () => Promise<R>): Promise<R> => {
    await pause();
    const result = await work();
    await pause();
    return result;
  };
  return {
    get: (key) => late(() => bucket.get(key)),
    swap: (key, value, revision) => late(() => bucket.swap(key, value, revision)),
  };
}

/** A worker as it is: its lease, its claims and its fence are the real ones; only what it works on is a number. */
async function work(
  model: Model,
  { index, pause }: { readonly index: number; readonly pause: () => Promise<void> },
  actions: readonly string[],
): Promise<void> {
  const { server, commits } = model;
  const [members, workspaces] = [slow(model.members, pause), slow(model.workspaces, pause)];
  // Steady clocks of machines have nothing in common; only their speed is the same.
  const monotonic = (): number => server.now + index * 120_000;
  const clock = new ServerClock(monotonic);
  clock.hear(server.now);
  const now = (): number => clock.now();
  let incarnation = 0;
  const newLease = (): Lease => new Lease(memberOf(`w${index}`, `${incarnation++}`), { members, monotonic });
  let lease = newLease();
  let owned: { readonly epoch: number; readonly guard: OwnerGuard } | undefined;
  const self = () => ({ ...lease.member, volume: "v" });
  const steps: Record<string, () => Promise<void>> = {
    async renew() {
      clock.hear(server.now);
      if (await lease.renew()) return;
      owned = undefined;
      lease = newLease();
      await lease.begin(now);
    },
    async claim() {
      if (!lease.isHeld() || owned !== undefined) return;
      const claim = await claimWorkspace({ members, workspaces, now }, "ws", self());
      if (claim.state !== "owned") return;
      await pause();
      try {
        await takeOwnership(parts, claim.epoch);
        const guard = createOwnerGuard(claim.epoch, await LogMarks.open(parts, marksDir));
        if (lease.isHeld()) owned = { epoch: claim.epoch, guard };
      } catch (cause) {
        expect(messageOf(cause)).toContain("Another worker has taken over");
      }
    },
    async commit() {
      const mine = owned;
      if (mine === undefined || !lease.isHeld()) return;
      await pause(); // stopped by the system for as long as it likes
      const committing = parts.database.transaction(async (tx) => {
        if (model.isFenced) await mine.guard.require(tx);
      });
      await committing.then(
        () => commits.push(`${mine.epoch} w${index}`),
        () => (owned = undefined),
      );
    },
    async release() {
      owned = undefined;
      await releaseWorkspace(workspaces, "ws", self());
    },
  };
  await lease.begin(now);
  for (const action of actions) await steps[action]?.();
}

const program = fc.array(fc.constantFrom("renew", "renew", "claim", "commit", "commit", "release"), {
  minLength: 6,
  maxLength: 24,
});
/** Most turns take no time; now and then one takes as long as a lease. */
const elapsed = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 900 }) },
  { weight: 2, arbitrary: fc.constantFrom(leaseMs, leaseMs + 1) },
);
const schedule = fc.record({
  programs: fc.tuple(program, program, program),
  /** Who goes on for how many steps, and how much time passes before. */
  turns: fc.array(fc.record({ worker: fc.nat(2), steps: fc.integer({ min: 1, max: 15 }), ms: elapsed }), {
    minLength: 20,
    maxLength: 80,
  }),
});

let parts: StateParts;
let marksDir: string;

beforeAll(async () => {
  marksDir = mkdtempSync(join(tmpdir(), "tenon-leases-"));
  const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} };
  const { database } = await openDatabase({
    address: ":memory:",
    dir: marksDir,
    workspace: marksDir,
    clock,
    newId: randomUUID,
    onWarning: () => {},
    patienceMs: undefined,
    name: undefined,
  });
  parts = { database, clock, newId: randomUUID, self: currentProcess() };
});
afterAll(async () => {
  await parts.database.close();
  rmSync(marksDir, { recursive: true, force: true });
});

/** Who committed, in order. */
async function play({ programs, turns }: Played, isFenced = true): Promise<readonly string[]> {
  await parts.database.run("DELETE FROM meta WHERE key = 'fleet_epoch'");
  const server = { now: 1_000_000 };
  const interleaving = new Interleaving();
  const commits: string[] = [];
  const model: Model = {
    server,
    members: createBucket(server),
    workspaces: createBucket(server),
    parts,
    isFenced,
    commits,
  };
  programs.forEach((actions, index) =>
    interleaving.start(index, (pause) => work(model, { index, pause }, actions)),
  );
  for (const { worker, steps, ms } of turns) {
    server.now += ms;
    for (let step = 0; step < steps; step += 1) await interleaving.step(worker);
  }
  while (await interleaving.step(0)); // all come to their end
  return commits;
}

/** Whether each owner committed in one stretch, and none after the next. */
function isInTurn(commits: readonly string[]): boolean {
  const stretches = commits.filter((commit, at) => commit !== commits[at - 1]);
  const epochs = stretches.map((commit) => Number(commit.split(" ")[0]));
  return epochs.every((epoch, at) => at === 0 || epoch > (epochs[at - 1] ?? 0));
}

interface Played {
  readonly programs: readonly (readonly string[])[];
  readonly turns: readonly { readonly worker: number; readonly steps: number; readonly ms: number }[];
}

describe("leases", () => {
  it("never let two workers commit in turns, wherever they are stopped and whatever is late", async () => {
    let committed = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (played) => {
        const commits = await play(played);
        committed += commits.length;
        expect(isInTurn(commits), commits.join(", ")).toBe(true);
      }),
      { numRuns: randomCases(400) },
    );
    expect(committed).toBeGreaterThan(50);
  });

  it("would, without the fence of the database: so the fence is what these runs are about", async () => {
    const found = await fc.check(
      fc.asyncProperty(schedule, async (played) => isInTurn(await play(played, false))),
      { numRuns: 3000, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });

  it("lose to a claim that came a millisecond before the renewal, and only then", async () => {
    for (const late of [0, 1]) {
      const server = { now: 1_000_000 };
      const [members, workspaces] = [createBucket<Member>(server), createBucket<WorkspaceEntry>(server)];
      const clock = new ServerClock(() => server.now);
      clock.hear(server.now);
      const lease = (id: string): Lease =>
        new Lease(memberOf(id, "0"), { members, monotonic: () => server.now });
      const claim = (by: Lease) =>
        claimWorkspace({ members, workspaces, now: () => clock.now() }, "ws", { ...by.member, volume: "v" });
      const [one, other] = [lease("one"), lease("other")];
      await one.begin(() => clock.now());
      expect(await claim(one)).toMatchObject({ state: "owned", tookOver: false });
      server.now += leaseMs + late;
      await other.begin(() => clock.now());
      expect(await claim(other)).toMatchObject(
        late === 0 ? { state: "taken", by: "one" } : { state: "owned", tookOver: true },
      );
      expect(await one.renew()).toBe(late === 0);
    }
  });

  it("tell the server's time whatever the machine's clock says, and never too late a time", () => {
    let steady = 5;
    const clock = new ServerClock(() => steady);
    expect(clock.now()).toBe(0);
    clock.hear(1000);
    steady += 100;
    expect(clock.now()).toBe(1100);
    clock.hear(1050); // it was on its way for longer
    expect(clock.now()).toBe(1100);
    clock.hear(1400);
    expect(clock.now()).toBe(1400);
  });
});
