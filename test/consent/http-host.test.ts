import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envelope } from "../mcp-fixture.js";
import { openConsentFixture, until, type ConsentFixture, type Served } from "./fixture.js";
import { underLoad } from "../setup/under-load.js";

let fixture: ConsentFixture;
let served: Served;
beforeAll(async () => {
  fixture = openConsentFixture();
  served = await fixture.serve();
});
afterAll(() => fixture.close());

const write = (path: string) => ({ name: "write_file", arguments: { path, content: "x\n" } });

interface Connected {
  readonly client: Client;
  /** What the host was asked to show its person. */
  readonly asked: Record<string, unknown>[];
  readonly progress: string[];
  call(request: { name: string; arguments: object }): Promise<Record<string, unknown>>;
}

/** A host that says yes to everything it is asked, for good where it can. */
async function connect(
  name: string,
  at = served,
  elicitation: Record<string, Record<string, never>> = {},
): Promise<Connected> {
  const asked: Record<string, unknown>[] = [];
  const progress: string[] = [];
  const client = new Client({ name, version: "7.1" }, { capabilities: { elicitation } });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params);
    return { action: "accept" as const, content: { decision: "always", approved: true } };
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${at.mcpToken}` } },
    }),
  );
  return {
    client,
    asked,
    progress,
    call: (request) =>
      client.callTool(request as { name: string }, {
        onprogress: ({ message }) => void progress.push(message ?? ""),
        timeout: 60_000,
      }),
  };
}

/** A request of 2026-07-28, past any SDK. */
async function modern(params: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
  const meta = envelope({ elicitation: { form: {}, url: {} } }) as Record<string, unknown>;
  const key = "io.modelcontextprotocol/clientInfo";
  const _meta = { ...meta, [key]: { name: "modern-host", version: "2" }, progressToken: 1 };
  const reply = await fetch(`${served.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${served.mcpToken}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "write_file",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta } }),
    ...(signal && { signal }),
  });
  const text = await reply.text();
  const messages = text.startsWith("{")
    ? [text]
    : text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  return JSON.parse(messages.at(-1) ?? "{}") as Record<string, unknown>;
}

