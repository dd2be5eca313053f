import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";
import type { CallRecord } from "../../contract/ports/recorder.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { Extension } from "../../contract/extension.js";
import { extendTool } from "../../contract/extend-tool.js";
import { createTenon } from "../create-tenon.js";
import type { Tenon } from "../tenon.js";

const named = { name: "ext", version: "1.0.0", description: "For tests." };

const echo = defineTool({
  name: "echo",
  description: "Give it back.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ text }),
});

const touch = defineTool({
  name: "touch",
  description: "Name a path.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ path: z.string() }),
  resources: ({ path }) => ({ reads: [{ path }] }),
  execute: ({ path }) => ({ path }),
});

const open: (() => Promise<void>)[] = [];
const recorded: CallRecord[] = [];

afterEach(async () => {
  recorded.length = 0;
  for (const close of open.splice(0)) await close();
});

function start(extensions: Extension[] = []): Tenon {
  const root = mkdtempSync(join(tmpdir(), "tenon-ext-"));
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: `${root}-state`, policy: { rules: [{ decision: "deny", path: "secret/**" }] } },
    tools: [echo, touch],
    extensions,
    builtIns: false,
    recorders: [{ name: "kept", record: (record) => void recorded.push(record) }],
  });
  open.push(async () => {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  });
  return tenon;
}

function faultsOf(tenon: Tenon): string[] {
  const faults: string[] = [];
  tenon.on("LISTENER_FAILED", ({ event, message }) => void faults.push(`${event} ${message}`));
  return faults;
}

const say = (tenon: Tenon, text = "hi") => tenon.call({ name: "echo", arguments: { text } });

