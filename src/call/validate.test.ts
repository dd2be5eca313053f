import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { SchemaSource, ToolParameter } from "../index.js";
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