describe("a host with nothing but the MCP token", () => {
  it("is not asked for consent to its own call: the person at the server is, who sees which host it is", async () => {
    const host = await connect("friendly-host");
    const calling = host.call(write("a.txt"));
    const [request] = await fixture.waiting(served);
    expect(request).toMatchObject({
      toolName: "write_file",
      client: { name: "friendly-host", version: "7.1" },
      agent: "friendly-host",
      sessionId: expect.any(String),
      risk: expect.any(String),
      requestedAt: expect.any(Number),
      arguments: { path: "a.txt" },
    });
    expect(request?.channels).not.toContain("host");
    expect(existsSync(join(fixture.dir, "a.txt"))).toBe(false);
    const answered = await fixture.answer(served, request!.id, { verdict: "session" });
    expect(answered.status).toBe(200);
    expect((await calling)["structuredContent"]).toMatchObject({ created: true });
    expect(host.asked).toEqual([]);
    expect(host.progress.join("\n")).toContain(`${served.url}/#/approvals/${request!.id}`);
    const [record] = await fixture.log(served);
    expect(record).toMatchObject({
      tool: "write_file",
      agent: "friendly-host",
      client: { name: "friendly-host", version: "7.1" },
      approval: {
        verdict: "session",
        channel: "api",
        waitedMs: expect.any(Number),
        rule: { source: "session", text: expect.stringContaining("friendly-host") },
      },
    });
    await host.client.close();
  });

  it("cannot bring its consent along in 2026-07-28, nor is it asked there", async () => {
    const answers = Object.fromEntries(
      ["decision", "approval", "1", "input-1"].map((key) => [
        key,
        { action: "accept", content: { decision: "always" } },
      ]),
    );
    const calling = modern({ ...write("b.txt"), inputResponses: answers, requestState: undefined });
    const [request] = await fixture.waiting(served);
    expect(request).toMatchObject({ agent: "modern-host", client: { name: "modern-host", version: "2" } });
    const { status } = await fixture.answer(served, request!.id, { verdict: "no", reason: "not now" });
    expect(status).toBe(200);
    const reply = await calling;
    expect(JSON.stringify(reply)).toContain("not now");
    expect(JSON.stringify(reply)).not.toContain("input_required");
    expect(existsSync(join(fixture.dir, "b.txt"))).toBe(false);
  });

  it("gets nowhere with the server's API, whatever it asks there", async () => {
    const host = await connect("sly-host");
    const calling = host.call(write("c.txt"));
    const [request] = await fixture.waiting(served);
    const { mcpToken } = served;
    for (const path of [`/api/approvals/${request!.id}`, "/api/approvals/refuse"]) {
      const reply = await fixture.call(served, path, { verdict: "always" }, mcpToken);
      expect([reply.status, reply.body.error.code]).toEqual([403, "TOKEN_FOR_MCP"]);
    }
    expect((await fixture.call(served, "/api/approvals", undefined, mcpToken)).status).toBe(403);
    await fixture.answer(served, request!.id, { verdict: "no" });
    expect(JSON.stringify(await calling)).toContain("APPROVAL_DENIED");
    await host.client.close();
  });

  it.each(["person", "default", "cli", "Person", "ｐｅｒｓｏｎ", "‮person", "x".repeat(500), ""])(
    "cannot pass for somebody else by the name %j",
    async (name) => {
      const host = await connect(name);
      const calling = host.call(write("d.txt"));
      const [request] = await fixture.waiting(served);
      expect(request?.agent).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      expect(["person", "default", "cli"]).not.toContain(request?.agent.toLowerCase());
      await fixture.answer(served, request!.id, { verdict: "no" });
      await calling;
      await host.client.close();
    },
  );

  it("is asked to open the approval's address where it can, and what it says to that is no consent", async () => {
    const host = await connect("url-host", served, { form: {}, url: {} });
    const calling = host.call(write("e.txt"));
    const [request] = await fixture.waiting(served);
    await until(async () => (host.asked.length > 0 ? true : undefined), "a URL elicitation");
    expect(host.asked).toMatchObject([{ mode: "url", url: `${served.url}/#/approvals/${request!.id}` }]);
    expect(host.asked[0]?.["url"]).not.toContain(served.token);
    expect(await fixture.waiting(served)).toHaveLength(1);
    await fixture.answer(served, request!.id, { verdict: "no" });
    await calling;
    await host.client.close();
  });

  it("is counted under its own name", async () => {
    const { clients } = (await fixture.call(served, "/api/metrics")).body;
    const row = { client: "friendly-host", agent: "friendly-host", calls: 1, failures: 0, approvals: 1 };
    expect(clients).toContainEqual(expect.objectContaining(row));
    const text = await fetch(`${served.url}/metrics`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect(await text.text()).toContain(
      'tenon_client_calls_total{client="friendly-host",agent="friendly-host"} 1',
    );
  });

  it("is still asked what tools want to know of its person", async () => {
    const host = await connect("asking-host");
    const reply = await host.call({
      name: "request_confirmation",
      arguments: { stage_name: "plan", message: "Go on?" },
    });
    expect(host.asked).toHaveLength(1);
    expect(JSON.stringify(reply)).toContain("approved");
    await host.client.close();
  });
});

describe("an answer", () => {
  it("with arguments that do not fit is refused with the fault, and the request still waits", async () => {
    const host = await connect("fault-host");
    const calling = host.call(write("f.txt"));
    const [request] = await fixture.waiting(served);
    const bad = await fixture.answer(served, request!.id, { verdict: "once", updatedArguments: { path: 5 } });
    expect([bad.status, bad.body.error.code]).toEqual([400, "ARGUMENTS_INVALID"]);
    expect(bad.body.error.message).toContain("path");
    expect((await fixture.waiting(served))[0]?.id).toBe(request!.id);
    const updatedArguments = { path: "g.txt", content: "changed\n" };
    await fixture.answer(served, request!.id, { verdict: "once", updatedArguments });
    expect((await calling)["isError"]).not.toBe(true);
    expect(readFileSync(join(fixture.dir, "g.txt"), "utf8")).toBe("changed\n");
    expect(existsSync(join(fixture.dir, "f.txt"))).toBe(false);
    const [record] = await fixture.log(served);
    expect(record?.approval?.changed).toMatchObject({
      from: { path: "f.txt", content: "x\n" },
      to: updatedArguments,
    });
    await host.client.close();
  });

  it("that comes second is told who was first", async () => {
    const host = await connect("race-host");
    const calling = host.call(write("h.txt"));
    const [request] = await fixture.waiting(served);
    const replies = await Promise.all([
      fixture.answer(served, request!.id, { verdict: "no", reason: "one" }),
      fixture.answer(served, request!.id, { verdict: "no", reason: "two" }),
    ]);
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
    const late = replies.find(({ status }) => status === 409);
    expect(late?.body.error).toMatchObject({
      code: "ALREADY_ANSWERED",
      details: { verdict: "no", channel: "api", at: expect.any(Number) },
    });
    await calling;
    expect((await fixture.answer(served, request!.id, { verdict: "once" })).status).toBe(409);
    await host.client.close();
  });

  it("refuses all of a session with one reason, and nothing of another", async () => {
    const [one, other] = [await connect("many-host"), await connect("other-host")];
    const calls = Array.from({ length: 5 }, (_, at) => one.call(write(`many-${at}.txt`)));
    const spared = other.call(write("spared.txt"));
    const all = await fixture.waiting(served, 6);
    const { sessionId = "" } = all.find(({ client }) => client?.name === "many-host") ?? {};
    expect(await fixture.waiting(served, 5, `?session=${sessionId}`)).toHaveLength(5);
    expect(await fixture.waiting(served, 1, "?client=other-host&tool=write_file")).toHaveLength(1);
    expect((await fixture.call(served, "/api/approvals/refuse", { reason: "x" })).status).toBe(400);
    const refusal = { session: sessionId, reason: "all of it" };
    const { body } = await fixture.call(served, "/api/approvals/refuse", refusal);
    expect(body).toEqual({ refused: 5 });
    for (const reply of await Promise.all(calls)) expect(JSON.stringify(reply)).toContain("all of it");
    const [left] = await fixture.waiting(served);
    await fixture.answer(served, left!.id, { verdict: "once" });
    expect((await spared)["isError"]).not.toBe(true);
    await Promise.all([one.client.close(), other.client.close()]);
  });
});

describe("a caller that is gone", () => {
  const expectWithdrawn = async (program: string): Promise<void> => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "ignore", "inherit"],
    });
    await fixture.waiting(served, 3);
    child.kill("SIGKILL");
    const began = Date.now();
    await fixture.waiting(served, 0);
    expect(Date.now() - began).toBeLessThan(underLoad(5000));
    const cancelled = (await fixture.log(served)).slice(0, 3);
    expect(cancelled.map(({ approval }) => approval?.verdict)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
  };

  it(
    "takes its requests along: a host of 2025",
    () =>
      expectWithdrawn(`
      import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
      const client = new Client({ name: "doomed", version: "1" }, { capabilities: {} });
      await client.connect(new StreamableHTTPClientTransport(new URL("${served.url}/mcp"), {
        requestInit: { headers: { authorization: "Bearer ${served.mcpToken}" } },
      }));
      const call = (path) => client.callTool({ name: "write_file", arguments: { path, content: "" } });
      await Promise.all([call("1"), call("2"), call("3")]);
    `),
    60_000,
  );

  it(
    "takes its requests along: a host of 2026",
    () =>
      expectWithdrawn(`
      const _meta = ${JSON.stringify(envelope({}))};
      const call = (path) => fetch("${served.url}/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json", accept: "application/json, text/event-stream",
          authorization: "Bearer ${served.mcpToken}", "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call", "mcp-name": "write_file",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: path, method: "tools/call",
          params: { name: "write_file", arguments: { path, content: "" }, _meta } }),
      }).then((reply) => reply.text());
      await Promise.all([call("1"), call("2"), call("3")]);
    `),
    60_000,
  );
});
