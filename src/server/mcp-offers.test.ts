import { join, resolve } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";

const fixture = (name: string): string => resolve(import.meta.dirname, "../../test/fixtures", name);
let at: TestServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tenon-offers-"));
  const server = { command: process.execPath, args: [fixture("chatty-server.mjs"), "2026"] };
  const plain = { command: process.execPath, args: [fixture("plain-server.mjs")] };
  at = await openTestServer({
    tenonOptions: {
      config: {
        stateDir: join(folder, "state"),
        mcpServers: { chat: server, other: server, plain, broken: { command: "/no/such/program" } },
      },
    },
  });
});
afterAll(async () => {
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("what an MCP server offers", () => {
  it("is listed: resources, templates and prompts of this server", async () => {
    const { status, body } = await at.ask("/api/mcp-servers/chat/offers");
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(["prompts", "resources", "templates"]);
    const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
    expect(names(body.prompts)).toContain("chat__hello");
    expect(body.resources.length).toBeGreaterThan(0);
    const other = await at.ask("/api/mcp-servers/other/offers");
    expect(other.body.resources).toHaveLength(body.resources.length);
    expect(JSON.stringify(other.body)).toBe(JSON.stringify(body).replaceAll("chat__", "other__"));
  });

  it("can be tried", async () => {
    const { body } = await at.ask("/api/mcp-servers/chat/offers");
    const [resource] = body.resources as { uri: string }[];
    const read = await at.post("/api/mcp-servers/chat/resource", { uri: resource?.uri });
    expect(read).toMatchObject({ status: 200, body: { contents: expect.any(Array) } });
    const prompt = await at.post("/api/mcp-servers/chat/prompt", { name: "chat__hello", arguments: {} });
    expect(prompt).toMatchObject({ status: 200, body: { messages: expect.any(Array) } });
  });

  it("is not found where there is no such server, prompt or resource", async () => {
    const missing = [
      await at.ask("/api/mcp-servers/nowhere/offers"),
      await at.post("/api/mcp-servers/chat/prompt", { name: "nothing" }),
    ];
    expect(missing.map(({ status }) => status)).toEqual([404, 404]);
    const messages = missing.map(({ body }) => body.error.message as string);
    expect(messages[0]).toContain('MCP server "nowhere"');
    expect(messages[1]).toContain("nothing");
    expect((await at.post("/api/mcp-servers/chat/resource", { uri: "" })).status).toBe(400);
  });

  it("cannot be read from a server that does not start", async () => {
    const { status, body } = await at.post("/api/mcp-servers/broken/resource", { uri: "nowhere:x" });
    expect(status).toBe(503);
    expect(body.error.message).toContain("broken");
  });

  it("is refused in the words of the server, not as a fault of Tenon", async () => {
    const refused = await at.post("/api/mcp-servers/plain/resource", { uri: "nowhere:x" });
    expect(refused).toMatchObject({
      status: 502,
      body: { error: { code: "SERVER_REFUSED", message: expect.stringContaining("Method not found") } },
    });
  });
});

describe("an MCP server", () => {
  const find = async (name: string): Promise<{ readonly state: string }> =>
    ((await at.ask("/api/mcp-servers")).body as { name: string; state: string }[]).find(
      (server) => server.name === name,
    ) as { state: string };

  it("is stopped and started again, and its log can be read", async () => {
    await at.ask("/api/mcp-servers/other/offers");
    expect((await at.post("/api/mcp-servers/other/stop")).body).toMatchObject({ name: "other" });
    const stopped = (await find("other")).state;
    expect((await at.post("/api/mcp-servers/other/restart")).body).toMatchObject({ name: "other" });
    expect((await find("other")).state).not.toBe(stopped);
    expect((await at.ask("/api/mcp-servers/other/logs")).body).toEqual({ lines: expect.any(Array) });
  });

  it("that is not known cannot be acted on", async () => {
    const acts = ["login", "logout", "accept", "reject", "stop", "restart"];
    for (const act of acts) {
      const { status, body } = await at.post(`/api/mcp-servers/nowhere/${act}`);
      expect([act, status, body.error.message]).toEqual([act, 404, 'MCP server "nowhere" not found.']);
    }
    expect((await at.ask("/api/mcp-servers/nowhere/logs")).status).toBe(404);
  });

  it("takes lists of tools to accept or reject, and nothing else", async () => {
    expect((await at.post("/api/mcp-servers/chat/accept", {})).body).toEqual({ accepted: expect.any(Array) });
    expect((await at.post("/api/mcp-servers/chat/reject", {})).body).toEqual({ rejected: expect.any(Array) });
    expect((await at.post("/api/mcp-servers/chat/accept", { tools: [""] })).status).toBe(400);
    expect((await at.post("/api/mcp-servers/chat/accept", { other: true })).status).toBe(400);
  });
});
