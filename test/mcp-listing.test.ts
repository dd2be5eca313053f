import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../src/text/estimate-tokens.js";
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

type Listed = Readonly<Record<"name" | "description" | "inputSchema", unknown>> & { readonly name: string };

const tokensOf = (tools: readonly unknown[]): number =>
  tools.reduce<number>((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
const plainOf = (tools: readonly unknown[]) =>
  (tools as Listed[]).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

/** A stand-in for a model: the tool that shares most words with the task, rare words counting more. */
function choose(tools: readonly Listed[], task: string): string {
  const wordsIn = (text: string): ReadonlySet<string> =>
    new Set(
      text
        .toLowerCase()
        .match(/[a-z]{3,}/g)
        ?.map((word) => word.replace(/(?:ing|es|s|e)$/, "")) ?? [],
    );
  const texts = tools.map(({ name, description }) =>
    wordsIn(`${name.replaceAll("_", " ")} ${String(description)}`),
  );
  const weight = (word: string): number =>
    Math.log(1 + tools.length / (1 + texts.filter((words) => words.has(word)).length));
  const scores = texts.map((words, at) => {
    const names = wordsIn(String(tools[at]?.name).replaceAll("_", " "));
    return [...wordsIn(task)].reduce(
      (sum, word) => sum + (words.has(word) ? weight(word) * (names.has(word) ? 3 : 1) : 0),
      0,
    );
  });
  return tools[scores.indexOf(Math.max(...scores))]?.name ?? "";
}

const tasks: Readonly<Record<string, string>> = {
  "Read the file README.md": "read_file",
  "Write a new file with this content": "write_file",
  "Edit one place in a file": "edit_file",
  "Apply a patch to several files": "apply_patch",
  "List the directory src": "list_directory",
  "Run a shell command": "execute_command",
  "Encode this text as base64": "base64_encode",
  "What is the current time in Tokyo": "current_time",
  "Undo the last edit": "undo_edit",
};

describe("a compact listing", () => {
  it("costs at most 60 % of names, descriptions and input schemas, and leads to the same tools", async () => {
    fixture = openMcpFixture({});
    const host = fixture.connect();
    await host.initialize();
    const all = (await host.list("tools/list", "tools")) as unknown as Listed[];
    await fixture.close();
    fixture = openMcpFixture({ config: { tools: { listing: "compact" } } });
    const short = fixture.connect();
    await short.initialize();
    const compact = (await short.list("tools/list", "tools")) as unknown as Listed[];
    expect(named(compact)).toEqual(named(all));
    const ratio = tokensOf(plainOf(compact)) / tokensOf(plainOf(all));
    expect(ratio).toBeLessThanOrEqual(0.6);
    // Without output schemas the whole listing costs less than a third.
    expect(tokensOf(compact) / tokensOf(all)).toBeLessThan(1 / 3);
    for (const [task, tool] of Object.entries(tasks)) {
      if (!named(all).includes(tool)) continue;
      expect({ task, tool: choose(compact, task) }).toEqual({ task, tool: choose(all, task) });
    }
    // Names, types and choices of arguments stay, and so does what is required.
    for (const [at, { inputSchema }] of all.entries()) {
      const before = inputSchema as { properties?: object; required?: unknown[] };
      const after = compact[at]?.inputSchema as { properties?: object; required?: unknown[] };
      expect(Object.keys(after.properties ?? {})).toEqual(Object.keys(before.properties ?? {}));
      expect(after.required ?? []).toEqual(before.required ?? []);
    }
  });

  it("validates calls against the whole schema", async () => {
    fixture = openMcpFixture({ config: { tools: { listing: "compact" } } });
    const host = fixture.connect();
    await host.initialize();
    const encode = { name: "base64_encode", arguments: { text: "hi" } };
    expect((await host.request("tools/call", encode)).result).toMatchObject({
      structuredContent: { encoded: "aGk=" },
    });
    const wrong = await host.request("tools/call", { name: "base64_encode", arguments: { text: 5 } });
    expect(wrong.result).toMatchObject({ isError: true });
  });
});
