import { afterEach, describe, expect, it } from "vitest";
import { openMcpFixture, type McpFixture } from "./mcp-fixture.js";

let fixture: McpFixture;
afterEach(() => fixture.close());

const named = (tools: readonly { readonly name: string }[]): readonly string[] =>
  tools.map(({ name }) => name);

describe("what an MCP host is shown", () => {
  it("is, where it asks by search, only what leads to the other tools, which it can call all the same", async () => {
    fixture = openMcpFixture({ config: { tools: { listing: "search" } } });
    const host = fixture.connect();
    await host.initialize();
    const tools = await host.list("tools/list", "tools");
    expect([...named(tools)].sort()).toEqual(["call_tool", "describe_tool", "tool_search"]);
    const encode = { name: "base64_encode", arguments: { text: "hi" } };
    const meant = await host.request("tools/call", { name: "call_tool", arguments: encode });
    const straight = await host.request("tools/call", encode);
    for (const { result } of [meant, straight])
      expect(result).toMatchObject({ structuredContent: { encoded: "aGk=" } });
    const unknown = await host.request("tools/call", { name: "call_tool", arguments: { name: "nobody" } });
    expect(unknown.result).toMatchObject({
      isError: true,
      _meta: { "tenon/error": { code: "TOOL_NOT_FOUND" } },
    });
    // Judged and recorded as the tool that was meant.
    const [newest] = await fixture.tenon.audit.search({ tool: "base64_encode" });
    expect(newest).toMatchObject({ tool: "base64_encode", outcome: "success" });
    expect(await fixture.tenon.audit.search({ tool: "call_tool" })).toEqual([]);
  });

  it("follows the pipeline, and the host hears of it", async () => {
    fixture = openMcpFixture({ config: { toolset: "stage" } });
    const host = fixture.connect();
    await host.initialize();
    await host.request("tools/call", { name: "start_iteration", arguments: {} });
    const before = named(await host.list("tools/list", "tools"));
    await host.request("tools/call", { name: "goto_stage", arguments: { stage_name: "coding" } });
    await host.until(({ method }) => method === "notifications/tools/list_changed");
    const after = named(await host.list("tools/list", "tools"));
    expect(after).toContain("edit_file");
    expect(before).not.toContain("edit_file");
  });

  it("holds large results within the budget, structured ones too", async () => {
    fixture = openMcpFixture({ config: { tools: { output: { maxTokens: 1000 } } } });
    const host = fixture.connect();
    await host.initialize();
    const text = "word ".repeat(20_000);
    const { result } = await host.request("tools/call", { name: "base64_encode", arguments: { text } });
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(result).toMatchObject({ _meta: { "tenon/shortened": true } });
    expect(JSON.stringify(result)).toContain("read_result");
  });
});
