import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { Tool } from "../contract/tool.js";
import { acceptTool } from "./accept-tool.js";

const ctx = {} as never;

async function drain(running: unknown): Promise<{ reports: unknown[]; result: unknown }> {
  const generator = running as AsyncGenerator;
  const reports: unknown[] = [];
  for (;;) {
    const step = await generator.next();
    if (step.done === true) return { reports, result: step.value };
    reports.push(step.value);
  }
}

describe("acceptTool", () => {
  it("keeps a tool that has the one shape as it is", () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      category: "data",
      input: z.object({}),
      execute: () => 1,
    });
    expect(acceptTool(tool).tool).toBe(tool);
  });

  it("takes a class with private state, prototype methods and parameters", () => {
    class Counter {
      readonly name = "count";
      readonly description = "Count.";
      readonly parameters = [{ name: "by", type: "integer", required: true }] as const;
      readonly dangerous = true;
      #total = 0;
      execute({ by }: { by: number }): number {
        return (this.#total += by);
      }
      dispose(): void {
        this.#total = -1;
      }
    }
    const { tool, isEnabled } = acceptTool(new Counter());
    expect(tool).toMatchObject({ category: "custom", annotations: { dangerous: true } });
    expect(tool.input).toEqual([{ name: "by", type: "integer", required: true }]);
    expect(tool.execute({ by: 2 }, ctx)).toBe(2);
    expect(tool.execute({ by: 3 }, ctx)).toBe(5);
    void tool.dispose?.();
    expect(tool.execute({ by: 1 }, ctx)).toBe(0);
    expect(isEnabled).toBeUndefined();
  });

  it("keeps every optional method of a class, the shell line that the policy judges included", () => {
    class Runner {
      readonly name = "run";
      readonly description = "Run.";
      readonly input = z.object({});
      readonly dangerous = true;
      #line = "ls";
      shellLine(): { line: string } {
        return { line: this.#line };
      }
      prepare(): undefined {
        this.#line = "pwd";
      }
      execute(): void {}
    }
    const { tool } = acceptTool(new Runner());
    expect(tool.shellLine?.({}, {})).toEqual({ line: "ls" });
    void tool.prepare?.({}, {} as never);
    expect(tool.shellLine?.({}, {})).toEqual({ line: "pwd" });
  });

  it("honors isReadOnly, isConcurrencySafe and isEnabled", () => {
    const like = {
      name: "t",
      description: "d",
      inputSchema: z.object({}),
      _on: false,
      isReadOnly: () => true,
      isConcurrencySafe: () => false,
      isEnabled(): boolean {
        return this._on;
      },
      execute: () => 1,
    };
    const { tool, isEnabled } = acceptTool(like);
    expect(tool.annotations?.readOnly).toBe(true);
    expect(tool.concurrency).toEqual({ safe: false });
    expect(isEnabled?.()).toBe(false);
    like._on = true;
    expect(isEnabled?.()).toBe(true);
  });

  it("takes the stricter of method and annotation, and a method that throws as a no", () => {
    const base = { name: "t", description: "d", input: z.object({}), execute: () => 1 };
    const cases = [
      acceptTool({ ...base, annotations: { readOnly: true }, isReadOnly: () => false }),
      acceptTool({ ...base, annotations: { readOnly: false }, isReadOnly: () => true }),
      acceptTool({ ...base, isReadOnly: (input: { a: string }) => input.a.length > 0 }),
    ];
    for (const { tool } of cases) expect(tool.annotations?.readOnly).toBe(false);
  });

  it("takes call as execute: reports pass, the last value is the result", async () => {
    class S2 {
      name = "t";
      description = "d";
      inputSchema = z.object({});
      word = "done";
      async *call(): AsyncGenerator {
        yield "working";
        yield { type: "progress", progress: 1, total: 2 };
        yield { type: "result", data: { word: this.word } };
      }
    }
    const { reports, result } = await drain(acceptTool(new S2()).tool.execute({}, ctx));
    expect(reports).toEqual(["working", { type: "progress", progress: 1, total: 2 }]);
    expect(result).toEqual({ word: "done" });
  });

  it("prefers what call returns, passes its faults on and stops it when nobody listens", async () => {
    let stopped = false;
    const tool = (call: () => AsyncGenerator): Tool =>
      acceptTool({ name: "t", description: "d", input: z.object({}), call }).tool;
    const returning = tool(async function* () {
      yield "x";
      return 7;
    });
    expect((await drain(returning.execute({}, ctx))).result).toBe(7);
    const failing = tool(async function* () {
      yield "x";
      throw new Error("broken");
    });
    await expect(drain(failing.execute({}, ctx))).rejects.toThrow("broken");
    const endless = tool(async function* () {
      try {
        for (;;) yield "x";
      } finally {
        stopped = true;
      }
    });
    const running = endless.execute({}, ctx) as AsyncGenerator;
    await running.next();
    await running.return(undefined);
    expect(stopped).toBe(true);
    const plain = acceptTool({ name: "t", description: "d", input: z.object({}), call: async () => 3 });
    await expect(plain.tool.execute({}, ctx)).resolves.toBe(3);
  });

  it.each([undefined, null, 3, "tool", () => 1])("refuses %j", (like) => {
    expect(() => acceptTool(like)).toThrow(expect.objectContaining({ code: "DEFINITION_INVALID" }));
  });

  it("turns a getter that throws into a definition error", () => {
    const like = {
      get category(): string {
        throw new Error("gotcha");
      },
    };
    expect(() => acceptTool(like)).toThrow(/could not be read: gotcha/);
  });

  it("passes on only what says how far it is, and takes a result out of its wrapping", async () => {
    const ends: [unknown[], unknown, unknown[]][] = [
      [
        [{ progress: 1 }, { message: "half" }, { type: "other", message: "x" }],
        { type: "other", message: "x" },
        [{ progress: 1 }, { message: "half" }],
      ],
      [[null, 7, { data: 1 }], { data: 1 }, []],
      [[{ type: "result" }], { type: "result" }, []],
      [[{ type: "result", data: 5 }], 5, []],
      [[{ success: true, data: { message: "m" } }], { success: true, data: { message: "m" } }, []],

      [[], undefined, []],
    ];
    for (const [yielded, result, reports] of ends) {
      const call = async function* () {
        yield* yielded;
      };
      const { tool } = acceptTool({ name: "t", description: "d", input: z.object({}), call });
      expect(await drain(tool.execute({}, ctx))).toEqual({ reports, result });
    }
  });

  it.each<[object, object]>([
    [{ dangerous: true }, { annotations: { dangerous: true } }],
    [{ dangerous: false, annotations: { dangerous: true } }, { annotations: { dangerous: true } }],
    [{ isReadOnly: () => "yes" }, { annotations: { readOnly: false } }],
    [{ isConcurrencySafe: () => false, concurrency: { max: 3 } }, { concurrency: { max: 3, safe: false } }],
    [{ isConcurrencySafe: () => true, concurrency: { max: 3 } }, { concurrency: { max: 3 } }],
    [{ outputSchema: 1 }, { output: 1 }],
    [{ output: 2, outputSchema: 1 }, { output: 2 }],
    [
      { category: undefined, parameters: 1, inputSchema: 2, input: undefined },
      { category: "custom", input: 1 },
    ],
  ])("reads %o as %o", (over, expected) => {
    const like = { name: "t", description: "d", category: "data", input: z.object({}), execute: () => 1 };
    expect(acceptTool({ ...like, ...over }).tool).toMatchObject(expected);
  });
});

