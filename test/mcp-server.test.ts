import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { ToolContext } from "../src/contract/context.js";
import { defineTool } from "../src/contract/define-tool.js";
import { envelope, openMcpFixture, type McpFixture } from "./mcp-fixture.js";

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: () => ({ done: true }),
    ...more,
  });

let fixture: McpFixture;
const open = (...args: Parameters<typeof openMcpFixture>): McpFixture => (fixture = openMcpFixture(...args));
afterEach(() => fixture.close());

const textOf = (message: { readonly result?: Readonly<Record<string, unknown>> }): string =>
  (Object(message.result?.["content"]) as readonly { text: string }[])[0]?.text ?? "";

describe("the MCP server on a pair of streams", () => {
  it("lists tools with legal names, schemas and annotations, and calls them by any of their names", async () => {
    const host = open({
      tools: [
        tool("git:status", { aliases: ["git_st"] }),
        tool("number", { output: z.number(), execute: () => 7 }),
      ],
    }).connect();
    await host.initialize();
    const tools = await host.list<Record<string, unknown>>("tools/list", "tools");
    const named = new Map(tools.map((one) => [one["name"], one]));
    expect(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))).toBe(true);
    expect(named.get("read_file")).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(named.get("write_file")).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    expect(named.get("number")).toMatchObject({ outputSchema: { type: "object", required: ["result"] } });
    for (const name of ["git__status", "git:status", "git_st"]) {
      const { result } = await host.request("tools/call", { name });
      expect(result).toMatchObject({ structuredContent: { done: true } });
      expect(result?.["isError"]).toBeUndefined();
    }
    expect((await host.request("tools/call", { name: "number" })).result).toMatchObject({
      structuredContent: { result: 7 },
    });
  });

  it("answers a failure with its code, message and hint, and the error object beside it", async () => {
    const host = open().connect();
    await host.initialize();
    const answer = await host.request("tools/call", {
      name: "read_file",
      arguments: { path: "../../etc/passwd" },
    });
    expect(answer.result).toMatchObject({
      isError: true,
      _meta: { "tenon/error": { type: "ToolSecurityError" } },
    });
    const { "tenon/error": error } = Object(answer.result?.["_meta"]) as Record<
      string,
      { code: string; message: string }
    >;
    const { code, message } = error ?? {};
    expect(textOf(answer).startsWith(`${code}: ${message}`)).toBe(true);
    const unknown = await host.request("tools/call", { name: "raed_file", arguments: {} });
    expect(textOf(unknown)).toMatch(/^TOOL_NOT_FOUND: .*\nHint: .*read_file/s);
  });

  it("keeps what each connection has read apart", async () => {
    const [one, other] = [open().connect(), fixture.connect()];
    writeFileSync(join(fixture.dir, "a.txt"), "old\n");
    for (const host of [one, other]) await host.initialize({ elicitation: {} });
    await one.request("tools/call", { name: "read_file", arguments: { path: "a.txt" } });
    const edit = { name: "edit_file", arguments: { path: "a.txt", old_str: "old", new_str: "new" } };
    expect(textOf(await other.request("tools/call", edit))).toContain("EDIT_NOT_READ");
  });

  it("shows and takes only what a client's globs leave", async () => {
    const host = open().connect({ include: ["read_*", "json_*"], exclude: ["json_parse"] });
    await host.initialize();
    const tools = await host.list("tools/list", "tools");
    expect(tools.map(({ name }) => name)).toContain("read_file");
    expect(tools.some(({ name }) => name === "json_parse" || name === "shell_exec")).toBe(false);
    for (const name of ["json_parse", "json_parse@*", "write_file", "no_such"]) {
      expect(textOf(await host.request("tools/call", { name, arguments: { text: "1" } }))).toMatch(
        /^TOOL_NOT_FOUND/,
      );
    }
  });

  it("finds and describes only what a client's globs leave", async () => {
    const host = open().connect({ exclude: ["json_parse", "shell_*"] });
    await host.initialize();
    const ask = async (name: string, args: object): Promise<string> =>
      textOf(await host.request("tools/call", { name, arguments: args }));
    const found = await ask("tool_search", { query: "", limit: 100 });
    expect(found).toContain("read_file");
    expect(found).not.toMatch(/json_parse|shell_exec/);
    expect(await ask("describe_tool", { name: "read_file" })).toContain("inputSchema");
    expect(await ask("describe_tool", { name: "shell_exec" })).toMatch(/^TOOL_NOT_FOUND/);
  });

  it("reports progress that only grows, and cancels a call without answering it", async () => {
    let stopped = false;
    const slow = tool("slow", {
      async *execute(
        _: unknown,
        {
          signal,
          clock,
        }: { signal: AbortSignal; clock: { sleep(ms: number, signal: AbortSignal): Promise<void> } },
      ) {
        yield { progress: 5, total: 9 };
        yield { message: "still" };
        try {
          await clock.sleep(60_000, signal);
        } finally {
          stopped = true;
        }
      },
    });
    const host = open({ tools: [slow] }).connect();
    await host.initialize();
    host.send({ id: 77, method: "tools/call", params: { name: "slow", _meta: { progressToken: "p" } } });
    await host.until((message) => message.params?.["message"] === "still");
    const reports = host.seen
      .filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => Number(params?.["progress"]));
    expect(reports[0]).toBe(5);
    expect(reports[1]).toBeGreaterThan(5);
    host.send({ method: "notifications/cancelled", params: { requestId: 77 } });
    await expect.poll(() => stopped).toBe(true);
    await host.request("ping");
    expect(host.seen.some(({ id }) => id === 77)).toBe(false);
  });

  it("tells of changed tools once, and of a resource that is watched", async () => {
    const host = open().connect();
    await host.initialize();
    await host.request("tools/list");
    const save = (code: string) =>
      host.request("tools/call", { name: "snippet_save", arguments: { name: "a b", code } });
    await save("1");
    const [resource] = await host.list<{ uri: string }>("resources/list", "resources");
    expect(resource?.uri).toBe("tenon://snippets/a%20b");
    expect((await host.request("resources/read", resource)).result).toMatchObject({
      contents: [{ text: "1" }],
    });
    await host.request("resources/subscribe", resource);
    await save("2");
    await host.until(
      ({ method, params }) =>
        method === "notifications/resources/updated" && params?.["uri"] === resource?.uri,
    );
    const prompt = await host.request("prompts/get", { name: "snippet-a b", arguments: { task: "Use it." } });
    expect(JSON.stringify(prompt.result)).toContain("Use it.");
    fixture.tenon.register(tool("late_one"));
    fixture.tenon.register(tool("late_two"));
    await host.until(({ method }) => method === "notifications/tools/list_changed");
    await host.request("ping");
    expect(host.seen.filter(({ method }) => method === "notifications/tools/list_changed")).toHaveLength(1);
    expect((await host.request("resources/read", { uri: "tenon://snippets/none" })).error?.message).toContain(
      "not found",
    );
  });

  it("pages a long list, and refuses a cursor that it did not give", async () => {
    const host = open().connect({ pageSize: 10 });
    await host.initialize();
    const names: string[] = [];
    let cursor: unknown;
    do {
      const { result } = await host.request("tools/list", cursor === undefined ? {} : { cursor });
      const page = (result?.["tools"] ?? []) as { name: string }[];
      names.push(...page.map(({ name }) => name));
      cursor = result?.["nextCursor"];
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(30);
    expect((await host.request("tools/list", { cursor: "x" })).error?.code).toBe(-32602);
  });
});