describe("an extension", () => {
  it("is asked by priority, then in the order of registration, and only for the tools that its filter names", async () => {
    const asked: string[] = [];
    const tell = (name: string, more: Partial<Extension> = {}): Extension => ({
      ...named,
      name,
      onToolExecute: () => void asked.push(name),
      ...more,
    });
    const tenon = start([tell("a"), tell("b", { priority: 5 }), tell("c")]);
    tenon.use(tell("only-touch", { filter: { names: ["tou*"] } }));
    tenon.use(tell("only-files", { filter: { categories: ["file"] } }));
    await say(tenon);
    expect(asked).toEqual(["b", "a", "c"]);
    expect(tenon.extensions().map(({ name }) => name)).toEqual(["b", "a", "c", "only-touch", "only-files"]);
  });

  it("changes arguments, which are validated, and the record says who did", async () => {
    const tenon = start([
      {
        ...named,
        onToolExecute: (_tool, input) => ({ input: { text: `${(input as { text: string }).text}!` } }),
      },
      { ...named, name: "second", onToolExecute: (_tool, input) => ({ input: { ...(input as object) } }) },
    ]);
    const answer = await say(tenon);
    expect(answer).toSucceedWith({ text: "hi!" });
    expect(answer.metadata["changedBy"]).toEqual(["ext", "second"]);
    expect(recorded[0]?.arguments).toEqual({ text: "hi!" });
  });

  it("cannot smuggle arguments past the policy", async () => {
    const tenon = start([{ ...named, onToolExecute: () => ({ input: { path: "secret/key" } }) }]);
    const answer = await tenon.call({ name: "touch", arguments: { path: "open.txt" } });
    expect(answer.error?.type).toBe("ToolPermissionError");
    const { result } = await start().call({ name: "touch", arguments: { path: "open.txt" } });
    expect(result).toEqual({ path: "open.txt" });
  });

  it("cannot change the caller's arguments or the answer in place", async () => {
    const tenon = start([
      {
        ...named,
        onToolExecute: (_tool, input) => void ((input as { text: string }).text = "forged"),
        onToolComplete: (_tool, answer) => {
          (answer.result as { text: string }).text = "forged";
          answer.metadata["forged"] = true;
        },
      },
    ]);
    const answer = await say(tenon);
    expect(answer).toSucceedWith({ text: "hi" });
    expect(answer.metadata["forged"]).toBeUndefined();
  });

  it.each<[string, NonNullable<Extension["onToolExecute"]>]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
    ["returns rubbish", () => 7 as never],
    ["returns arguments that do not fit", () => ({ input: { text: 7 } })],
    ["returns arguments that are no data", () => ({ input: { text: () => 1 } })],
    ["never returns", () => new Promise(() => {})],
  ])("that %s is reported and costs the call nothing", async (_how, onToolExecute) => {
    const tenon = start([{ ...named, timeoutMs: 20, onToolExecute }]);
    const faults = faultsOf(tenon);
    const answer = await say(tenon);
    expect(answer).toSucceedWith({ text: "hi" });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^extension:ext:onToolExecute /);
  });

  it("without which calls must not run stops them when it fails", async () => {
    const tenon = start([
      { ...named, timeoutMs: 20, onFailure: "refuse", onToolExecute: () => new Promise(() => {}) },
    ]);
    expect(await say(tenon)).toFailWith("EXTENSION_FAILED");
  });

  it("refuses a call by a word or by an error", async () => {
    const tenon = start();
    const remove = tenon.use({
      ...named,
      onToolExecute: () => ({ refuse: "not on Sundays", hint: "Wait." }),
    });
    expect(await say(tenon)).toFailWith("EXTENSION_REFUSED", {
      type: "ToolPermissionError",
      message: "Access denied: not on Sundays",
      hint: "Wait.",
    });
    remove();
    tenon.use({
      ...named,
      onToolExecute: () => {
        throw new ToolValidationError("too loud");
      },
    });
    expect((await say(tenon)).error).toMatchObject({ type: "ToolValidationError", message: "too loud" });
  });

  it("stops waiting for a hook when the call is cancelled", async () => {
    let stopped = false;
    const tenon = start([
      {
        ...named,
        onToolExecute: (_tool, _input, { signal }) =>
          new Promise<void>(() => signal.addEventListener("abort", () => (stopped = true))),
      },
    ]);
    const leaving = new AbortController();
    const answer = tenon.call({ name: "echo", arguments: { text: "x" }, signal: leaving.signal });
    leaving.abort();
    expect((await answer).error?.type).toBe("ToolCancelledError");
    expect(stopped).toBe(true);
  });

  it("sees every answer and adds notes, but makes no success of a failure", async () => {
    const seen: boolean[] = [];
    const tenon = start([
      {
        ...named,
        onToolComplete: (_tool, answer) => {
          seen.push(answer.success);
          (answer as { success: boolean }).success = true;
          return { notes: { took: "a while" } };
        },
      },
      {
        ...named,
        name: "bad",
        onToolComplete: () => {
          throw new Error("boom");
        },
      },
    ]);
    const faults = faultsOf(tenon);
    const failed = await tenon.call({ name: "echo", arguments: {} });
    expect([failed.success, (await say(tenon)).metadata["notes"]]).toEqual([
      false,
      { ext: { took: "a while" } },
    ]);
    expect(seen).toEqual([false, true]);
    expect(faults).toHaveLength(2);
    expect(recorded[0]?.envelope.metadata["notes"]).toEqual({ ext: { took: "a while" } });
  });

  it("hears of tools that come and go, and a hook that throws harms nobody", async () => {
    const news: string[] = [];
    const tenon = start([
      {
        ...named,
        onToolRegister: ({ name }) => {
          news.push(`+${name}`);
          throw new Error("boom");
        },
        onToolUnregister: ({ name }) => void news.push(`-${name}`),
      },
    ]);
    const faults = faultsOf(tenon);
    tenon.register({ ...echo, name: "other" });
    await tenon.registry.unregister("other");
    await tenon.registry.unregister("touch");
    expect(news).toEqual(["+other", "-other", "-touch"]);
    expect(faults).toHaveLength(1);
  });

  it("puts another tool in the place of one, for tools that are there and that come, until it goes", async () => {
    const tenon = start();
    const loud: Extension = {
      ...named,
      filter: { names: ["echo", "late"] },
      extendTool: (tool) =>
        extendTool(tool, { after: (result) => ({ text: `${(result as { text: string }).text}!` }) }),
    };
    const removeFirst = tenon.use(loud);
    const removeSecond = tenon.use({ ...loud, name: "twice" });
    tenon.register({ ...echo, name: "late" });
    const late = () => tenon.call({ name: "late", arguments: { text: "hi" } });
    expect([(await say(tenon)).result, (await late()).result]).toEqual([{ text: "hi!!" }, { text: "hi!!" }]);
    removeFirst();
    expect(await say(tenon)).toSucceedWith({ text: "hi!" });
    removeSecond();
    expect([(await say(tenon)).result, (await late()).result]).toEqual([{ text: "hi" }, { text: "hi" }]);
    expect(tenon.registry.get("echo")).toBe(echo);
  });

  it.each<[string, unknown, RegExp]>([
    ["nothing", null, /must be an object/],
    ["no name", { version: "1", description: "d", onToolExecute() {} }, /needs a name/],
    ["no version", { name: "x", description: "d", onToolExecute() {} }, /no version/],
    ["no description", { name: "x", version: "1", onToolExecute() {} }, /no description/],
    ["no hook", { ...named }, /does nothing/],
    ["a hook that is none", { ...named, onToolExecute: 1 }, /invalid onToolExecute \(expected a function\)/],
    [
      "a filter of rubbish",
      { ...named, onToolExecute() {}, filter: { names: "a" } },
      /expected a list of names/,
    ],
    ["a filter that nobody reads", { ...named, onToolExecute() {}, filter: { name: ["a"] } }, /unknown key/],
    [
      "an unknown category",
      { ...named, onToolExecute() {}, filter: { categories: ["x"] } },
      /unknown category/,
    ],
    ["an endless time limit", { ...named, onToolExecute() {}, timeoutMs: Infinity }, /timeoutMs/],
  ])("with %s is refused", (_what, extension, message) => {
    expect(() => start().use(extension as Extension)).toThrow(message);
  });

  it("with a name that is in use is refused until that one is removed", () => {
    const tenon = start();
    const remove = tenon.use({ ...named, onToolExecute() {} });
    expect(() => tenon.use({ ...named, onToolComplete() {} })).toThrow(/already in use/);
    remove();
    expect(tenon.extensions()).toEqual([]);
    tenon.use({ ...named, version: "2.0.0", onToolComplete() {} });
    remove(); // removes only what its own use() added
    expect(tenon.extensions()).toMatchObject([{ name: "ext", version: "2.0.0" }]);
  });
});

