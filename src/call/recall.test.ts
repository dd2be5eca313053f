import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";
import { defineTool } from "../contract/define-tool.js";
import type { ContentPart, ToolEnvelope } from "../contract/call.js";
import { createTenon } from "../runtime/create-tenon.js";
import type { TenonOptions } from "../runtime/tenon-options.js";
import type { Tenon } from "../runtime/tenon.js";

const opened: { tenon: Tenon; root: string }[] = [];

afterEach(async () => {
  for (const { tenon, root } of opened.splice(0)) {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  }
});

/** A workspace whose files look as if they had been there for a minute. */
function start(options: TenonOptions = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-recall-")));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const tenon = createTenon({
    workspace,
    ...options,
    config: { stateDir: join(root, "state"), mode: "auto", ...options.config },
  });
  opened.push({ tenon, root });
  const write = (name: string, text: string): void => writeFileSync(join(workspace, name), text);
  return { tenon, workspace, write };
}

const read = (tenon: Pick<Tenon, "call">, path: string, more: object = {}): Promise<ToolEnvelope> =>
  tenon.call({ name: "read_file", arguments: { path, ...more } });
const contentOf = (answer: ToolEnvelope): unknown =>
  (answer.result as { content?: unknown } | undefined)?.content;
const isCached = (answer: ToolEnvelope): boolean => answer.metadata["cached"] === true;