describe("consent over MCP", () => {
  const write = { name: "write_file", arguments: { path: "new.txt", content: "hi\n" } };

  it.each([
    [{ action: "accept", content: { decision: "once" } }, true],
    [{ action: "accept", content: { decision: "no", reason: "not today" } }, false],
    [{ action: "decline" }, false],
    [{ action: "accept", content: { decision: "perhaps" } }, false],
    [{ action: "accept" }, false],
  ])("asks the host's person in 2025-11-25: %j", async (answer, allowed) => {
    const host = open().connect();
    await host.initialize({ elicitation: {} });
    const called = host.request("tools/call", write);
    const asked = await host.until(({ method }) => method === "elicitation/create");
    expect(asked.params?.["message"]).toMatch(/write_file[\s\S]*new\.txt/);
    host.send({ id: asked.id, result: answer });
    const { result } = await called;
    expect(result?.["isError"] !== true, JSON.stringify(result)).toBe(allowed);
    if (JSON.stringify(answer).includes("not today")) expect(JSON.stringify(result)).toContain("not today");
    if (allowed) expect(readFileSync(join(fixture.dir, "new.txt"), "utf8")).toBe("hi\n");
  });

  it.each([
    ["once", "a\ntwo\n"],
    ["no", "a\n"],
  ])("shows the host's person what a command changed before it counts: %s", async (decision, expected) => {
    // A layer cannot lie in the workspace that it covers.
    const stateDir = mkdtempSync(join(tmpdir(), "tenon-mcp-state-"));
    const config = {
      stateDir,
      mode: "ask",
      shell: { askAfter: true },
      sandbox: { layers: { enabled: true } },
    } as const;
    const host = open({ config }).connect();
    writeFileSync(join(fixture.dir, "a.txt"), "a\n");
    await host.initialize({ elicitation: {} });
    const command = { name: "shell_exec", arguments: { command: "echo two >>a.txt" } };
    const called = host.request("tools/call", command);
    const asked = await host.until(({ method }) => method === "elicitation/create");
    expect(asked.params?.["message"]).toMatch(/ran shell_exec[\s\S]*Commit its 1 change [\s\S]*│ \+two/);
    expect(readFileSync(join(fixture.dir, "a.txt"), "utf8")).toBe("a\n");
    host.send({ id: asked.id, result: { action: "accept", content: { decision } } });
    expect((await called).result?.["isError"] === true).toBe(decision === "no");
    expect(readFileSync(join(fixture.dir, "a.txt"), "utf8")).toBe(expected);
    onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  });

  it("refuses clearly where the host cannot ask anybody", async () => {
    const host = open().connect();
    await host.initialize();
    const answer = await host.request("tools/call", write);
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain("Hint:");
  });

  it("waits for the answer in 2026-07-28, and takes its state once, from the same request only", async () => {
    const host = open().connect();
    const _meta = envelope({ elicitation: {} });
    const call = (params: object) => host.request("tools/call", { ...write, ...params, _meta });
    const { result } = await call({});
    expect(result).toMatchObject({ resultType: "input_required" });
    const [key] = Object.keys(result?.["inputRequests"] as object);
    const requestState = result?.["requestState"];
    const inputResponses = { [key!]: { action: "accept", content: { decision: "once" } } };
    const other = await call({ arguments: { path: "other.txt", content: "" }, inputResponses, requestState });
    expect(other.error).toMatchObject({ code: -32602, message: expect.stringContaining("another request") });
    expect((await call({ inputResponses, requestState: "guess" })).error?.code).toBe(-32602);
    const again = await call({ inputResponses: { wrong: { action: "accept" } }, requestState });
    expect(again.result).toMatchObject({ resultType: "input_required" });
    const done = await call({ inputResponses, requestState: again.result?.["requestState"] });
    expect(done.result, JSON.stringify(done)).toMatchObject({
      resultType: "complete",
      structuredContent: { created: true },
    });
    const reused = await call({ inputResponses, requestState: again.result?.["requestState"] });
    expect(reused.error?.message).toContain("used already");
  });

  it("asks the request that a call serves, not the newest one", async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const outer = tool("outer", {
      execute: async (_: unknown, ctx: ToolContext) => {
        await released;
        return { done: (await ctx.call({ ...write })).success };
      },
    });
    const hang = tool("hang", {
      execute: (_: unknown, { signal }: ToolContext) =>
        new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
    });
    const host = open({ tools: [outer, hang] }).connect({ graceMs: 50 });
    const _meta = envelope({ elicitation: {} });
    const asked = host.request("tools/call", { name: "outer", _meta });
    host.send({ id: "newest", method: "tools/call", params: { name: "hang", _meta } });
    await host.request("tools/list", { _meta });
    release();
    expect((await asked).result).toMatchObject({ resultType: "input_required" });
    expect(host.seen.filter(({ id }) => id === "newest")).toEqual([]);
  });

  it.each([
    ["2026-07-28", true],
    ["2025", false],
  ])("makes a call once under its idempotency key (%s)", async (_, isModern) => {
    let ran = 0;
    const count = tool("count", { execute: () => ({ ran: ++ran }) });
    const host = open({ tools: [count] }).connect();
    if (!isModern) await host.initialize();
    const send = (key: unknown) =>
      host.request("tools/call", {
        name: "count",
        arguments: {},
        _meta: { ...(isModern && envelope({})), "tenon/idempotencyKey": key },
      });
    const [first, again] = [await send("k"), await send("k")];
    expect(again.result?.["structuredContent"]).toEqual({ ran: 1 });
    const metaOf = (answer: typeof first) => answer.result?.["_meta"] as Record<string, unknown>;
    expect(metaOf(again)).toMatchObject({
      "tenon/callId": metaOf(first)["tenon/callId"],
      "tenon/repeated": true,
    });
    expect((await send("other")).result?.["structuredContent"]).toEqual({ ran: 2 });
    expect(JSON.stringify((await send(5)).result)).toContain("REQUEST_INVALID");
  });

  it("takes no consent that was brought before it was asked for", async () => {
    const host = open().connect();
    const inputResponses = Object.fromEntries(
      ["input-1", "approval", "decision"].map((key) => [
        key,
        { action: "accept", content: { decision: "always" } },
      ]),
    );
    const { result } = await host.request("tools/call", {
      ...write,
      inputResponses,
      _meta: envelope({ elicitation: {} }),
    });
    expect(result).toMatchObject({ resultType: "input_required" });
  });

  it("asks questions of tools, and says so where the person does not answer", async () => {
    const host = open().connect();
    await host.initialize({ elicitation: {} });
    const ask = { name: "ask_user", arguments: { question: "Which?", options: ["a", "b"] } };
    const first = host.request("tools/call", ask);
    const question = await host.until(({ method }) => method === "elicitation/create");
    expect(question.params).toMatchObject({
      message: expect.stringContaining("Which?"),
      requestedSchema: { properties: { answer: { enum: ["a", "b"] } } },
    });
    host.send({ id: question.id, result: { action: "accept", content: { answer: "b" } } });
    expect((await first).result).toMatchObject({ structuredContent: { answer: "b" } });
    const second = host.request("tools/call", ask);
    const next = await host.until(({ method, id }) => method === "elicitation/create" && id !== question.id);
    host.send({ id: next.id, result: { action: "decline" } });
    expect(textOf(await second)).toContain("INTERACTION_FAILED");
  });
});

