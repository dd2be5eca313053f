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
      config: { stateDir: join(folder, "state"), mcpServers: { chat: server, other: server, plain } },
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

  it("is refused in the words of the server, not as a fault of Tenon", async () => {
    const refused = await at.post("/api/mcp-servers/plain/resource", { uri: "nowhere:x" });
    expect(refused).toMatchObject({
      status: 502,
      body: { error: { code: "SERVER_REFUSED", message: expect.stringContaining("Method not found") } },
    });
  });
});
