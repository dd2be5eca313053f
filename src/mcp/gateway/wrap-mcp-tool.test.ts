import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../contract/context.js";
import { ToolExecutionError, ToolUnavailableError } from "../../contract/errors.js";
import type { UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import { toUpstreamError } from "./upstream-error.js";
import { wrapMCPTool, type WrapOptions } from "./wrap-mcp-tool.js";

const signal = new AbortController().signal;
const ctx = { signal, emit: () => {} } as unknown as ToolContext;

function wrap(
  answer: Partial<UpstreamResult> = {},
  tool: Partial<UpstreamTool> = {},
  options: Partial<WrapOptions> = {},
) {
  const upstream = {
    callTool: async () => ({ content: [], isError: false, ...answer }) as UpstreamResult,
  };
  const definition = { name: "t", inputSchema: { type: "object" }, ...tool };
  return wrapMCPTool(upstream, definition, { server: "srv", ...options });
}

const text = (words: string) => ({ type: "text" as const, text: words });

describe("a server's tool", () => {
  it("is taken for dangerous unless its server is trusted, whatever it says", () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, title: "T", odd: true, oddHint: "no" };
    expect(wrap({}, { annotations }).annotations).toEqual({
      title: "T",
      dangerous: true,
      openWorld: true,
      serverHints: { readOnlyHint: true, destructiveHint: false },
    });
    expect(wrap({}, { annotations }).definition).toMatchObject({ annotations });
  });

  it.each([
    [{ readOnlyHint: true }, { readOnly: true, dangerous: false, idempotent: true, openWorld: true }],
    [{ destructiveHint: false }, { readOnly: false, dangerous: false, idempotent: false }],
    [{ idempotentHint: true }, { readOnly: false, dangerous: true, idempotent: true }],
    [{ openWorldHint: false }, { dangerous: true, openWorld: false }],
    [{}, { readOnly: false, dangerous: true, idempotent: false, openWorld: true }],
    [{ readOnlyHint: "true" }, { readOnly: false, dangerous: true }],
  ])("is taken at its word %j where the server is trusted", (annotations, expected) => {
    const { annotations: taken } = wrap({}, { annotations }, { trustAnnotations: true });
    expect(taken).toMatchObject(expected);
    expect(taken).not.toHaveProperty("title");
  });

  it("has its own title before that of its annotations, and none that is blank", () => {
    expect(wrap({}, { title: "A", annotations: { title: "B" } }).annotations).toMatchObject({ title: "A" });
    expect(wrap({}, { title: " " }).annotations).not.toHaveProperty("title");
  });

  it("is not made with options that there are not", () => {
    expect(() => wrap({}, {}, { timeout: 5 } as never)).toThrow(/"timeout" for wrapMCPTool/);
  });

  it("has a name, a limit and a description in any case", () => {
    expect(wrap()).toMatchObject({ name: "srv:t", timeoutMs: 60_000, category: "mcp" });
    expect(wrap().description).toContain("srv");
    expect(wrap({}, { description: "D" }, { timeoutMs: 5 })).toMatchObject({
      description: "D",
      timeoutMs: 5,
    });
    expect(wrap()).not.toHaveProperty("output");
  });

  it("gives what is structured, else the text, else all parts", async () => {
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    expect(await wrap({ structured: { a: 1 }, content: [text("x")] }).execute({}, ctx)).toEqual({ a: 1 });
    expect(await wrap({ content: [text("x"), text("y")] }).execute({}, ctx)).toBe("x\ny");
    expect(await wrap({ content: [] }).execute({}, ctx)).toBe("");
    expect(await wrap({ content: [text("x"), image as never] }).execute({}, ctx)).toEqual({
      content: [text("x"), image],
    });
  });

  it("shows what the server sent for that very call, else the result", async () => {
    const tool = wrap({ structured: { a: 1 }, content: [text("words")] });
    const input = {};
    const result = await tool.execute(input, ctx);
    expect(tool.render?.(result, input)).toEqual([text("words")]);
    expect(tool.render?.(result, {})).toBe('{"a":1}');
    expect(tool.render?.("plain", {})).toBe("plain");
    const silent = wrap({ structured: { a: 1 } });
    expect(silent.render?.(await silent.execute(input, ctx), input)).toBe('{"a":1}');
  });

  it("notes for hosts what the server sent besides, and tells who calls", async () => {
    const notes: unknown[] = [];
    const called: unknown[] = [];
    const context = { ...ctx, note: (note: unknown) => notes.push(note) } as never;
    const meta = { a: 1 };
    const answers: Partial<UpstreamResult>[] = [
      {},
      { structured: {}, content: [text("x")], meta, more: { b: 2 } },
    ];
    for (const answer of answers)
      await wrap(answer, {}, { onCall: (call, given) => called.push(call.signal, given) }).execute(
        {},
        context,
      );
    expect(notes).toEqual([
      { mcp: { structured: false, empty: true } },
      { mcp: { structured: true, meta, more: { b: 2 } } },
    ]);
    expect(called).toEqual([signal, context, signal, context]);
  });

  it("is asked for reports only where the host wants them", async () => {
    const asked: boolean[] = [];
    const upstream = {
      callTool: async (_name: string, _input: unknown, { onProgress }: UpstreamCall) => (
        asked.push(onProgress !== undefined),
        { content: [], isError: false }
      ),
    };
    const tool = wrapMCPTool(upstream, { name: "t", inputSchema: { type: "object" } }, { server: "srv" });
    const supports = { elicitForm: false, elicitUrl: false, sample: false };
    for (const client of [undefined, { supports }, { supports, reports: true }, { supports, reports: false }])
      await tool.execute({}, { ...ctx, client } as never);
    expect(asked).toEqual([true, true, true, false]);
  });

  it("fails with the server's words, or says that there are none", async () => {
    const failing = wrap({ isError: true, content: [text("no"), text("way")], structured: { code: 7 } });
    await expect(failing.execute({}, ctx)).rejects.toMatchObject({
      message: "no\nway",
      toolName: "srv:t",
      details: { structured: { code: 7 } },
    });
    await expect(wrap({ isError: true }).execute({}, ctx)).rejects.toThrow(/without giving a reason/);
  });
});

describe("a failure of a server", () => {
  const where = { server: "srv", tool: "t", signal };

  it.each(["The connection was lost", "Connection closed", "Not connected", "the program is gone"])(
    "is one of the server where it went away: %s",
    (message) => {
      expect(toUpstreamError(new Error(message), where)).toMatchObject({ code: "SERVER_UNAVAILABLE" });
      expect(toUpstreamError(new Error(message), where)).toBeInstanceOf(ToolUnavailableError);
    },
  );

  it("is one of the tool otherwise, with the number of the protocol", () => {
    const error = toUpstreamError(Object.assign(new Error("bad"), { code: -32602 }), where);
    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ details: { server: "srv", protocolCode: -32602 } });
    const other = toUpstreamError(Object.assign(new Error("bad"), { code: "EPIPE" }), where);
    expect(other).toMatchObject({ details: { server: "srv" } });
    expect((other as ToolExecutionError).details).not.toHaveProperty("protocolCode");
  });

  it("stays what it is where it is Tenon's own or the call was cancelled", () => {
    const own = new ToolExecutionError("own");
    expect(toUpstreamError(own, where)).toBe(own);
    const plain = new Error("Connection closed");
    expect(toUpstreamError(plain, { ...where, signal: AbortSignal.abort() })).toBe(plain);
  });
});
