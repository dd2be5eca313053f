import { describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../contract/call.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Extension } from "../contract/extension.js";
import { echo, open, tool, watch } from "../../test/spine-fixture.js";

const named = { name: "ext", version: "1.0.0", description: "For tests." };
const say = { name: "echo", arguments: { text: "hi" } };

function start(...extensions: Partial<Extension>[]) {
  const failing = tool("failing", { execute: () => Promise.reject(new Error("boom")) });
  const tenon = open({
    tools: [echo, failing],
    extensions: extensions.map((each) => ({ ...named, ...each })),
    builtIns: false,
  });
  const events = watch(tenon);
  const faults = () => events.flatMap(({ type, payload }) => (type === "LISTENER_FAILED" ? [payload] : []));
  return { tenon, faults };
}

describe("an extension that refuses", () => {
  it.each<[object, string, string]>([
    [{ refuse: "not now" }, "Access denied: not now", 'The extension "ext" decided this.'],
    [{ refuse: "not now", hint: "Wait." }, "Access denied: not now", "Wait."],
    [{ refuse: "not now", hint: 7 }, "Access denied: not now", 'The extension "ext" decided this.'],
    [
      { refuse: "" },
      'Access denied: The extension "ext" refused the call.',
      'The extension "ext" decided this.',
    ],
    [
      { refuse: true },
      'Access denied: The extension "ext" refused the call.',
      'The extension "ext" decided this.',
    ],
    // A refusal counts whatever else it says.
    [{ refuse: "no", input: { text: "x" } }, "Access denied: no", 'The extension "ext" decided this.'],
  ])("with %j is told so", async (verdict, message, hint) => {
    const { tenon, faults } = start({ onToolExecute: () => verdict as never });
    expect(await tenon.call(say)).toFailWith("EXTENSION_REFUSED", {
      type: "ToolPermissionError",
      message,
      hint,
      details: { extension: "ext" },
    });
    expect(faults()).toEqual([]);
  });

  it("by an error of Tenon's ends the call with it, and asks no further extension", async () => {
    let asked = 0;
    const refuse = (): never => {
      throw new ToolUnavailableError("come back later");
    };
    const { tenon, faults } = start(
      { onToolExecute: refuse },
      { name: "next", onToolExecute: () => void asked++ },
    );
    expect((await tenon.call(say)).error).toMatchObject({ message: "come back later" });
    expect([asked, faults()]).toEqual([0, []]);
  });
});

describe("an extension that fails", () => {
  const cases: [string, NonNullable<Extension["onToolExecute"]>, string | RegExp][] = [
    ["says nothing of use", () => ({}) as never, "it returned neither { input } nor { refuse }"],
    ["says a number", () => 7 as never, "it returned neither { input } nor { refuse }"],
    [
      "gives input that is no data",
      () => ({ input: { text: () => 1 } }),
      /^the input that it returned is not plain data: \S/,
    ],
    [
      "gives input that does not fit",
      () => ({ input: { text: 7 } }),
      /^the input that it returned is not valid: .*text/,
    ],
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "boom",
    ],
    ["rejects", () => Promise.reject(new Error("boom")), "boom"],
  ];

  it.each(cases)(
    "because it %s is reported, and the call goes on with what it had",
    async (_how, hook, message) => {
      const { tenon, faults } = start(
        { onToolExecute: () => ({ input: { text: "changed" } }) },
        { name: "bad", onToolExecute: hook },
      );
      const answer = await tenon.call(say);
      expect(answer).toSucceedWith({ text: "changed" });
      expect(answer.metadata["changedBy"]).toEqual(["ext"]);
      expect(faults()).toEqual([
        { event: "extension:bad:onToolExecute", message: expect.stringMatching(message) },
      ]);
    },
  );

  it.each(cases)("because it %s refuses the call where it is required", async (_how, hook, message) => {
    const { tenon, faults } = start({ onFailure: "refuse", onToolExecute: hook });
    const { error } = await tenon.call(say);
    expect(error).toMatchObject({
      type: "ToolUnavailableError",
      code: "EXTENSION_FAILED",
      details: { extension: "ext" },
    });
    const said = 'The extension "ext", which is required for "echo", failed: ';
    expect(error?.message).toContain(said);
    expect(error?.message.slice(said.length)).toMatch(message);
    expect(faults()).toHaveLength(1);
  });

  it.each([undefined, null])("does not where it says %s", async (verdict) => {
    const { tenon, faults } = start({
      onFailure: "refuse",
      onToolExecute: () => verdict as never,
      onToolComplete: () => verdict as never,
    });
    const answer = await tenon.call(say);
    expect(answer).toSucceedWith({ text: "hi" });
    expect(answer.metadata).not.toHaveProperty("notes");
    expect(answer.metadata).not.toHaveProperty("changedBy");
    expect(faults()).toEqual([]);
  });
});

