import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, extendTool, ToolPromptGenerator, ToolRegistry } from "../src/index.js";
import { open, tool } from "./spine-fixture.js";

const double = defineTool({
  name: "double",
  version: "2.0.0",
  description: "Double a number.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ n: z.number(), plus: z.number().default(0) }),
  execute: ({ n, plus }) => ({ doubled: 2 * n + plus }),
});

describe("a call by value or name", () => {
  it("takes a tool and its arguments", async () => {
    const answer = await open({ tools: [double] }).call(double, { n: 4 });
    expect(answer.success && answer.result.doubled).toBe(8);
  });

  it("runs the version of the value, although another one is the default", async () => {
    const newer = { ...double, version: "3.0.0", execute: () => ({ doubled: -1 }) };
    const answer = await open({ tools: [double, newer] }).call(double, { n: 4 });
    expect(answer).toMatchObject({ result: { doubled: 8 }, metadata: { version: "2.0.0" } });
  });

  it("takes the name of a tool, arguments and options", async () => {
    const tenon = open();
    const answer = await tenon.call("base64_encode", { text: "hi" }, { id: "mine", taskId: "t" });
    expect(answer).toMatchObject({
      result: { encoded: "aGk=" },
      metadata: { requestId: "mine", taskId: "t" },
    });
  });

  it("works inside a tool as well", async () => {
    const outer = tool("outer", { execute: async (_, ctx) => (await ctx.call(double, { n: 3 })).result });
    expect(await open({ tools: [double, outer] }).call("outer", {})).toMatchObject({
      result: { doubled: 6 },
    });
  });

  it("says how to register a tool that is not there", async () => {
    const answer = await open().call(double, { n: 1 });
    expect(answer.error).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });
});

describe("unknown keys", () => {
  it.each([
    [{ name: "sleep", args: {} }, "args", '"arguments"'],
    [{ name: "sleep", input: {} }, "input", '"arguments"'],
    [{ tool: "sleep" }, "tool", '"name"'],
    [{ name: "sleep", timeoutMS: 3 }, "timeoutMS", '"timeoutMs"'],
    [{ name: "sleep", idempotencykey: "x" }, "idempotencykey", '"idempotencyKey"'],
    [{ name: "sleep", zzzzzzzz: 1 }, "zzzzzzzz", "The known ones are id, name, arguments"],
    [{ name: "sleep", constructor: 1 }, "constructor", "The known ones are"],
  ])("of the request %j are refused with the right one", async (request, key, hint) => {
    const answer = await open().call(request as never);
    expect(answer.error).toMatchObject({
      code: "REQUEST_INVALID",
      message: `Invalid request: unknown field "${key}".`,
      hint: expect.stringContaining(hint) as string,
    });
  });

  const definition = {
    name: "t",
    description: "T.",
    category: "custom",
    input: z.object({}),
    execute: () => 1,
  };
  const extension = { name: "e", version: "1.0.0", description: "E.", onToolRegister: () => undefined };
  const use = (given: object) => () => open().use(given as never);
  const register = (members: object) => () => open().register({ ...definition, ...members });
  it.each<[string, () => unknown, string, string]>([
    ["a session", () => open().createSession({ toolSet: "all" } as never), "toolSet", "toolset"],
    [
      "the health options",
      () => open({ health: { criticalError: 1 } as never }),
      "criticalError",
      "criticalErrors",
    ],
    ["a definition", register({ timeoutms: 3 }), "timeoutms", "timeoutMs"],
    [
      "a definition of another library",
      register({ execute: undefined, handler: () => 1 }),
      "handler",
      "execute",
    ],
    ["annotations", register({ annotations: { readonly: true } }), "readonly", "readOnly"],
    [
      "annotations in MCP's words",
      register({ annotations: { readOnlyHint: true } }),
      "readOnlyHint",
      "readOnly",
    ],
    ["a retry policy", register({ retry: { attempt: 3 } }), "attempt", "attempts"],
    ["concurrency", register({ concurrency: { maximum: 3 } }), "maximum", "max"],
    [
      "an extension",
      use({ ...extension, onToolCompleted: () => undefined }),
      "onToolCompleted",
      "onToolComplete",
    ],
    ["extendTool", () => extendTool(double, { input: {} } as never), "input", "It can change name"],
    [
      "toLLMTools",
      () =>
        open()
          .createSession()
          .toLLMTools("openai", { strikt: true } as never),
      "strikt",
      "strict",
    ],
    ["ToolPromptGenerator", () => new ToolPromptGenerator({ fromat: "xml" } as never), "fromat", "format"],
    ["ToolRegistry", () => new ToolRegistry({ toolset: {} } as never), "toolset", "toolsets"],
  ])("of %s are refused with the right one", (_, make, key, meant) => {
    let thrown: unknown;
    try {
      make();
    } catch (error) {
      thrown = error;
    }
    const { message, hint = "" } = thrown as { message: string; hint?: string };
    expect(message).toContain(key);
    expect(`${message} ${hint}`).toContain(meant);
  });

  it("are allowed in an instance of a class", () => {
    class Own {
      name = "own";
      description = "Has members of its own.";
      category = "custom" as const;
      input = z.object({});
      cache = new Map();
      execute() {
        return this.cache.size;
      }
    }
    expect(() => open({ tools: [new Own()] })).not.toThrow();
  });
});

