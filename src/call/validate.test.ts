import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type SchemaSource, ToolExecutionError, type ToolParameter } from "../index.js";
import { open, tool } from "../../test/spine-fixture.js";

const parameters: readonly ToolParameter[] = [
  { name: "path", type: "string", required: true },
  { name: "mode", type: "string", enum: ["overwrite", "append"], default: "overwrite" },
  { name: "lines", type: "array" },
  { name: "options", type: "object" },
  { name: "count", type: "integer" },
];

const forms: [string, SchemaSource][] = [
  [
    "Zod",
    z.object({
      path: z.string(),
      mode: z.enum(["overwrite", "append"]).default("overwrite"),
      lines: z.array(z.unknown()).optional(),
      options: z.looseObject({}).optional(),
      count: z.int().optional(),
    }),
  ],
  [
    "JSON Schema",
    {
      type: "object",
      properties: {
        path: { type: "string" },
        mode: { type: "string", enum: ["overwrite", "append"], default: "overwrite" },
        lines: { type: "array" },
        options: { type: "object" },
        count: { type: "integer" },
      },
      required: ["path"],
    },
  ],
  ["ToolParameter[]", parameters],
];

describe.each(forms)("arguments by %s", (_, input) => {
  const openTake = () => {
    let runs = 0;
    const tenon = open({
      tools: [
        tool("take", {
          input: input,
          execute: (value) => {
            runs++;
            return value;
          },
        }),
      ],
    });
    const call = (args: unknown) => tenon.call({ name: "take", arguments: args });
    return { tenon, call, runs: () => runs };
  };

  it("fill in defaults", async () => {
    const { call } = openTake();
    expect(await call({ path: "a" })).toSucceedWith({ path: "a", mode: "overwrite" });
  });

  it("have all their faults named in one answer, with the nearest name for an unknown one", async () => {
    const { call, tenon, runs } = openTake();
    const args = { pth: "a", mode: "replace", count: 1.5 };
    const { error } = await call(args);
    expect(error).toMatchObject({ type: "ToolValidationError", code: "ARGUMENTS_INVALID", retryable: false });
    for (const word of ['"path"', '"pth"', '"mode"', "append", '"count"'])
      expect(error?.message).toContain(word);
    expect(error?.message).toMatch(/mean "path"|"path"\?/);
    expect(error?.details?.["issues"]).toBeInstanceOf(Array);
    const verdict = tenon.validate("take", args);
    expect(verdict.valid).toBe(false);
    expect(verdict.errors.length).toBeGreaterThanOrEqual(3);
    expect(runs()).toBe(0);
  });

  it("take JSON in a string where an object or array was meant", async () => {
    const { call } = openTake();
    const answer = await call({ path: "a", lines: '["x", 1]', options: '{"deep":{"er":true}}' });
    expect(answer).toSucceed({ result: { lines: ["x", 1], options: { deep: { er: true } } } });
    expect(await call('{"path":"whole"}')).toSucceed({ result: { path: "whole" } });
  });

  it("leave a string alone where a string was meant", async () => {
    const { call } = openTake();
    expect(await call({ path: '{"a":1}' })).toSucceed({ result: { path: '{"a":1}' } });
  });

  it("are not coerced", async () => {
    const { call } = openTake();
    for (const args of [
      { path: 5 },
      { path: "a", count: "3" },
      { path: "a", lines: "x" },
      { path: ["a"] },
      { path: null },
    ]) {
      expect(await call(args)).toFailWith("ARGUMENTS_INVALID");
    }
  });

  it("that are none at all are refused, and absent ones count as none given", async () => {
    const { call } = openTake();
    for (const args of [[], "x", 5, true]) expect((await call(args)).error?.type).toBe("ToolValidationError");
    for (const args of [undefined, null, {}]) {
      expect((await call(args)).error?.message).toContain('"path"');
    }
  });
});

describe("an input that a schema transforms", () => {
  it("reaches execute transformed once", async () => {
    const tenon = open({
      tools: [
        tool("take", {
          input: z.object({ n: z.string().transform((text) => text.length) }),
          resources: () => ({ reads: [{ lock: "x" }] }),
          execute: (value) => value,
        }),
      ],
    });
    expect(await tenon.call({ name: "take", arguments: { n: "four" } })).toSucceedWith({ n: 4 });
  });

  it("with an asynchronous check is refused with the reason", async () => {
    const tenon = open({
      tools: [
        tool("take", {
          input: z.object({ n: z.string().refine(async () => true) }),
          execute: (value) => value,
        }),
      ],
    });
    const { error } = await tenon.call({ name: "take", arguments: { n: "a" } });
    expect(error?.code).toBe("ARGUMENTS_INVALID");
    expect(error?.message).toContain("asynchronous");
  });
});

