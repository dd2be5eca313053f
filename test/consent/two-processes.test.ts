import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConsentFixture, until, type ConsentFixture, type Served } from "./fixture.js";
import { underLoad } from "../setup/under-load.js";

let fixture: ConsentFixture;
let served: Served;
beforeAll(async () => {
  fixture = openConsentFixture();
  served = await fixture.serve();
});
afterAll(() => fixture.close());

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

interface StdioHost {
  readonly child: ChildProcess;
  readonly seen: Message[];
  send(message: object): void;
  until(fits: (message: Message) => boolean, what: string): Promise<Message>;
  /** Ask for a tool that needs consent. */
  call(id: number, path: string): void;
}

/** A real `tenon mcp` with a host that answers only what a test lets it answer. */
async function connect(capabilities: object = { elicitation: {} }): Promise<StdioHost> {
  const child = fixture.start(["mcp"]);
  const seen: Message[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => seen.push(JSON.parse(line) as Message));
  child.stderr?.resume();
  const host: StdioHost = {
    child,
    seen,
    send: (message) => void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    until: (fits, what) => until(async () => seen.find(fits), what),
    call: (id, path) =>
      host.send({
        id,
        method: "tools/call",
        params: { name: "write_file", arguments: { path, content: "x\n" } },
      }),
  };
  const clientInfo = { name: "desk-host", version: "3" };
  host.send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
  });
  host.send({ method: "notifications/initialized" });
  await host.until(({ id }) => id === 1, "a greeting");
  return host;
}

const asked = ({ method }: Message): boolean => method === "elicitation/create";

describe("tenon mcp on a state with a console", () => {
  it("asks its host and the console together, and the console's answer ends the host's question", async () => {
    const host = await connect();
    host.call(2, "a.txt");
    const question = await host.until(asked, "a question to the host");
    expect(JSON.stringify(question.params)).not.toContain("always");
    const [request] = await fixture.waiting(served);
    expect(request).toMatchObject({ elsewhere: true, agent: "desk-host", client: { version: "3" } });
    expect(request?.channels).toEqual(expect.arrayContaining(["host", "console"]));
    expect((await fixture.answer(served, request!.id, { verdict: "once" })).status).toBe(200);
    const began = Date.now();
    expect((await host.until(({ id }) => id === 2, "the result")).result).toMatchObject({
      structuredContent: { created: true },
    });
    expect(Date.now() - began).toBeLessThan(underLoad(3000));
    await host.until(({ method }) => method === "notifications/cancelled", "the end of the question");
    expect((await fixture.answer(served, request!.id, { verdict: "no" })).status).toBe(409);
    const [record] = await fixture.log(served);
    expect(record).toMatchObject({ approval: { verdict: "once", channel: "api" } });
    host.child.stdin?.end();
  });

  it("takes its host's answer, which then is gone from the console, told with who gave it", async () => {
    const host = await connect();
    host.call(2, "b.txt");
    const question = await host.until(asked, "a question to the host");
    const [request] = await fixture.waiting(served);
    host.send({ id: question.id, result: { action: "accept", content: { decision: "once" } } });
    await host.until(({ id }) => id === 2, "the result");
    const began = Date.now();
    await fixture.waiting(served, 0);
    expect(Date.now() - began).toBeLessThan(underLoad(2000));
    const late = await fixture.answer(served, request!.id, { verdict: "no" });
    expect([late.status, late.body.error.details]).toEqual([
      409,
      expect.objectContaining({ channel: "host", client: { name: "desk-host", version: "3" } }),
    ]);
    host.child.stdin?.end();
  });

  it.each([
    { action: "accept", content: { decision: "always" } },
    { action: "accept", content: { decision: "ONCE" } },
    { action: "accept", content: { decision: ["once"] } },
    { action: "accept", content: { decision: "once", reason: 5 } },
    { action: "accept" },
    { action: "yes", content: { decision: "no" } },
  ])("takes no consent from its host that does not fit the form: %j", async (answer) => {
    const host = await connect();
    host.call(2, "c.txt");
    const question = await host.until(asked, "a question to the host");
    host.send({ id: question.id, result: answer });
    // The host has no say any more; the console still has, unless the answer was a clear no.
    const open = await until(async () => {
      if (host.seen.some(({ id }) => id === 2)) return "refused";
      const list = await fixture.call(served, "/api/approvals");
      return host.seen.filter(asked).length === 1 && list.body.length === 1 ? list.body[0].id : undefined;
    }, "the end of the host's answer");
    if (open !== "refused") await fixture.answer(served, open, { verdict: "no" });
    const { result } = await host.until(({ id }) => id === 2, "the result");
    expect(result).toMatchObject({ isError: true });
    expect(existsSync(join(fixture.dir, "c.txt"))).toBe(false);
    expect((await fixture.call(served, "/api/policy")).body.rules).not.toContainEqual(
      expect.objectContaining({ source: "remembered" }),
    );
    host.child.stdin?.end();
  });

  it("withdraws what it asked where it is killed, and where its host goes away", async () => {
    const [killed, left] = [await connect(), await connect()];
    killed.call(2, "d.txt");
    left.call(2, "e.txt");
    await fixture.waiting(served, 2);
    killed.child.kill("SIGKILL");
    left.child.stdin?.end();
    const began = Date.now();
    await fixture.waiting(served, 0);
    expect(Date.now() - began).toBeLessThan(underLoad(5000));
  });

  it("asks again, with the fault, what was answered with arguments that do not fit", async () => {
    const host = await connect({});
    host.call(2, "f.txt");
    const [request] = await fixture.waiting(served);
    await fixture.answer(served, request!.id, { verdict: "once", updatedArguments: { path: 7 } });
    const again = await until(async () => {
      const { body } = await fixture.call(served, "/api/approvals");
      return body[0]?.fault === undefined ? undefined : body[0];
    }, "the question with its fault");
    expect(again).toMatchObject({ id: request!.id, fault: expect.stringContaining("path") });
    expect(existsSync(join(fixture.dir, "f.txt"))).toBe(false);
    const updatedArguments = { path: "g.txt", content: "" };
    await fixture.answer(served, request!.id, { verdict: "once", updatedArguments });
    await host.until(({ id }) => id === 2, "the result");
    expect(existsSync(join(fixture.dir, "g.txt"))).toBe(true);
    host.child.stdin?.end();
  });

  it("does not put to its host what is longer than a host can be trusted to show", async () => {
    const host = await connect();
    const content = "line\n".repeat(2000);
    host.send({
      id: 2,
      method: "tools/call",
      params: { name: "write_file", arguments: { path: "h.txt", content } },
    });
    const [request] = await fixture.waiting(served);
    await fixture.answer(served, request!.id, { verdict: "once" });
    await host.until(({ id }) => id === 2, "the result");
    expect(host.seen.filter(asked)).toEqual([]);
    host.child.stdin?.end();
  });
});

describe("a console that nobody looks at", () => {
  it("lets calls fail with the address where they can be allowed, as others know it", async () => {
    const own = openConsentFixture();
    try {
      const at = await own.serve({
        approvals: { pageTimeoutMs: 700 },
        auth: { publicUrl: "https://tenon.example.org" },
      });
      const reply = await fetch(`${at.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${at.mcpToken}`,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "write_file",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "write_file",
            arguments: { path: "a.txt", content: "" },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        }),
      });
      expect(await reply.text()).toMatch(
        /APPROVAL_UNAVAILABLE[\s\S]*https:\/\/tenon\.example\.org\/#\/approvals\/call_/,
      );
      expect((await own.call(at, "/api/approvals")).body).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
