import { setMaxListeners } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostSession } from "../contract/host.js";
import { pack } from "./bus/carry.js";
import { sign } from "./bus/signed.js";
import { createProofs, type FrontKey } from "./keys.js";
import { maxAgeMs, type CallMessage } from "./protocol.js";
import type { Front } from "./front/front.js";
import { createWorkspaceOf } from "./front/workspace-of.js";
import { createFleetHost } from "./front/fleet-host.js";
import { resolveConfig } from "../config/resolve-config.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { useServers } from "./testing/use-servers.js";

const { signal } = new AbortController();
setMaxListeners(0, signal); // many calls at once share it
const newProof = createProofs();
const servers = useServers();
let fleet: ReturnType<typeof createFleet>;

beforeEach(() => {
  fleet = createFleet(servers);
});
afterEach(() => fleet.close());

const write = (session: HostSession, path: string, content: string) =>
  session.call({ name: "write_file", arguments: { path, content }, signal });

describe("a fleet", () => {
  it("carries calls to the owner of the workspace in order, with large arguments and progress", async () => {
    const { dir } = await fleet.worker();
    const { host } = await fleet.front();
    const session = host.openSession({ principal: "alice", role: "operator" });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => write(session, "a.txt", `${n}\n`)));
    expect(answers.map(({ envelope }) => envelope.error)).toEqual(answers.map(() => undefined));
    expect(readFileSync(join(dir, "main", "a.txt"), "utf8")).toBe("5\n");
    // More than a message of NATS may hold, there and back.
    const large = `${"x".repeat(3_000_000)}\n`;
    expect((await write(session, "large.txt", large)).envelope.error).toBeUndefined();
    expect(readFileSync(join(dir, "main", "large.txt"), "utf8")).toBe(large);
    const tools = await session.tools();
    expect(tools.map(({ name }) => name)).toContain("write_file");
    const progress: unknown[] = [];
    const ran = await session.call({
      name: "shell_exec",
      arguments: { command: "pwd" },
      signal,
      onProgress: (report) => progress.push(report),
    });
    expect([ran.envelope.success, progress.length > 0]).toEqual([true, true]);
    expect(fleet.faults).toEqual([]);
  });

  it("makes a call once for a key, whichever front it comes through", async () => {
    const { worker } = await fleet.worker();
    const [one, other] = [await fleet.front(), await fleet.front()];
    const call = (host: typeof one.host) =>
      host.openSession({ principal: "alice" }).call({
        name: "write_file",
        arguments: { path: "once.txt", content: "1" },
        idempotencyKey: "k1",
        signal,
      });
    const [first, second] = await Promise.all([call(one.host), call(other.host)]);
    expect([first, second].map(({ envelope }) => envelope.success)).toEqual([true, true]);
    expect(first.envelope.callId).toBe(second.envelope.callId);
    const log = await worker.owned.get("main")?.tenon.audit.search({ tool: "write_file", limit: 10 });
    expect(log).toHaveLength(1);
  });

  it("cancels a call from the front", async () => {
    const { worker } = await fleet.worker();
    const { host } = await fleet.front();
    const stop = new AbortController();
    const session = host.openSession({});
    const running = session.call({ name: "sleep", arguments: { duration: 60 }, signal: stop.signal });
    await expect.poll(() => worker.running).toBe(1);
    stop.abort(new Error("enough"));
    expect((await running).envelope.error?.code).toMatch(/CANCELLED/);
  });

  it("drains: hands the workspace to another on the volume, which goes on with the calls", async () => {
    const volume = { dir: join(fleet.root, "volume"), labels: ["volume=a"] };
    const [first, second] = [await fleet.worker(volume), await fleet.worker(volume)];
    const { host, front } = await fleet.front();
    const session = host.openSession({});
    expect((await write(session, "a.txt", "1\n")).envelope.error).toBeUndefined();
    const [owner, next] = first.worker.owned.has("main") ? [first, second] : [second, first];
    const calls = Array.from({ length: 20 }, (_, n) => write(session, `${n}.txt`, `${n}\n`));
    await owner.worker.drain();
    const answers = await Promise.all(calls);
    expect(answers.map(({ envelope }) => envelope.error)).toEqual(answers.map(() => undefined));
    expect(readFileSync(join(volume.dir, "main", "19.txt"), "utf8")).toBe("19\n");
    expect(front.roster.ownerOf("main")).toBe(next.worker.id);
    // The same journal and the same log, on another worker.
    const changes = await next.worker.owned.get("main")?.tenon.history();
    expect(changes).toHaveLength(21);
  });

  it("tells callers at once that a workspace waits for the worker that has its disk", async () => {
    const { worker } = await fleet.worker();
    const { host } = await fleet.front();
    const session = host.openSession({});
    expect((await write(session, "a.txt", "1")).envelope.error).toBeUndefined();
    await worker.close();
    const { envelope } = await write(session, "a.txt", "2");
    expect(envelope.error?.code).toBe("WORKSPACE_UNAVAILABLE");
    expect(envelope.error?.message).toContain(`waits for its worker ${worker.id}`);
  });

  it("makes workspaces from templates and repositories, one for each session, and removes them", async () => {
    const templates = join(fleet.root, "templates");
    mkdirSync(join(templates, "shop"), { recursive: true });
    writeFileSync(join(templates, "shop", "README.md"), "a template\n");
    const repository = join(fleet.root, "repository");
    execFileSync("git", ["init", "-q", repository]);
    writeFileSync(join(repository, "code.txt"), "code\n");
    const git = ["-C", repository, "-c", "user.email=a@example.org", "-c", "user.name=a"];
    execFileSync("git", [...git, "add", "."]);
    execFileSync("git", [...git, "commit", "-qm", "first"]);
    const { dir } = await fleet.worker({
      workspaces: [],
      fleet: { templates, repositories: [repository] },
      dir: join(fleet.root, "w"),
    });
    const { front } = await fleet.front();
    const endpoints = {
      shop: { workspace: { name: "shop-{session}", template: "shop", atEnd: "remove" as const } },
      code: { workspace: { name: "code-{user}", git: repository } },
      secret: { workspace: { name: "secret", git: "/etc" } },
      outside: { workspace: { name: "outside", template: "../w" } },
    };
    const config = resolveConfig({ endpoints, fleet: { nats: servers.nats } });
    const host = createFleetHost(front, createWorkspaceOf(front, config), (cause) =>
      fleet.faults.push(cause),
    );
    const read = (endpoint: string, path: string, principal = "Ann.B") => {
      const session = host.openSession({ endpoint, principal });
      return session
        .call({ name: "read_file", arguments: { path }, signal })
        .then(({ envelope }) => ({ session, envelope }));
    };
    const shop = await read("shop", "README.md");
    expect(shop.envelope.error).toBeUndefined();
    const folder = join(dir, (shop.session as unknown as { workspace: string }).workspace);
    expect(existsSync(folder)).toBe(true);
    await shop.session.close();
    await expect.poll(() => existsSync(folder)).toBe(false);
    const code = await read("code", "code.txt");
    expect(code.envelope.error).toBeUndefined();
    expect(existsSync(join(dir, "code-_41_nn_2e__42_", "code.txt"))).toBe(true);
    expect((await read("secret", "passwd")).envelope.error?.message).toContain("fleet.repositories");
    expect((await read("outside", "x")).envelope.error?.message).toContain("outside fleet.templates");
  });

  it("works between neighbouring versions of the protocol, and says so where they are too far apart", async () => {
    await fleet.worker({ version: 2 });
    const [older, newer, far] = [
      await fleet.front({ version: 1 }),
      await fleet.front({ version: 3 }),
      await fleet.front({ version: 4 }),
    ];
    for (const [n, { host }] of [older, newer].entries())
      expect((await write(host.openSession({}), `${n}.txt`, "1")).envelope.error).toBeUndefined();
    const { envelope } = await write(far.host.openSession({}), "far.txt", "2");
    expect(envelope.error?.message).toMatch(/version 4 of the protocol/);
  });
});