describe("what a tool says that it touches", () => {
  const bad: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["is a promise", () => Promise.resolve({ writes: [{ path: "a" }] })],
    ["is a number", () => 5],
    ["has no list", () => ({ writes: { path: "a" } })],
    ["has null in it", () => ({ writes: [null] })],
    ["has an entry of no kind", () => ({ writes: [{ pth: "a" }] })],
    ["has a path that is no string", () => ({ writes: [{ path: 5 }] })],
  ];

  it.each(bad)("and %s, is a fault of the tool, and it does not run", async (_, resources) => {
    let ran = false;
    const tenon = open({
      tools: [tool("vague", { resources: resources as never, execute: () => (ran = true) })],
    });
    const { error } = await tenon.call({ name: "vague" });
    expect(error).toMatchObject({ type: "ToolInternalError", code: "INTERNAL" });
    expect(ran).toBe(false);
  });

  it("nothing, by undefined or null, is allowed", async () => {
    for (const resources of [() => undefined, () => null, () => ({})]) {
      const tenon = open({ tools: [tool("free", { resources: resources as never, execute: () => "ran" })] });
      expect(await tenon.call({ name: "free" })).toSucceedWith("ran");
    }
  });
});

describe("arguments in the words of another host", () => {
  const allowTake = { policy: { rules: [{ decision: "allow" as const, tool: "take" }] } };
  const take = (category: "custom" | "mcp") =>
    tool("take", {
      category,
      input: z.strictObject({
        path: z.string(),
        content: z.string().optional(),
        count: z.int().optional(),
      }),
      execute: (input) => input,
    });
  const answer = async (args: object, category: "custom" | "mcp" = "custom") =>
    open({ tools: [take(category)], builtIns: false, config: allowTake }).call({
      name: "take",
      arguments: args,
    });

  it("are renamed, and null counts as left out", async () => {
    expect(await answer({ file_path: "a" })).toSucceedWith({ path: "a" });
    expect(await answer({ path: "a", count: null })).toSucceedWith({ path: "a" });
    expect(await answer({ file_path: "a", count: null })).toSucceedWith({ path: "a" });
  });

  it("are no faults where they are understood: only what is left is told", async () => {
    const { error } = await answer({ file_path: "a", contents: 5 });
    expect(error).toMatchObject({
      code: "ARGUMENTS_INVALID",
      hint: "Correct every argument that is named and call again.",
      details: { issues: [{ path: "content" }] },
    });
    expect(error?.message).not.toContain("file_path");
    // A null beside another fault is one itself.
    const both = await answer({ path: 5, count: null });
    expect(both.error?.details?.["issues"]).toHaveLength(2);
  });

  it("of a tool of an MCP server are not renamed: its names are its own", async () => {
    const { error } = await answer({ file_path: "a" }, "mcp");
    expect(error).toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(error?.message).toContain("file_path");
    expect(await answer({ path: "a", count: null }, "mcp")).toSucceedWith({ path: "a" });
  });
});