describe("a wrapped result", () => {
  const answerOf = (members: object) =>
    open({
      tools: [tool("make", members as never)],
      config: { policy: { rules: [{ decision: "allow", tool: "make" }] } },
    }).call({ name: "make" });

  it.each<[string, () => unknown]>([
    ["data", () => ({ success: true, data: { n: 1 } })],
    ["result", () => ({ success: true, result: { n: 1 }, toolName: "make", startedAt: 1, durationMs: 2 })],
    ["a promise of data", () => Promise.resolve({ success: true, data: { n: 1 } })],
    [
      "a yielded one",
      async function* () {
        yield "working";
        yield { success: true, data: { n: 1 } };
      },
    ],
  ])("is unwrapped: %s", async (_, execute) => {
    expect(await answerOf({ execute })).toMatchObject({ success: true, result: { n: 1 } });
  });

  it.each<[string, () => unknown, object]>([
    [
      "a text",
      () => ({ success: false, error: "no luck" }),
      { code: "EXECUTION_FAILED", message: "no luck" },
    ],
    [
      "an object with a code",
      () => ({ success: false, error: { message: "gone", code: "ROW_GONE" }, data: { id: 3 } }),
      { code: "ROW_GONE", message: "gone", details: { data: { id: 3 } } },
    ],
    ["an Error", () => ({ success: false, error: new Error("broken") }), { message: "broken" }],
    [
      "nothing",
      () => ({ success: false, error: undefined }),
      { message: '"make" failed without giving a reason.' },
    ],
    [
      "an object with a message and a code that are none",
      () => ({ success: false, error: { message: 42, code: "not a code" } }),
      { code: "EXECUTION_FAILED", message: '"make" failed without giving a reason.' },
    ],
    [
      "an object with an empty message and a number as code",
      () => ({ success: false, error: { message: "  ", code: 7 } }),
      { code: "EXECUTION_FAILED", message: '"make" failed without giving a reason.' },
    ],
    [
      "a yielded one",
      async function* () {
        yield { success: false, error: "stopped" };
      },
      { message: "stopped" },
    ],
  ])("with success: false is a failed call: %s", async (_, execute, error) => {
    expect(await answerOf({ execute })).toMatchObject({ success: false, error });
  });

  it("of a class with `call` is unwrapped, too", async () => {
    class Custom {
      name = "make";
      description = "Yields its result.";
      inputSchema = z.object({});
      async *call() {
        yield { success: false, error: "refused" };
      }
    }
    const answer = await open({
      tools: [new Custom()],
      config: { policy: { rules: [{ decision: "allow", tool: "make" }] } },
    }).call({ name: "make" });
    expect(answer).toMatchObject({ success: false, error: { message: "refused" } });
  });

  it.each<[string, object]>([
    ["declared in the output schema", { output: z.object({ success: z.boolean(), data: z.number() }) }],
    ["with fields of its own", { execute: () => ({ success: true, data: 1, rows: 2 }) }],
    ["without data and error", { execute: () => ({ success: true, durationMs: 2 }) }],
    ["of an MCP server", { category: "mcp" }],
  ])("stays as it is: %s", async (_, members) => {
    const answer = await answerOf({ execute: () => ({ success: true, data: 1 }), ...members });
    expect(answer).toMatchObject({ success: true, result: { success: true } });
  });
});

describe("extensions", () => {
  it("get their configuration in extendTool", async () => {
    const seen: unknown[] = [];
    const extension = {
      name: "e",
      version: "1.0.0",
      description: "E.",
      filter: { names: ["double"] },
      config: { from: "extension" },
      extendTool(wrapped: typeof double, config: object) {
        seen.push(config);
        return extendTool(wrapped, { description: "Twice." });
      },
    };
    open({ tools: [double], extensions: [extension] });
    expect(new Set(seen.splice(0))).toEqual(new Set([{ from: "extension" }]));
    open({ tools: [double] }).registerExtension(extension, { from: "use" });
    expect(new Set(seen)).toEqual(new Set([{ from: "use" }]));
  });
});

describe("a registry on its own", () => {
  it("writes definitions for a model", () => {
    const registry = new ToolRegistry();
    registry.register(double);
    expect(registry.toLLMTools("anthropic")).toMatchObject([
      { name: "double", input_schema: { type: "object" } },
    ]);
  });
});
