import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { underLoad } from "../../test/setup/under-load.js";
import type { HostAnswer, HostSession } from "../contract/host.js";
import { messageOf } from "../contract/message-of.js";
import { createFleetHost } from "./front/fleet-host.js";
import { fleetMetrics, viewFleet } from "./front/fleet-status.js";
import type { Front } from "./front/front.js";
import { protocolVersion } from "./protocol.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { useServers } from "./testing/use-servers.js";

const servers = useServers();
let fleet: ReturnType<typeof createFleet>;
const beats: NodeJS.Timeout[] = [];

beforeEach(() => {
  fleet = createFleet(servers);
});
afterEach(async () => {
  for (const beat of beats.splice(0)) clearInterval(beat);
  await fleet.close();
});

const never = (): AbortSignal => new AbortController().signal;
const write = (session: HostSession, path: string, content = "", timeoutMs?: number): Promise<HostAnswer> =>
  session.call({
    name: "write_file",
    arguments: { path, content },
    signal: never(),
    ...(timeoutMs && { timeoutMs }),
  });

/** A worker that renews its lease and answers nothing, on whose disk a workspace lies. */
async function silentWorker({ bus, roster }: Front, { owns }: { readonly owns: boolean }): Promise<void> {
  const facts = { kind: "worker", id: "silent", incarnation: "1", protocol: protocolVersion };
  const member = JSON.stringify({ ...facts, version: "0", host: "", slots: 64, running: 0 });
  const beat = (): Promise<unknown> => bus.members.put("silent", member);
  beats.push(setInterval(() => void beat().catch(() => {}), 500));
  bus.connection.subscribe(bus.names.worker("silent", "*"), { callback: () => {} });
  const owner = owns ? { worker: "silent", incarnation: "1" } : { worker: "", incarnation: "" };
  await beat();
  await bus.workspaces.put("slow", JSON.stringify({ ...owner, epoch: 1, home: "silent" }));
  await expect.poll(() => [roster.isAlive("silent"), roster.workspaces.has("slow")]).toEqual([true, true]);
}

describe("a worker that lives and does not answer", () => {
  for (const owns of [false, true])
    it(`is named when a list takes too long, ${owns ? "where it owns the workspace" : "also while it opens the workspace"}`, async () => {
      const { front } = await fleet.front({ listMs: 700 });
      await silentWorker(front, { owns });
      const host = createFleetHost(
        front,
        () => "slow",
        (cause) => fleet.faults.push(cause),
      );
      const session = host.openSession({});
      for (const list of [() => session.tools(), () => session.resources().list(never())]) {
        const began = performance.now();
        const told = await list().then(() => "", messageOf);
        expect(told).toContain("Worker silent ");
        expect(told).toMatch(
          owns ? /does not answer in time/ : /did not open the workspace "slow" within 0\.7 s/,
        );
        expect(performance.now() - began).toBeLessThan(underLoad(3000));
      }
    });

  it("does not hold up calls of the same session in other workspaces", async () => {
    const { dir } = await fleet.worker();
    const { front } = await fleet.front();
    await silentWorker(front, { owns: false });
    const session = { id: "s1", principal: "alice", role: "operator" as const };
    const stop = new AbortController();
    const call = (workspace: string, timeoutMs: number): Promise<HostAnswer> =>
      front.calls.run({
        id: front.newCallId(),
        workspace,
        session,
        name: "write_file",
        arguments: { path: "a.txt", content: "" },
        signal: stop.signal,
        timeoutMs,
      });
    let isOver = false;
    const held = call("slow", underLoad(8000)).finally(() => (isOver = true));
    expect((await call("main", 60_000)).envelope.error).toBeUndefined();
    expect([isOver, existsSync(join(dir, "main", "a.txt"))]).toEqual([false, true]);
    front.calls.close(); // its caller is told at once
    expect((await held).envelope).toFailWith("OUTCOME_UNKNOWN");
  });
});

describe("a session", () => {
  it("keeps its order where a large call takes longer to send than the small one after it", async () => {
    const { dir } = await fleet.worker();
    const { host } = await fleet.front();
    const session = host.openSession({});
    await write(session, "first.txt");
    const answers = await Promise.all([
      write(session, "a.txt", `${"x".repeat(8_000_000)}\n`),
      write(session, "a.txt", "small\n"),
    ]);
    expect(answers.map(({ envelope }) => envelope.error)).toEqual([undefined, undefined]);
    expect(readFileSync(join(dir, "main", "a.txt"), "utf8")).toBe("small\n");
  });

  it("is told that a call was not made where those before it waited for a place until its limit", async () => {
    const { dir, worker } = await fleet.worker({ fleet: { slots: 1 } });
    const { host } = await fleet.front();
    const stop = new AbortController();
    const sleeping = host
      .openSession({})
      .call({ name: "sleep", arguments: { duration: 60 }, signal: stop.signal });
    await expect.poll(() => worker.running).toBe(1);
    const session = host.openSession({});
    const before = write(session, "before.txt");
    await expect.poll(() => worker.running).toBe(2);
    const { error } = (await write(session, "late.txt", "", 1000)).envelope;
    expect(error).toMatchObject({ code: "WORKSPACE_UNAVAILABLE", retryable: true });
    expect(error?.message).toContain("could not begin the call within 1000 ms, so it was not made");
    stop.abort();
    expect((await sleeping).envelope.error?.code).toBe("CANCELLED");
    expect((await before).envelope.error).toBeUndefined();
    await expect.poll(() => worker.running).toBe(0);
    expect(existsSync(join(dir, "main", "late.txt"))).toBe(false);
  });
});

describe("the metrics of a fleet", () => {
  it("tell the calls that wait, how old the oldest is, and the free places by label", async () => {
    await fleet.worker({ workspaces: ["main"], labels: ["gpu", "big"], fleet: { slots: 5 } });
    await fleet.worker({ workspaces: ["other"], fleet: { slots: 7 } });
    const { front, host } = await fleet.front();
    const read = async (): Promise<string> => fleetMetrics(await viewFleet(front.bus, front.roster));
    expect(await read()).toContain("tenon_fleet_queued_calls 0\n");
    const stop = new AbortController();
    const calls = [1, 2, 3].map(() =>
      host.openSession({}).call({ name: "sleep", arguments: { duration: 60 }, signal: stop.signal }),
    );
    await expect.poll(read, { timeout: underLoad(10_000) }).toContain('{label="gpu"} 2\n');
    const metrics = await read();
    expect(metrics).toContain("tenon_fleet_queued_calls 3\n");
    expect(metrics).toContain("tenon_fleet_workers 2\n");
    expect(metrics).toContain('{label="big"} 2\n');
    expect(metrics).toContain('{label=""} 7\n');
    const oldest = Number(/^tenon_fleet_oldest_call_seconds (\S+)$/m.exec(metrics)?.[1]);
    expect(oldest).toBeGreaterThan(0);
    await expect.poll(read).not.toContain(`oldest_call_seconds ${oldest}\n`); // it grows older
    stop.abort();
    await Promise.all(calls);
    await expect.poll(read).toContain("tenon_fleet_queued_calls 0\n");
  });
});