describe("a call that means one of another tool", () => {
  const meaning = (meant: object, members: object = {}) =>
    tool("wrap", {
      meansCall: () => ({ name: "inner", ...meant }) as never,
      execute: () => "own",
      ...members,
    });
  const inner = tool("inner", {
    input: z.strictObject({ n: z.number() }),
    execute: ({ n }: never) => ({ twice: 2 * n }),
    render: (result) => `twice is ${(result as { twice: number }).twice}`,
  });
  const call = (wrap: ReturnType<typeof tool>) =>
    open({ tools: [wrap, inner] }).call({ name: "wrap", arguments: { a: 1 } });

  it("runs that one, and answers in the form of the one that was called", async () => {
    const { result, toolName, content } = await call(meaning({ arguments: { n: 2 } }));
    expect({ result, toolName, content }).toEqual({
      result: { twice: 4 },
      toolName: "inner",
      content: [{ type: "text", text: '{"twice":4}' }],
    });
    const wrap = meaning(
      { arguments: { n: 2 }, answer: (given: unknown) => ({ given }) },
      { render: (result: unknown, input: unknown) => JSON.stringify([result, input]) },
    );
    const formed = await call(wrap);
    expect(formed).toSucceedWith({ given: { twice: 4 } });
    expect(formed.content).toEqual([{ type: "text", text: '[{"given":{"twice":4}},{"a":1}]' }]);
  });

  it("is refused by the meant tool's schema, and where the meant arguments are no data", async () => {
    expect(await call(meaning({ arguments: { n: "2" } }))).toFailWith("ARGUMENTS_INVALID", {
      message: expect.stringMatching(/^Invalid arguments for "inner": /u),
    });
    expect(await call(meaning({ arguments: { n: () => 2 } }))).toFailWith("ARGUMENTS_UNSAFE", {
      message: expect.stringMatching(/^Invalid arguments for "inner": /u),
    });
    expect(await call(meaning({ name: "absent", arguments: {} }))).toFailWith("TOOL_NOT_FOUND");
  });

  it("runs itself where it means no other", async () => {
    expect(await call(tool("wrap", { meansCall: () => undefined, execute: () => "own" }))).toSucceedWith(
      "own",
    );
  });

  it("words the hint of the meant tool's error", async () => {
    const failing = tool("inner", {
      execute: () => Promise.reject(new ToolExecutionError("broke", { hint: "inner's hint" })),
    });
    const hintOf = async (hint?: () => string | undefined) => {
      const tenon = open({ tools: [failing, meaning({ arguments: {}, hint })] });
      return (await tenon.call({ name: "wrap" })).error?.hint;
    };
    expect(await hintOf()).toBe("inner's hint");
    expect(await hintOf(() => undefined)).toBe("inner's hint");
    expect(await hintOf(() => "in other words")).toBe("in other words");
  });
});

describe("what rules are told of a call", () => {
  const session = {
    agent: "ada",
    user: "u1",
    client: "zed",
    role: "operator",
    endpoint: "team",
    session: "s1",
  };
  const denied = Object.entries(session).map(([subject, value]) => ({
    decision: "deny" as const,
    tool: `by_${subject}`,
    [subject]: value,
  }));
  const tools = ["tool", ...Object.keys(session)].map((subject) =>
    tool(`by_${subject}`, { ...(subject === "tool" && { aliases: ["other"] }), execute: () => 1 }),
  );

  it.each(Object.keys(session))("includes its %s", async (subject) => {
    const tenon = open({ builtIns: false, tools, config: { policy: { rules: denied } } });
    const one = tenon.createSession({
      id: "s1",
      agent: "ada",
      userId: "u1",
      clientInfo: { name: "zed" },
      role: "operator",
      endpoint: "team",
    });
    expect(await one.call({ name: `by_${subject}` })).toFailWith("ACCESS_DENIED");
    expect(await tenon.createSession().call({ name: `by_${subject}` })).toSucceed();
  });

  it("includes the other names of its tool", async () => {
    const rules = [{ decision: "deny" as const, tool: "other" }];
    const tenon = open({ builtIns: false, tools, config: { policy: { rules } } });
    expect(await tenon.call({ name: "by_tool" })).toFailWith("ACCESS_DENIED");
  });
});

describe("what a tool touches", () => {
  it("is asked of it once for each call, with its settings", async () => {
    const asked: unknown[][] = [];
    const resources = (...args: unknown[]) => (asked.push(args), { reads: [{ lock: "a" }] });
    const tenon = open({
      tools: [tool("touch", { resources, execute: () => 1 })],
      config: { tools: { perTool: { touch: { custom: { depth: 2 } } } } },
    });
    expect(await tenon.call({ name: "touch", arguments: { a: 1 } })).toSucceed();
    expect(asked).toEqual([[{ a: 1 }, undefined, { depth: 2 }]]);
  });

  it("that is no data is told in words", async () => {
    const messageOf = async (resources: () => unknown) => {
      const tenon = open({ tools: [tool("vague", { resources: resources as never, execute: () => 1 })] });
      return (await tenon.call({ name: "vague" })).error;
    };
    expect(await messageOf(() => 5)).toMatchObject({
      message: '"vague" could not say what it will touch: it did not return { reads, writes }',
      hint: "The tool's resources() must return { reads, writes } synchronously, and must not throw for valid input.",
    });
    expect((await messageOf(() => ({ reads: {} })))?.message).toContain("reads and writes must be arrays");
    expect((await messageOf(() => ({ writes: ["a"] })))?.message).toContain("an entry is not an object");
  });
});