describe("a busy worker", () => {
  it("takes calls of a high priority first, and refuses what is beyond a quota", async () => {
    const quotas = { calls: 9, callsByPrincipal: 6, workspaces: 1 };
    const { dir } = await fleet.worker({ workspaces: ["main", "other"], fleet: { slots: 1, quotas } });
    const { front } = await fleet.front({ fleet: { quotas } });
    const config = resolveConfig({
      endpoints: { urgent: { priority: "high" }, batch: { priority: "low" } },
      fleet: { nats: servers.nats },
    });
    const host = createFleetHost(front, createWorkspaceOf(front, config), (cause) =>
      fleet.faults.push(cause),
    );
    const call = (endpoint: string, name: string, args: object, principal = endpoint) =>
      host.openSession({ endpoint, principal }).call({ name, arguments: args, signal });
    const append = (endpoint: string) =>
      call(endpoint, "shell_exec", { command: `echo ${endpoint} >> order.txt` });
    await call("plain", "current_time", {});
    const first = call("plain", "sleep", { duration: 1 });
    await expect
      .poll(async () => (await front.bus.manager.streams.info(front.bus.names.calls)).state.messages)
      .toBe(1);
    const rest = [append("batch"), append("plain"), append("urgent")];
    const answers = await Promise.all([first, ...rest]);
    expect(answers.map(({ envelope }) => envelope.error)).toEqual(answers.map(() => undefined));
    expect(readFileSync(join(dir, "main", "order.txt"), "utf8")).toBe("urgent\nplain\nbatch\n");
    // One user may not have more than six, and all together not more than nine.
    const greedy = Array.from({ length: 8 }, () => call("plain", "sleep", { duration: 0.3 }, "greedy"));
    const codes = (await Promise.all(greedy)).map(({ envelope }) => envelope.error?.message ?? "done");
    expect(codes.filter((message) => message.includes('Too many calls of "greedy"'))).toHaveLength(2);
    const many = Array.from({ length: 12 }, (_, n) => call("plain", "sleep", { duration: 0.3 }, `u${n}`));
    const told = (await Promise.all(many)).map(({ envelope }) => envelope.error?.message ?? "done");
    expect(told.filter((message) => message.includes("Too many calls wait already")).length).toBeGreaterThan(
      0,
    );
    const elsewhere = createFleetHost(
      front,
      () => "other",
      (cause) => fleet.faults.push(cause),
    );
    const refused = await elsewhere.openSession({}).call({ name: "current_time", arguments: {}, signal });
    expect(refused.envelope.error?.message).toContain("fleet.quotas.workspaces");
  });
});

