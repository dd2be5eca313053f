import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { builtInTools, defineTool, ToolResourceNotFoundError } from "../index.js";
import {
  createTestContext,
  toFailWith,
  toSucceed,
  toSucceedWith,
  type TenonMatchers,
  type TestContext,
  type TestContextOptions,
} from "../testing.js";

const opened: TestContext[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((ctx) => ctx.close()));
});

async function open(options?: TestContextOptions): Promise<TestContext> {
  const ctx = await createTestContext(options);
  opened.push(ctx);
  return ctx;
}

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  category: "custom",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }, ctx) => {
    ctx.emit("adding");
    ctx.log.warn("slow", { a });
    return { sum: a + b };
  },
});

describe("createTestContext", () => {
  it("runs built-in tools as values, with the defaults of their input and all ports", async () => {
    const ctx = await open({ files: { "src/a.txt": "one\ntwo\n" }, interact: { ask: () => "blue" } });
    const { read_file, edit_file, list_files, grep, shell_exec, set_env, save_learning, ask_user } =
      builtInTools;
    expect((await read_file.execute({ path: "src/a.txt" }, ctx)).content).toContain("two");
    await edit_file.execute({ path: "src/a.txt", old_str: "two", new_str: "three" }, ctx);
    expect(readFileSync(join(ctx.workspace, "src/a.txt"), "utf8")).toBe("one\nthree\n");
    expect(JSON.stringify(await list_files.execute({ recursive: true }, ctx))).toContain("src/a.txt");
    expect(JSON.stringify(await grep.execute({ pattern: "thr" }, ctx))).toContain("three");
    expect(JSON.stringify(await shell_exec.execute({ command: "cat src/a.txt" }, ctx))).toContain("three");
    await set_env.execute({ key: "COLOR", value: "red" }, ctx);
    expect(ctx.env.get("COLOR")).toBe("red");
    expect(await save_learning.execute({ title: "Tests", content: "Test tools alone." }, ctx)).toBeTruthy();
    expect(JSON.stringify(await ask_user.execute({ question: "Color?" }, ctx))).toContain("blue");
  });

  it("rejects wrong input and failures with the errors that calls answer with", async () => {
    const ctx = await open();
    await expect(builtInTools.read_file.execute({ pth: "a" } as never, ctx)).rejects.toFailWith(
      "ARGUMENTS_INVALID",
    );
    await expect(builtInTools.read_file.execute({ path: "none" }, ctx)).rejects.toFailWith(
      "RESOURCE_NOT_FOUND",
    );
    await expect(builtInTools.read_file.execute({ path: "/etc/passwd" }, ctx)).rejects.toFailWith(/^PATH_/);
  });

  it("records what a tool reports, and makes whole calls with its session", async () => {
    const ctx = await open({ tools: [add] });
    expect(add.execute({ a: 1, b: 2 }, ctx)).toEqual({ sum: 3 });
    expect(ctx.progress).toEqual(["adding"]);
    expect(ctx.logged).toEqual([{ level: "warn", message: "slow", fields: { a: 1 } }]);
    expect(await ctx.session.call(add, { a: 1 })).toSucceedWith({ sum: 2 });
    expect(await ctx.call(add, { a: 4 })).toSucceed({ result: { sum: 5 } });
    expect(ctx.session.tools().map(({ name }) => name)).not.toContain("test_context");
  });

  it("gives consent unless the test answers itself", async () => {
    const ctx = await open();
    expect(await ctx.session.call("write_file", { path: "a", content: "x" })).toSucceed();
    const refusing = await open({ interact: { approve: () => false } });
    expect(await refusing.session.call("write_file", { path: "a", content: "x" })).toFailWith(
      "APPROVAL_DENIED",
    );
  });

  it("puts ports of the test in the place of real ones", async () => {
    const ctx = await open({
      overrides: { agent: "robot", clock: { ...(await open()).clock, now: () => 0 } },
    });
    expect(ctx.agent).toBe("robot");
    expect(JSON.stringify(await builtInTools.current_time.execute({}, ctx))).toContain("1970");
  });

  it("removes its own folder and leaves one of the test", async () => {
    const own = await createTestContext({ files: { a: "x" } });
    const given = await createTestContext({ workspace: own.workspace });
    await given.close();
    expect(existsSync(join(own.workspace, "a"))).toBe(true);
    await own.close();
    expect(existsSync(own.workspace)).toBe(false);
  });

  it("refuses an unknown option and a configuration without room for it", async () => {
    await expect(createTestContext({ file: {} } as never)).rejects.toThrow('Unknown option "file"');
    await expect(createTestContext({ config: { tools: { enabled: ["read_file"] } } })).rejects.toThrow(
      /could not be made/,
    );
  });
});

describe("the matchers", () => {
  it("say what came instead", async () => {
    const ctx = await open({ tools: [add] });
    const good = await ctx.session.call(add, { a: 1 });
    const bad = await ctx.session.call(add, {} as never);
    expect(() => expect(bad).toSucceed()).toThrow(/ARGUMENTS_INVALID/);
    expect(() => expect(good).toFailWith("ARGUMENTS_INVALID")).toThrow(/it succeeded with {"sum":2}/);
    expect(() => expect(good).toSucceedWith({ sum: 3 })).toThrow(/sum/);
    expect(() => expect(good).not.toSucceed()).toThrow(/to fail/);
    expect(() => expect(bad).toFailWith("ARGUMENTS_INVALID", { hint: "other" })).toThrow(/ARGUMENTS_INVALID/);
    expect(() => expect(ctx.session.call(add, { a: 1 })).toSucceed()).toThrow(/await the call first/);
    expect(new ToolResourceNotFoundError("x")).toFailWith(/NOT_FOUND/, {
      message: expect.stringContaining("x"),
    });
  });

  it("work with the expect of Jest", async () => {
    const jest = createRequire(resolve("test/peers/package.json"))("expect") as { expect: JestExpect };
    jest.expect.extend({ toFailWith, toSucceed, toSucceedWith });
    const ctx = await open({ tools: [add] });
    const good = await ctx.session.call(add, { a: 1 });
    const bad = await ctx.session.call(add, {} as never);
    jest.expect(good).toSucceed({ toolName: "add" });
    jest.expect(good).toSucceedWith({ sum: 2 });
    jest.expect(bad).toFailWith("ARGUMENTS_INVALID", { retryable: false });
    jest.expect(bad).not.toSucceed();
    expect(() => jest.expect(bad).toSucceed()).toThrow(/ARGUMENTS_INVALID/);
    expect(() => jest.expect(good).toSucceedWith({ sum: 3 })).toThrow(/sum/);
    expect(() => jest.expect(good).toFailWith(/INVALID/)).toThrow(/it succeeded/);
  });
});

interface JestExpect {
  (value: unknown): TenonMatchers & { readonly not: TenonMatchers };
  extend(matchers: object): void;
}