describe("what an extension says of an answer", () => {
  it("stands under its name beside what others say", async () => {
    const { tenon, faults } = start(
      { onToolComplete: () => ({ notes: { a: 1 } }) },
      { name: "second", onToolComplete: () => ({ notes: { b: 2 } }) },
      { name: "third", onToolComplete: () => ({ notes: "nothing but text" }) as never },
    );
    expect((await tenon.call(say)).metadata["notes"]).toEqual({
      ext: { a: 1 },
      second: { b: 2 },
      third: "nothing but text",
    });
    expect(faults()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["nothing under notes", {}],
    ["notes that are no data", { notes: { at: () => 1 } }],
    ["a number", 7],
  ])("is reported and left out where it is %s", async (_what, said) => {
    const { tenon, faults } = start({ onToolComplete: () => said as never });
    expect((await tenon.call(say)).metadata).not.toHaveProperty("notes");
    expect(faults()).toEqual([
      { event: "extension:ext:onToolComplete", message: "it did not return { notes }" },
    ]);
  });

  it("is asked for refusals of known tools, and only by those that the tool fits", async () => {
    const seen: string[] = [];
    const hear = (who: string) => ({
      name: who,
      onToolComplete: (_tool: unknown, { toolName, success }: ToolEnvelope) =>
        void seen.push(`${who} ${toolName} ${success}`),
    });
    const { tenon } = start(hear("all"), { ...hear("some"), filter: { names: ["fail*"] } });
    await tenon.call(say);
    await tenon.call({ name: "failing" });
    await tenon.call({ name: "echo", arguments: {} });
    await tenon.call({ name: "unknown_tool" });
    expect(seen).toEqual(["all echo true", "all failing false", "some failing false", "all echo false"]);
  });
});

describe("the answer that an extension gets", () => {
  const seeing = async (name: string, look: (answer: ToolEnvelope) => unknown) => {
    let seen: unknown;
    const { tenon } = start({ onToolComplete: (_tool, answer) => void (seen = look(answer)) });
    const answer = await tenon.call({ name, arguments: { text: "hi" } });
    return { seen, answer };
  };

  it("has all that the answer has", async () => {
    for (const name of ["echo", "failing"]) {
      const { seen, answer } = await seeing(name, (copy) => ({
        ids: [copy.callId, copy.toolName, copy.success],
        times: [copy.startedAt, copy.completedAt, copy.durationMs],
        said: [copy.result, copy.error, copy.content],
        json: JSON.parse(JSON.stringify(copy)) as unknown,
      }));
      const plain = JSON.parse(JSON.stringify(answer)) as ToolEnvelope;
      expect(seen).toEqual({
        ids: [answer.callId, name, name === "echo"],
        times: [answer.startedAt, answer.completedAt, answer.durationMs],
        said: [answer.result, answer.error, answer.content],
        json: plain,
      });
    }
  });

  it("keeps what the extension does to it, and the caller's stays as it was", async () => {
    const { seen, answer } = await seeing("echo", (copy) => {
      (copy.result as { text: string }).text = "forged";
      copy.metadata["forged"] = true;
      (copy.content[0] as { text: string }).text = "forged";
      return [copy.result, copy.metadata["forged"]];
    });
    expect(seen).toEqual([{ text: "forged" }, true]);
    expect(answer).toSucceedWith({ text: "hi" });
    expect(answer.metadata).not.toHaveProperty("forged");
    expect(JSON.stringify(answer.content)).not.toContain("forged");
  });
});