describe("a call with a limit", () => {
  it("has what its wait for a worker left of it, and is not made where nothing is left", async () => {
    const { dir } = await fleet.worker({ workspaces: ["main"], fleet: { slots: 1 } });
    const { front, host } = await fleet.front();
    const call = (name: string, args: object, timeoutMs?: number) =>
      host.openSession({}).call({ name, arguments: args, signal, ...(timeoutMs && { timeoutMs }) });
    await call("current_time", {});
    const first = call("sleep", { duration: 1 });
    await expect
      .poll(async () => (await front.bus.manager.streams.info(front.bus.names.calls)).state.messages)
      .toBe(1);
    const [slow, late] = await Promise.all([
      call("sleep", { duration: 30 }, 2000),
      call("write_file", { path: "late.txt", content: "" }, 100),
    ]);
    await first;
    const { code, details } = slow.envelope.error ?? {};
    expect(code).toBe("TIMED_OUT");
    expect(details?.["timeoutMs"]).toBeLessThan(1500);
    expect(late.envelope.error?.message).toContain("No worker could begin the call within");
    expect(existsSync(join(dir, "main", "late.txt"))).toBe(false);
  });
});

describe("messages that do not belong to the fleet", () => {
  interface Forged {
    readonly body?: Partial<CallMessage>;
    readonly key?: FrontKey;
    readonly subject?: string;
    readonly msgID?: string;
    readonly tamper?: boolean;
    readonly version?: number;
  }

  /** Send a call as somebody who can reach the subjects would. */
  async function forge(
    front: Front,
    own: FrontKey,
    { body, key = own, subject, msgID, tamper, version }: Forged,
  ): Promise<string> {
    const { bus, roster, id } = front;
    const callId = front.newCallId();
    const call: CallMessage = {
      tenant: bus.tenant,
      workspace: "main",
      issuedAt: roster.clock.now(),
      callId,
      front: id,
      proof: newProof(),
      session: { id: "s1", principal: "mallory", role: "admin" },
      name: "write_file",
      arguments: { path: `${callId}.txt`, content: "forged" },
      ...body,
    };
    const signedFor = bus.names.call("main", "s1");
    const payload = await pack(bus, call);
    const headers = sign({ bus, key, version }, signedFor, payload);
    const sent =
      tamper === true
        ? await pack(bus, { ...call, arguments: { path: `${callId}.txt`, content: "other" } })
        : payload;
    await bus.jetstream.publish(subject ?? signedFor, sent, { msgID: msgID ?? callId, headers });
    return callId;
  }

  it("are not obeyed: unsigned, changed, replayed, for others, too old; good ones after them are", async () => {
    const { dir, worker } = await fleet.worker();
    const { front, key, host } = await fleet.front();
    const stranger = await fleet.front({ trusted: false });
    const session = host.openSession({});
    expect((await write(session, "first.txt", "1")).envelope).toSucceed();
    const { bus } = front;
    const forged = [
      await forge(front, key, { key: stranger.key }),
      await forge(front, key, { tamper: true }),
      await forge(front, key, { subject: bus.names.call("main", "s2") }),
      await forge(front, key, { body: { tenant: "other" } }),
      await forge(front, key, { body: { workspace: "other" } }),
      await forge(front, key, { body: { issuedAt: front.roster.clock.now() - maxAgeMs - 5000 } }),
      await forge(front, key, { msgID: "another-id" }),
      await forge(front, key, { body: { name: 5 as never } }),
    ];
    await bus.jetstream.publish(bus.names.call("main", "s1"), "{ not json");
    await bus.jetstream.publish(bus.names.call("main", "s1"), new Uint8Array([0xff, 0xfe, 0]));
    bus.connection.publish(bus.names.worker(worker.id, "drain"), JSON.stringify({ verb: "drain" }));
    // A good one, sent twice: the stream drops the second.
    const good = await forge(front, key, {});
    await forge(front, key, { body: { callId: good }, msgID: good });
    expect((await write(session, "last.txt", "1")).envelope).toSucceed();
    await expect.poll(() => existsSync(join(dir, "main", `${good}.txt`))).toBe(true);
    for (const callId of forged) expect(existsSync(join(dir, "main", `${callId}.txt`))).toBe(false);
    const log = await worker.owned.get("main")?.tenon.audit.search({ tool: "write_file", limit: 100 });
    expect(log).toHaveLength(3);
    expect(worker.isDraining).toBe(false);
    expect(fleet.faults.length).toBeGreaterThanOrEqual(forged.length);
    const { state } = await bus.manager.streams.info(bus.names.calls);
    await expect.poll(async () => (await bus.manager.streams.info(bus.names.calls)).state.messages).toBe(0);
    expect(state.last_seq).toBeGreaterThan(forged.length);
  });

  it("are understood where a neighbouring version knows fewer fields, or more", async () => {
    const { dir, worker } = await fleet.worker({ version: 2 });
    const { front, key, host } = await fleet.front();
    await write(host.openSession({}), "first.txt", "1");
    const more = { region: "north", deadline: { at: 1 } };
    const session = { id: "s1", principal: "alice", role: "admin" as const, ...more };
    const client = { supports: { elicitForm: false, elicitUrl: false, sample: false, more }, ...more };
    const calls = [
      // As version 1 sent them: without what came later.
      await forge(front, key, { version: 1, body: { session: { id: "s1" } } }),
      await forge(front, key, { version: 3, body: { session, client, ...more } }),
    ];
    for (const callId of calls)
      await expect.poll(() => existsSync(join(dir, "main", `${callId}.txt`))).toBe(true);
    // Workers and outcomes of the next version, too.
    const { bus, roster } = front;
    const member = { ...roster.members.get(worker.id)?.value, id: "next", protocol: 3, ...more };
    await bus.members.put("next", JSON.stringify(member));
    await expect.poll(() => roster.workers().map(({ id }) => id)).toContain("next");
    const id = front.newCallId();
    let proof = "";
    bus.connection.subscribe(bus.names.allCalls, {
      callback: (_error, message) => void (proof = message.json<CallMessage>().proof),
    });
    await bus.connection.flush();
    const sleeping = host.openSession({}).call({ id, name: "sleep", arguments: { duration: 2 }, signal });
    await expect.poll(() => proof).not.toBe("");
    const envelope = { callId: id, toolName: "sleep", success: true, content: [], metadata: {}, ...more };
    const outcome = { callId: id, proof, worker: "next", wrapped: false, maxChars: 9, envelope, ...more };
    await bus.jetstream.publish(bus.names.outcome(front.id, id), JSON.stringify(outcome));
    expect((await sleeping).envelope).toSucceed();
    expect((await sleeping).envelope).toMatchObject({ region: "north" });
  });

  it("are carried out by the next owner where the one before had taken them and not begun", async () => {
    const { dir, worker } = await fleet.worker();
    const { front, key } = await fleet.front();
    const tenon = (await worker.own("main")).tenon;
    const callId = front.newCallId();
    const path = `${callId}.txt`;
    const stopped = AbortSignal.abort(new Error("This worker lost the workspace."));
    const session = tenon.createSession({ principal: "mallory" });
    const request = { id: tenon.newCallId(callId), name: "write_file", arguments: { path, content: "" } };
    expect(await session.call({ ...request, signal: stopped })).toFailWith("CANCELLED");
    expect(await tenon.result(callId, { principal: "mallory" })).toMatchObject({ state: "done" });
    await worker.release("main");
    await forge(front, key, { body: { callId, arguments: request.arguments }, msgID: callId });
    await worker.own("main");
    await expect.poll(() => existsSync(join(dir, "main", path))).toBe(true);
    // Its caller only knows its first id.
    const identity = { principal: "mallory", kind: "program", role: "admin" };
    const http = { method: "GET", path: `/api/calls/${callId}`, admission: { by: "user", identity } };
    const ask = async (): Promise<unknown> => {
      const { body } = (await front.askOwner("main", { verb: "http", http })) as { body: string };
      return (JSON.parse(Buffer.from(body, "base64").toString()) as { state: unknown }).state;
    };
    await expect.poll(ask).toBe("succeeded");
  });

  it("cannot be outcomes of a worker that has not read the call", async () => {
    await fleet.worker();
    const { front, host } = await fleet.front();
    const session = host.openSession({});
    await write(session, "a.txt", "1");
    const id = front.newCallId();
    const running = session.call({ id, name: "sleep", arguments: { duration: 0.5 }, signal });
    const lie = { callId: id, toolName: "sleep", success: true };
    const outcome = {
      callId: id,
      proof: newProof(),
      worker: "w1",
      envelope: lie,
      wrapped: false,
      maxChars: 1,
    };
    await front.bus.jetstream.publish(front.bus.names.outcome(front.id, id), JSON.stringify(outcome));
    expect((await running).envelope.content).not.toBeUndefined();
  });
});