describe("extendTool", () => {
  it("validates and judges what `before` gives, once a call", async () => {
    const tenon = start();
    let ran = 0;
    tenon.register(
      extendTool(touch, {
        name: "into",
        before: ({ path }) => {
          ran++;
          return { path: `secret/${path}` };
        },
      }),
    );
    expect((await tenon.call({ name: "into", arguments: { path: "x" } })).error?.type).toBe(
      "ToolPermissionError",
    );
    tenon.register(extendTool(touch, { name: "deeper", before: ({ path }) => ({ path: `a/${path}` }) }));
    expect(await tenon.call({ name: "deeper", arguments: { path: "x" } })).toSucceedWith({ path: "a/x" });
    tenon.register(extendTool(touch, { name: "wrong", before: () => ({ path: 7 }) as never }));
    expect((await tenon.call({ name: "wrong", arguments: { path: "x" } })).error?.type).toBe(
      "ToolValidationError",
    );
    expect(ran).toBe(1);
  });

  it("checks what `after` gives by the output schema, also of a generator and an instance", async () => {
    const tenon = start();
    class Counter {
      readonly name = "count";
      readonly description = "Count.";
      readonly category = "custom" as const;
      readonly input = z.object({});
      readonly output = z.object({ n: z.number() });
      #n = 0;
      async *execute() {
        yield "working";
        return { n: ++this.#n };
      }
    }
    const counter = new Counter();
    tenon.register(extendTool(counter, { after: ({ n }) => ({ n: n + 100 }) }));
    tenon.register(extendTool(counter, { name: "bad", after: () => ({ n: "many" }) as never }));
    expect(await tenon.call({ name: "count" })).toSucceedWith({ n: 101 });
    expect(await tenon.call({ name: "bad" })).toFailWith("RESULT_INVALID");
  });

  it("makes a tool stricter, never looser", () => {
    const shell = { ...echo, annotations: { dangerous: true }, securityLevel: "high" as const };
    expect(() => extendTool(shell, { annotations: { dangerous: false as never } })).toThrow(/looser/);
    expect(() => extendTool(shell, { annotations: { readOnly: true as never } })).toThrow(/looser/);
    expect(() => extendTool(shell, { securityLevel: "low" })).toThrow(/cannot lower/);
    expect(extendTool(echo, { annotations: { readOnly: false, dangerous: true } }).annotations).toEqual({
      readOnly: false,
      dangerous: true,
    });
  });
});
