import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Msg } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messageOf } from "../contract/message-of.js";
import { pack, unpack } from "./bus/carry.js";
import { maxInlineBytes, maxMessageBytes, protocolVersion, type AnswerMessage } from "./protocol.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { useServers } from "./testing/use-servers.js";

const { signal } = new AbortController();
const servers = useServers();
let fleet: ReturnType<typeof createFleet>;

beforeEach(() => {
  fleet = createFleet(servers);
});
afterEach(() => fleet.close());

describe("two workers that claim a workspace at once", () => {
  it("do not both have it, and the one that has it makes the calls", async () => {
    const volume = { dir: join(fleet.root, "volume"), labels: ["volume=a"] };
    const workers = [(await fleet.worker(volume)).worker, (await fleet.worker(volume)).worker];
    const { front, host } = await fleet.front();
    for (let round = 1; round <= 3; round += 1) {
      const claims = await Promise.allSettled(workers.map((worker) => worker.own("main")));
      const owner = claims.findIndex(({ status }) => status === "fulfilled");
      const refused = claims.filter(({ status }) => status === "rejected");
      expect(refused.map((one) => messageOf((one as PromiseRejectedResult).reason))).toEqual([
        `"main" is owned by ${workers[owner]?.id ?? ""}.`,
      ]);
      expect(workers.map(({ owned }) => owned.has("main"))).toEqual(workers.map((_, at) => at === owner));
      const called = await host.openSession({}).call({ name: "current_time", arguments: {}, signal });
      expect(called.envelope.error).toBeUndefined();
      expect(front.roster.ownerOf("main")).toBe(workers[owner]?.id);
      await workers[owner]?.release("main");
    }
  });
});

describe("a worker that nobody knows", () => {
  it("gets no calls, however many places it says it has", async () => {
    const { worker } = await fleet.worker();
    const { front, host } = await fleet.front();
    const { bus, roster } = front;
    const facts = { kind: "worker", id: "unknown", incarnation: "1", protocol: protocolVersion };
    const member = JSON.stringify({ ...facts, version: "9", host: "x", slots: 9999, running: 0 });
    await bus.workspaces.delete("main"); // any worker may have it
    await bus.members.put("unknown", member);
    await bus.members.put("broken", "{ not json");
    await expect
      .poll(() => [roster.isAlive("unknown"), roster.workspaces.has("main")])
      .toEqual([true, false]);
    const called = await host.openSession({}).call({ name: "current_time", arguments: {}, signal });
    expect([called.envelope.error?.message, worker.owned.has("main")]).toEqual([undefined, true]);
  });
});

describe("a request to a worker", () => {
  it("that was heard and is sent again is not obeyed", async () => {
    const { worker } = await fleet.worker();
    const { front } = await fleet.front();
    const { bus } = front;
    const heard: Msg[] = [];
    bus.connection.subscribe(bus.names.worker(worker.id, "release"), {
      callback: (_error, message) => void heard.push(message),
    });
    await worker.own("main");
    await front.ask(worker.id, { verb: "release", workspace: "main" });
    await expect.poll(() => worker.owned.has("main")).toBe(false);
    await worker.own("main");
    const { subject, data, headers } = heard[0] ?? expect.fail("no request was heard");
    const told = async (to: string): Promise<string | undefined> => {
      const reply = await bus.connection.request(to, data, { timeout: 5000, ...(headers && { headers }) });
      return reply.json<AnswerMessage>().error?.message;
    };
    expect(await told(subject)).toBe("A request was sent twice.");
    expect(await told(bus.names.worker(worker.id, "drain"))).toContain("not signed by a front");
    expect([worker.owned.has("main"), worker.isDraining]).toEqual([true, false]);
  });
});

describe("a body that is too large for a message", () => {
  it("goes through the object store, there and back, and is refused where it was changed", async () => {
    await fleet.worker();
    const { front, host } = await fleet.front();
    const { bus } = front;
    const body = { text: "y".repeat(maxInlineBytes * 3) };
    const packed = await pack(bus, body);
    expect(packed.length).toBeLessThan(1000);
    expect(await unpack(bus, packed)).toEqual(body);
    const { carried } = JSON.parse(Buffer.from(packed).toString()) as { carried: Record<string, unknown> };
    const told = (more: object): Promise<string> =>
      unpack(bus, Buffer.from(JSON.stringify({ carried: { ...carried, ...more } }))).then(
        () => "",
        messageOf,
      );
    expect(await told({ sha256: "0".repeat(64) })).toContain("changed in transit");
    expect(await told({ object: randomUUID() })).toContain("no longer in the object store");
    for (const more of [
      { object: "../../etc/passwd" },
      { size: maxMessageBytes + 1 },
      { size: 1 },
      { object: 5 },
    ])
      expect(await told(more), JSON.stringify(more)).toContain("an invalid body");
    await expect(pack(bus, "x".repeat(maxMessageBytes))).rejects.toThrow(/at most 67108864 bytes/);

    // The outcome of a call, too.
    const before = (await bus.objects.list()).length;
    const text = "z".repeat(maxInlineBytes);
    const session = host.openSession({});
    const { envelope } = await session.call({ name: "base64_encode", arguments: { text }, signal });
    expect(envelope.error).toBeUndefined();
    expect(JSON.stringify(envelope)).toContain(Buffer.from(text).toString("base64"));
    expect((await bus.objects.list()).length).toBe(before + 2);
  });
});

describe("a stream that is full", () => {
  it("takes no more calls, which are told that they were not made, until it has room again", async () => {
    const small = { maxQueueBytes: 1_048_576 };
    const { dir } = await fleet.worker({ fleet: small });
    const { front, host } = await fleet.front({ fleet: small });
    const { bus } = front;
    const write = async (path: string, content: string) => {
      const session = host.openSession({});
      return (await session.call({ name: "write_file", arguments: { path, content }, signal })).envelope;
    };
    expect((await write("before.txt", "")).error).toBeUndefined();
    // Calls for a workspace that nobody has.
    const filler = bus.names.call("nobody", "s1");
    const fill = (bytes: number): Promise<boolean> =>
      bus.jetstream.publish(filler, Buffer.alloc(bytes)).then(
        () => true,
        () => false,
      );
    for (const bytes of [200_000, 5000, 200]) while (await fill(bytes));
    const { error } = await write("full.txt", "x".repeat(1000));
    expect(error).toMatchObject({ code: "FLEET_UNAVAILABLE", retryable: true });
    expect(error?.message).toContain("Too many calls wait already, so this one was not made");
    await bus.manager.streams.purge(bus.names.calls, { filter: filler });
    expect((await write("after.txt", "")).error).toBeUndefined();
    expect(["full.txt", "after.txt"].map((name) => existsSync(join(dir, "main", name)))).toEqual([
      false,
      true,
    ]);
  });
});