describe("the members of a tool", () => {
  const methods = ["resources", "prepare", "shellLine", "runsOnlyLine", "meansCall", "checkPermissions"];
  methods.push("preview", "validateDependencies", "healthCheck", "init", "dispose", "render");
  const base = { name: "t", description: "d", execute: () => 1 };

  it("are all allowed in a literal", () => {
    const others = ["category", "input", "parameters", "inputSchema", "output", "outputSchema", "version"];
    others.push("aliases", "annotations", "examples", "definition", "dependsOn", "optionalDependsOn");
    others.push("capabilities", "securityLevel", "timeoutMs", "retry", "fallback", "priority", "concurrency");
    others.push("cacheTtlMs", "native", "replaces", "dangerous", "isEnabled", "isReadOnly", "call");
    others.push("isConcurrencySafe", "_own");
    const all = Object.fromEntries([...others, ...methods].map((name) => [name, undefined]));
    expect(acceptTool({ ...base, ...all }).tool.name).toBe("t");
  });

  it.each<[string, string]>([
    ["descripton", 'Did you mean "description"?'],
    ["args", 'Did you mean "input"?'],
    ["schema", 'Did you mean "input"?'],
    ["returns", 'Did you mean "output"?'],
    ["run", 'Did you mean "execute"?'],
    ["invoke", 'Did you mean "execute"?'],
    ["func", 'Did you mean "execute"?'],
    ["readOnly", 'Did you mean "annotations"?'],
    ["constructor", "The known ones are name, "],
  ])("are not %j in a literal, with a hint", (name, hint) => {
    for (const like of [{ ...base, [name]: 1 }, Object.assign(Object.create(null), base, { [name]: 1 })]) {
      const refusal = expect.objectContaining({
        message: `Tool "t" has the unknown member "${name}".`,
        hint: expect.stringContaining(hint),
      });
      expect(() => acceptTool(like)).toThrow(refusal);
    }
    expect(() => acceptTool({ name: 7, [name]: 1 })).toThrow("Tool definition has the unknown member");
  });

  it("are all brought along from a class", () => {
    const members = {
      name: "t",
      description: "d",
      category: "data",
      input: z.object({}),
      version: "2.1.0",
      aliases: ["u"],
      examples: [],
      dependsOn: ["a"],
      optionalDependsOn: ["b"],
      capabilities: ["c"],
      securityLevel: "low",
      timeoutMs: 5,
      retry: { attempts: 2 },
      fallback: "f",
      priority: 3,
      cacheTtlMs: 7,
      native: { provider: "openai" },
      replaces: ["r"],
      concurrency: { max: 1 },
      ...Object.fromEntries(methods.map((name) => [name, () => name])),
    };
    class Made {
      readonly calls: unknown[] = [];
      constructor() {
        Object.assign(this, members);
      }
      call(): string {
        return `called on ${this.constructor.name}`;
      }
    }
    const { tool } = acceptTool(new Made());
    const plain = Object.entries(members).filter(([name]) => name !== "input" && !methods.includes(name));
    expect(tool).toMatchObject(Object.fromEntries(plain));
    expect(tool.execute({}, ctx)).toBe("called on Made");
    for (const name of methods) expect((tool as never as Record<string, () => string>)[name]?.()).toBe(name);
  });
});