describe("a hostile host", () => {
  it("gets clear errors for garbage, and good requests go on", async () => {
    const host = open().connect({ maxBytes: 200_000 });
    await host.initialize();
    const codeFor = async (line: string | Buffer): Promise<number | undefined> => {
      const before = host.seen.length;
      host.write(line);
      host.write("\n");
      await host.request("ping");
      return host.seen[before]?.error?.code;
    };
    expect(await codeFor("not json")).toBe(-32700);
    expect(await codeFor(Buffer.from([0xff, 0xfe, 0x00]))).toBe(-32700);
    expect(await codeFor("[".repeat(90_000))).toBe(-32700);
    expect(await codeFor("null")).toBe(-32600);
    expect(await codeFor('{"jsonrpc":"1.0","id":1,"method":"ping"}')).toBe(-32600);
    expect(await codeFor('{"jsonrpc":"2.0","id":{},"method":"ping"}')).toBe(-32600);
    expect(await codeFor('{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}')).toBe(-32600);
    expect(await codeFor(`"${"x".repeat(300_000)}"`)).toBe(-32600);
    expect(await codeFor(JSON.stringify(Array.from({ length: 5000 }, () => 1)))).toBe(-32600);
    expect(await codeFor('{"jsonrpc":"2.0","id":6,"method":"no/such"}')).toBe(-32601);
    // Answered when it is judged, which a ping need not wait for.
    host.send({ id: 7, method: "tools/call", params: { name: 5 } });
    expect((await host.until(({ id }) => id === 7)).error?.code).toBe(-32602);
    host.send({ id: 8, method: "tools/call", params: { name: "__proto__" } });
    expect((await host.until(({ id }) => id === 8)).result).toMatchObject({ isError: true });
  });

  it.each([
    '"method":"ping","extra":1',
    '"method":"ping","result":{}',
    '"method":"ping","params":{"_meta":5}',
    '"method":"tools/call","params":{"name":"json_parse","arguments":{"text":"1"},"_meta":[]}',
    '"method":"tools/call","params":{"name":"json_parse","_meta":{"progressToken":1.5}}',
    '"method":"tools/call","params":{"name":"json_parse","arguments":{"text":"1"}},"extra":1',
  ])("is answered where it sends no request of MCP: %s", async (rest) => {
    const host = open().connect();
    await host.initialize();
    host.write(`{"jsonrpc":"2.0","id":1,${rest}}\n`);
    expect((await host.until(({ id }) => id === 1)).error?.code).toBe(-32600);
    host.send({ id: 1, method: "ping" });
    await host.until(({ id, result }) => id === 1 && result !== undefined);
  });

  it("gets one answer for two requests of one id, and a batch for a batch", async () => {
    const host = open({
      tools: [tool("slow", { execute: () => new Promise((done) => setTimeout(done, 50, { done: true })) })],
    }).connect();
    await host.initialize();
    for (let n = 0; n < 2; n++) host.send({ id: 9, method: "tools/call", params: { name: "slow" } });
    await host.until(({ id, result }) => id === 9 && result !== undefined);
    const answers = host.seen.filter(({ id }) => id === 9);
    expect(answers.map(({ error }) => error?.code)).toEqual([-32600, undefined]);
    host.write('[{"jsonrpc":"2.0","id":"x","method":"ping"},5,{"jsonrpc":"2.0","id":"y","method":"ping"}]\n');
    await host.until(({ id }) => id === "y");
    expect(host.seen.filter(({ id }) => id === "x" || id === "y" || id === null)).toHaveLength(3);
  });

  it("leaves in the middle of a call: the call is cancelled and the session ends", async () => {
    let ended: unknown;
    const hang = tool("hang", {
      execute: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_done, fail) => signal.addEventListener("abort", () => fail((ended = signal.reason)))),
    });
    const host = open({ tools: [hang] }).connect({ graceMs: 50 });
    await host.initialize();
    host.send({ id: 1, method: "tools/call", params: { name: "hang" } });
    await host.request("ping");
    await host.end();
    await expect.poll(() => ended).toBeDefined();
  });

  it("sends its requests and ends the input at once: they are answered all the same", async () => {
    const host = open().connect();
    const initialized = host.initialize();
    const answered = host.request("tools/call", { name: "json_parse", arguments: { text: "[1]" } });
    await host.end();
    await initialized;
    expect((await answered).result).toMatchObject({ structuredContent: { data: [1] } });
  });
});