/** Wait until a change is old enough to be told from the next one. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2100));

describe("a cached answer", () => {
  it("is the same text and the same record each time, whatever was done to the results before", async () => {
    const numbers = defineTool({
      name: "numbers",
      description: "Tell numbers.",
      category: "custom",
      annotations: { readOnly: true, cacheable: true },
      input: z.object({}),
      execute: () => ({ list: Array.from({ length: 400 }, (_, at) => at) }),
      render: (result) => `All: ${result.list.join(" ")}`,
    });
    const { tenon } = start({ tools: [numbers] });
    const answers: ToolEnvelope[] = [];
    for (let time = 0; time < 4; time++) {
      const answer = await tenon.call({ name: "numbers" });
      answers.push(structuredClone(JSON.parse(JSON.stringify(answer)) as ToolEnvelope));
      (answer.result as { list: number[] }).list.length = 0;
      for (const part of answer.content as readonly { text?: string }[]) part.text = "changed";
    }
    expect(answers.map(isCached)).toEqual([false, true, true, true]);
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(new Set(answers.map(({ content }) => JSON.stringify(content))).size).toBe(1);
    const records = await tenon.audit.search({ tool: "numbers" });
    expect(records).toHaveLength(4);
    expect(new Set(records.map(({ result }) => JSON.stringify(result))).size).toBe(1);
  });

  it("is not given where the call has more room than the one before had", async () => {
    const room = defineTool({
      name: "room",
      description: "Tell how much text is wanted.",
      category: "custom",
      annotations: { readOnly: true, cacheable: true },
      input: z.object({}),
      execute: (_input, { maxTextChars = 0 }) => ({ maxTextChars }),
    });
    const output = { maxTokens: 1000, maxBatchTokens: 1000 };
    const { tenon } = start({ tools: [room], config: { tools: { output } } });
    const roomOf = ({ result }: ToolEnvelope): number => (result as { maxTextChars: number }).maxTextChars;
    const [shared] = await tenon.callMany([{ name: "room" }, { name: "room" }]);
    const alone = await tenon.call({ name: "room" });
    expect(roomOf(alone)).toBeGreaterThan(roomOf(shared as ToolEnvelope));
    expect(isCached(await tenon.call({ name: "room" }))).toBe(true);
  });

  it("is still marked as from outside where a tool that was called for it reached there", async () => {
    const common = { description: "x", category: "custom", input: z.object({}) } as const;
    const web = defineTool({
      ...common,
      name: "web",
      annotations: { readOnly: true, openWorld: true },
      execute: () => ({ page: 1 }),
    });
    const outer = defineTool({
      ...common,
      name: "outer",
      annotations: { readOnly: true, cacheable: true },
      execute: async (_input, { call }) => (await call({ name: "web" })).result,
    });
    const config = { policy: { rules: [{ decision: "allow" as const, tool: "web" }] } };
    const { tenon } = start({ tools: [web, outer], config });
    const answers = [await tenon.call({ name: "outer" }), await tenon.call({ name: "outer" })];
    expect(answers.map(isCached)).toEqual([false, true]);
    expect(answers.map(({ metadata }) => metadata.untrusted)).toEqual([true, true]);
  });

  it("is given again while nothing changed, to whom it was given, and only behind policy and writes", async () => {
    const slow = defineTool({
      name: "slow_write",
      description: "Write, after a while.",
      category: "custom",
      input: z.object({}),
      resources: () => ({ writes: [{ path: "b.txt" }] }),
      execute: async (_input, { files }) => {
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
        await files.write("b.txt", Buffer.from("new\n"));
        return {};
      },
    });
    const { tenon, write, workspace } = start({
      tools: [slow],
      config: { policy: { rules: [{ decision: "allow", tool: "slow_write" }] } },
    });
    const then = new Date(Date.now() - 60_000);
    write("a.txt", "one\ntwo\n");
    write("b.txt", "old\n");
    write("c.txt", "aaa\n");
    utimesSync(join(workspace, "c.txt"), then, then);
    // Too young: a second change could hide behind the same time stamp.
    await read(tenon, "a.txt");
    expect(isCached(await read(tenon, "a.txt"))).toBe(false);
    await settle();
    const first = await read(tenon, "a.txt");
    const again = await read(tenon, "a.txt");
    expect([isCached(first), isCached(again)]).toEqual([false, true]);
    expect(again).toSucceedWith(first.result);
    expect(again.content).toEqual(first.content);
    expect(isCached(await tenon.call({ name: "get_file_info", arguments: { path: "a.txt" } }))).toBe(false);
    expect(isCached(await tenon.call({ name: "get_file_info", arguments: { path: "a.txt" } }))).toBe(true);

    // A caller that changes its answer changes nobody else's.
    (again.result as { content: string }).content = "forged";
    expect(contentOf(await read(tenon, "a.txt"))).toBe(contentOf(first));

    // Another session, other arguments.
    expect(isCached(await read(tenon.createSession(), "a.txt"))).toBe(false);
    expect(isCached(await read(tenon, "a.txt", { start_line: 2 }))).toBe(false);

    // Restored times deceive nobody: no program can set the time of change.
    await read(tenon, "c.txt");
    expect(isCached(await read(tenon, "c.txt"))).toBe(true);
    write("c.txt", "bbb\n");
    utimesSync(join(workspace, "c.txt"), then, then);
    expect(contentOf(await read(tenon, "c.txt"))).toBe("bbb\n");

    // A read that comes after a write sees what it wrote, however quick the cache is.
    await read(tenon, "b.txt");
    expect(isCached(await read(tenon, "b.txt"))).toBe(true);
    const writing = tenon.call({ name: "slow_write" });
    expect(contentOf(await read(tenon, "b.txt"))).toBe("new\n");
    expect(await writing).toSucceed();

    // What a kept answer shows has been seen, though the session had forgotten it.
    const session = tenon.createSession();
    await read(session, "a.txt");
    session.seen.forget("a.txt");
    expect(isCached(await read(session, "a.txt"))).toBe(true);
    const edit = { path: "a.txt", old_str: "two", new_str: "2" };
    expect(await session.call({ name: "edit_file", arguments: edit })).toSucceed();
    expect(contentOf(await read(tenon, "a.txt"))).toBe("one\n2\n");

    // Policy has its say every time.
    const info = () => tenon.call({ name: "base64_encode", arguments: { text: "x" } });
    await info();
    expect(isCached(await info())).toBe(true);
    await tenon.remember({ decision: "deny", tool: "base64_encode" });
    expect((await info()).error?.type).toBe("ToolPermissionError");
  });

  it("is never stale, whatever somebody else does to the files", async () => {
    const { tenon, workspace, write } = start();
    const names = ["x", "y"];
    const truth = new Map<string, string>();
    for (const name of names) {
      write(name, `${name}\n`);
      truth.set(name, `${name}\n`);
    }
    symlinkSync("x", join(workspace, "link"));
    await settle();
    for (const name of [...names, "link"]) await read(tenon, name);
    let hits = 0;
    const name = fc.constantFrom(...names);
    const text = fc.constantFrom("1\n", "2\n", "3\n");
    const step = fc.oneof(
      fc.record({ kind: fc.constant("write" as const), name, text }),
      fc.record({ kind: fc.constant("swap" as const) }),
      fc.record({ kind: fc.constant("replace" as const), name, text }),
      fc.record({ kind: fc.constant("relink" as const), name }),
      fc.record({ kind: fc.constant("restore" as const), name, text }),
    );
    const then = new Date(Date.now() - 100_000);
    let target = "x";
    const apply = (change: typeof step extends fc.Arbitrary<infer T> ? T : never): void => {
      if (change.kind === "relink") {
        unlinkSync(join(workspace, "link"));
        symlinkSync((target = change.name), join(workspace, "link"));
        return;
      }
      if (change.kind === "swap") {
        renameSync(join(workspace, "x"), join(workspace, "t"));
        renameSync(join(workspace, "y"), join(workspace, "x"));
        renameSync(join(workspace, "t"), join(workspace, "y"));
        const [x = "", y = ""] = [truth.get("x"), truth.get("y")];
        truth.set("x", y).set("y", x);
        return;
      }
      truth.set(change.name, change.text);
      if (change.kind !== "replace") write(change.name, change.text);
      else {
        write("t", change.text);
        renameSync(join(workspace, "t"), join(workspace, change.name));
      }
      if (change.kind === "restore") utimesSync(join(workspace, change.name), then, then);
    };
    const readAll = async (): Promise<void> => {
      for (const each of [...names, "link"]) {
        const answer = await read(tenon, each);
        if (isCached(answer)) hits++;
        expect(contentOf(answer)).toBe(truth.get(each === "link" ? target : each));
      }
    };
    await readAll();
    expect(hits).toBe(3);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
        for (const change of steps) apply(change);
        await readAll();
      }),
      { numRuns: 100 },
    );
  });

  it("is kept only of what declares that it can be", async () => {
    let runs = 0;
    const make = (name: string, members: object) =>
      defineTool({
        name,
        description: "Count.",
        category: "custom",
        annotations: { readOnly: true, cacheable: true },
        input: z.looseObject({}),
        execute: () => ({ run: ++runs }),
        ...members,
      });
    const { tenon, write, workspace } = start({
      tools: [
        make("pure", {}),
        make("unmarked", { annotations: { readOnly: true } }),
        make("changing", { annotations: { cacheable: true, dangerous: false } }),
        make("folder", { resources: () => ({ reads: [{ path: "." }] }) }),
        make("tree", { resources: () => ({ reads: [{ tree: "." }] }) }),
        make("absent", { resources: () => ({ reads: [{ path: "none" }] }) }),
        make("host", { resources: () => ({ reads: [{ host: "example.com" }] }) }),
        make("known_host", { resources: () => ({ reads: [{ host: "example.com" }] }), cacheTtlMs: 60_000 }),
        make("variable", { resources: () => ({ reads: [{ env: "SHADE" }] }) }),
        make("failing", { execute: () => Promise.reject(new Error(`no ${++runs}`)) }),
      ],
      config: { policy: { rules: [{ decision: "allow", tool: "*" }] } },
    });
    write("f", "x");
    expect(workspace).not.toBe("");
    const twice = async (name: string, args: object = {}): Promise<boolean> => {
      await tenon.call({ name, arguments: args });
      return isCached(await tenon.call({ name, arguments: args }));
    };
    const kept: Record<string, boolean> = {};
    for (const tool of [
      "pure",
      "unmarked",
      "changing",
      "folder",
      "tree",
      "absent",
      "host",
      "known_host",
      "failing",
    ])
      kept[tool] = await twice(tool);
    expect(kept).toEqual({
      pure: true,
      unmarked: false,
      changing: false,
      folder: false,
      tree: false,
      absent: false,
      host: false,
      known_host: true,
      failing: false,
    });
    expect(await twice("pure", { text: "x".repeat(20_000) })).toBe(false);
    expect(await twice("variable")).toBe(true);
    await tenon.call({ name: "set_env", arguments: { key: "SHADE", value: "red" } });
    expect(isCached(await tenon.call({ name: "variable" }))).toBe(false);
    expect(isCached(await tenon.call({ name: "variable" }))).toBe(true);
    // Another version of the tool starts afresh.
    tenon.registry.replace(make("pure", {}));
    expect(isCached(await tenon.call({ name: "pure" }))).toBe(false);
  });

  it("can be switched off, and is bounded", async () => {
    const off = start({ config: { tools: { cache: { enabled: false } } } });
    const encode = (tenon: Tenon, text: string) => tenon.call({ name: "base64_encode", arguments: { text } });
    await encode(off.tenon, "a");
    expect(isCached(await encode(off.tenon, "a"))).toBe(false);
    const { tenon } = start({ config: { tools: { cache: { maxEntries: 2 } } } });
    for (const text of ["a", "b", "c"]) await encode(tenon, text);
    expect([isCached(await encode(tenon, "c")), isCached(await encode(tenon, "a"))]).toEqual([true, false]);
  });
});

describe("what a cached answer takes", () => {
  const maker = (result: () => unknown) =>
    defineTool({
      name: "made",
      description: "Give it.",
      category: "custom",
      annotations: { readOnly: true, cacheable: true },
      input: z.looseObject({}),
      execute: result,
    });

  const isKept = async (result: () => unknown, maxBytes: number): Promise<boolean> => {
    const { tenon } = start({ tools: [maker(result)], config: { tools: { cache: { maxBytes } } } });
    await tenon.call({ name: "made" });
    return isCached(await tenon.call({ name: "made" }));
  };

  const many = <T>(make: (at: number) => T): T[] => Array.from({ length: 1000 }, (_, at) => make(at));

  // Its JSON and its rendering are kept with it, so it counts three times; no answer may take more than a quarter.
  it.each<[string, () => unknown, number]>([
    ["strings", () => many(() => "x".repeat(100)), 216_000],
    ["numbers", () => many((at) => at), 8000],
    ["nothing", () => many(() => null), 8000],
    ["empty objects", () => many(() => ({})), 56_000],
    ["empty lists", () => many(() => []), 56_000],
    ["long names", () => Object.fromEntries(many((at) => [`${at}`.padStart(100, "n"), 1])), 108_000],
  ])("is about what the memory of it takes: %s", async (_what, result, bytes) => {
    const limit = bytes * 3 * 4;
    expect([await isKept(result, limit * 0.95), await isKept(result, limit * 1.05)]).toEqual([false, true]);
  });

  it("grows with what the session was shown through it", async () => {
    const shows = (maxBytes: number) => {
      const lines = many(() => "y".repeat(50));
      const shown = { identity: "i", start: 1, lines, complete: true };
      const show = defineTool({
        ...maker(() => "done"),
        execute: (_input, { seen }) => (seen.note("f", shown), "done"),
      });
      const { tenon } = start({ tools: [show], config: { tools: { cache: { maxBytes } } } });
      return tenon.call({ name: "made" }).then(async () => isCached(await tenon.call({ name: "made" })));
    };
    const limit = 1000 * (16 + 100) * 4;
    expect([await shows(limit * 0.95), await shows(limit * 1.05)]).toEqual([false, true]);
  });

  it.each<[string, () => unknown]>([
    ["a list in a list", () => ({ list: [[1, [2]], { a: null }], text: "t", flag: false, none: undefined })],
    ["an empty text", () => ""],
    ["nothing", () => null],
  ])("is given again as it was: %s", async (_what, result) => {
    const { tenon } = start({ tools: [maker(result)] });
    const answers = [await tenon.call({ name: "made" }), await tenon.call({ name: "made" })];
    expect(answers.map(isCached)).toEqual([false, true]);
    expect(answers[1]?.result).toEqual(answers[0]?.result);
    expect(answers[1]?.content).toEqual(answers[0]?.content);
  });

  it("can be deep, up to a bound", async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
    expect(await isKept(() => nested(50), 1e6)).toBe(true);
    expect(await isKept(() => nested(50), 1e3)).toBe(false);
  });

  const transformed = async (result: unknown): Promise<boolean> => {
    const made = { ...maker(() => 1), output: z.unknown().transform(() => result) };
    const { tenon } = start({ tools: [defineTool(made)] });
    await tenon.call({ name: "made" });
    return isCached(await tenon.call({ name: "made" }));
  };
  const objects = (depth: number): unknown => (depth === 0 ? 1 : { in: objects(depth - 1) });
  const lists = (depth: number): unknown => (depth === 0 ? 1 : [lists(depth - 1)]);

  // A schema for results can make anything of plain data.
  it.each<[string, unknown, boolean]>([
    ["plain data", { a: [1, "b", null, true, undefined] }, true],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), true],
    ["objects in 201 objects", objects(201), true],
    ["objects in 202 objects", objects(202), false],
    ["lists in 201 lists", lists(201), true],
    ["lists in 202 lists", lists(202), false],
    ["a function", () => 1, false],
    ["a function within", { a: [() => 1] }, false],
    ["a symbol", { a: Symbol("s") }, false],
    ["a date", { a: new Date(0) }, false],
    ["a map in a list", [new Map()], false],
    ["a key that sets a prototype", JSON.parse('{"__proto__":{"a":1}}'), false],
  ])("is kept only of plain data: %s", async (_what, result, kept) => {
    expect(await transformed(result)).toBe(kept);
  });

  it.each<[string, readonly ContentPart[]]>([
    ["a text", [{ type: "text", text: "one" }]],
    [
      "texts and an image",
      [
        { type: "text", text: "one" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    ],
    ["a text that has more", [{ type: "text", text: "one", more: { a: 1 } }]],
  ])("is rendered as it was, whatever was done to the one before: %s", async (_what, parts) => {
    let rendered = 0;
    const shown = defineTool({
      ...maker(() => "done"),
      render: () => (rendered++, structuredClone(parts)),
    });
    const { tenon } = start({ tools: [shown] });
    for (let time = 0; time < 4; time++) {
      const { content } = await tenon.call({ name: "made" });
      expect(content).toEqual(parts);
      for (const part of content as unknown as Record<string, unknown>[]) {
        part["text"] = "forged";
        part["data"] = "forged";
        part["more"] = "forged";
      }
    }
    // Only texts can be kept with the answer.
    expect(rendered).toBe(_what === "a text" ? 2 : 4);
  });
});
