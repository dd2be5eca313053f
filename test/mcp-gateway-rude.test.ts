import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMcpFixture, type LineHost, type McpFixture } from "./mcp-fixture.js";

const fixture = join(import.meta.dirname, "fixtures/rude-server.mjs");
const modes = [
  "no-info",
  "no-capabilities",
  "number-version",
  "long-words",
  "odd-tools",
  "cursor-bomb",
  "odd-cursor",
  "empty-pages",
];
const program = (mode: string) => ({
  command: process.execPath,
  args: [fixture, mode],
  timeoutMs: 20_000,
  startTimeoutMs: 20_000,
});

describe("a server that breaks the protocol", { timeout: 60_000 }, () => {
  let mcp: McpFixture;
  let host: LineHost;
  beforeAll(async () => {
    const rules = [{ decision: "allow" as const, tool: "*" }];
    const mcpServers = Object.fromEntries(["rude", ...modes].map((mode) => [mode, program(mode)]));
    mcp = openMcpFixture({ config: { policy: { rules }, mcpServers } });
    host = mcp.connect();
    host.answer = ({ method }) =>
      method === "elicitation/create" ? { action: "decline" } : { role: "assistant" };
    await host.initialize({ elicitation: { form: {}, url: {} }, sampling: {} });
  });
  afterAll(() => mcp.close());

  const call = async (tool: string, more: object = {}) => {
    const { result, error } = await host.request("tools/call", { name: tool, arguments: {}, ...more });
    const shown = JSON.stringify(result?.["content"] ?? error);
    return { shown, result, error };
  };
  const stillAnswers = async () =>
    expect((await call("rude__echo", { arguments: { text: "still there" } })).shown).toContain("still there");

  it.each([
    ["text_id", "right"],
    ["twice", "first"],
    ["both", "kept"],
    ["batch", "batched"],
    ["odd_batch", "after"],
    ["lines", "a\u2028b\u2029c\u0085d"],
    ["pieces", "ä€😀"],
    ["broken_text", "\ufffd"],
    ["deep_structure", "512 levels"],
    ["deep_meta", "512 levels"],
    ["deep_more", "512 levels"],
    ["deep_error", "512 levels"],
    ["proto", "x"],
    ["bare", "not an object"],
    ["list", "not an object"],
    ["odd_content", "[]"],
    ["odd_blocks", "kept"],
    ["wrong_errors", "not an object"],
    ["odd_error", "gave no reason"],
    ["odd_progress", "done"],
    ["odd_notices", "done"],
    ["big_log", "done"],
    ["stderr_flood", "done"],
    ["cancels", "done"],
    ["huge_id", "{}"],
    ["odd_ids", "done"],
    ["same_id", "{}"],
    ["foreign", "[-32601,-32601,-32601,-32601,-32601,-32601]"],
    ["odd_questions", "decline"],
    ["odd_sampling", "answered"],
  ])("by %s is answered for, and works afterwards", async (tool, expected) => {
    expect((await call(`rude__${tool}`, { _meta: { progressToken: tool } })).shown).toContain(expected);
    await stillAnswers();
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  it("by an answer after its call was cancelled answers nobody else", async () => {
    const answers = host.seen.length;
    host.send({ id: "gone", method: "tools/call", params: { name: "rude__late", arguments: {} } });
    await stillAnswers();
    host.send({ method: "notifications/cancelled", params: { requestId: "gone" } });
    for (let at = 0; at < 5; at++) await stillAnswers();
    expect(host.seen.slice(answers).some(({ id }) => id === "gone")).toBe(false);
  });

  it.each(modes)("at its start or in its listing (%s) is used as far as it makes sense", async (mode) => {
    const refused = ["no-info", "no-capabilities", "number-version"];
    const { shown } = await call(`${mode}__echo`, { arguments: { text: "here" } });
    expect(shown).toContain(refused.includes(mode) ? "SERVER_UNAVAILABLE" : "here");
    const names = (await host.list("tools/list", "tools")).map(({ name }) => name);
    expect(names.filter((name) => /^odd-tools__(?:__proto__|constructor|odd_schema|5)$/.test(name))).toEqual(
      [],
    );
  });

  it("in the middle of a line, and keeps running, fails its call and is started again", async () => {
    expect((await call("rude__half_line")).shown).toContain("closed its standard output");
    await expect
      .poll(async () => (await call("rude__echo")).shown, { timeout: 20_000 })
      .not.toContain("UNAVAILABLE");
  });

  it("is not worse than a host that does: a message nested too deeply is refused", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    host.write(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"rude__echo","arguments":{"text":${deep}}}}\n`,
    );
    expect((await host.until(({ id }) => id === "deep")).error).toMatchObject({ code: -32600 });
    await stillAnswers();
  });
});
