import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../contract/call.js";
import { defineTool } from "../contract/define-tool.js";
import { ToolExecutionError } from "../contract/errors.js";
import { createTenon } from "../runtime/create-tenon.js";
import { systemClock } from "../contract/system-clock.js";
import type { Tenon } from "../runtime/tenon.js";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

function start(loopGuard: object = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-loop-")));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const fixture = { fails: true, message: "no luck", runs: 0, time: 0, retryable: false };
  const step = (name: string, more: object = {}) =>
    defineTool({
      name,
      description: "Fails as long as the test wants.",
      category: "custom",
      annotations: { readOnly: true },
      retry: { attempts: 0 },
      input: z.looseObject({}),
      execute: async () => {
        fixture.runs++;
        if (fixture.fails) throw new ToolExecutionError(fixture.message, { retryable: fixture.retryable });
        return { ok: true };
      },
      ...more,
    });
  const touching = (path: string) => ({ resources: () => ({ reads: [{ path }] }) });
  const writing = (path: string) => ({
    annotations: {},
    resources: () => ({ writes: [{ path }] }),
    execute: () => ({}),
  });
  const tenon = createTenon({
    workspace,
    clock: { ...systemClock, now: () => Date.now() + fixture.time },
    tools: [
      step("step"),
      step("other"),
      step("reads_a", touching("dir/a")),
      step("writes_a", writing("dir/a")),
      step("writes_b", writing("b")),
      step("writes_dir", writing("dir")),
      step("writes_both", {
        ...writing(""),
        resources: () => ({ writes: [{ path: "b" }, { path: "dir/a" }] }),
      }),
      step("writes_near", writing("dir/ab")),
    ],
    config: {
      stateDir: join(root, "state"),
      policy: { rules: [{ decision: "allow", tool: "*" }] },
      tools: { loopGuard },
    },
  });
  opened.push(async () => {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { tenon, fixture, workspace };
}

const call = (tenon: Pick<Tenon, "call">, name = "step", args: object = {}): Promise<ToolEnvelope> =>
  tenon.call({ name, arguments: args });
const countOf = ({ error }: ToolEnvelope): number | undefined =>
  (error?.details?.["repeated"] as { count: number } | undefined)?.count;

describe("the loop guard", () => {
  it("says from the third equal failure on what was tried and what else there is", async () => {
    const { tenon } = start();
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push(await call(tenon));
    expect(answers.map(countOf)).toEqual([undefined, undefined, 3, 4]);
    expect(answers[2]).toFailWith("EXECUTION_FAILED", { message: "no luck" });
    expect(answers[2]?.error?.hint).toMatch(/failed 3 times.*Other tools: .*other/);
    expect(answers[2]?.content).toMatchObject([
      { text: expect.stringContaining("failed 3 times") as string },
    ]);
  });

  it("does not advise against a later try of what may go away by itself", async () => {
    const { tenon, fixture } = start();
    const third = async (): Promise<string | undefined> => {
      for (let at = 0; at < 2; at++) await call(tenon);
      return (await call(tenon)).error?.hint;
    };
    expect(await third()).toContain("repeating it will not help");
    Object.assign(fixture, { retryable: true, message: "busy" });
    expect(await third()).toContain("repeating it at once will not help");
  });

  it("keeps apart other arguments, other errors, other sessions and calls made side by side", async () => {
    const { tenon, fixture } = start();
    for (let at = 0; at < 5; at++) expect(countOf(await call(tenon, "step", { at }))).toBeUndefined();
    for (const message of ["one", "two", "three", "four"]) {
      fixture.message = message;
      expect(countOf(await call(tenon))).toBeUndefined();
    }
    fixture.message = "at line 12";
    const sessions = [tenon.createSession(), tenon.createSession()];
    for (let at = 0; at < 2; at++)
      for (const session of sessions) expect(countOf(await call(session))).toBeUndefined();
    fixture.message = "at line 13";
    expect(countOf(await call(sessions[0]!))).toBe(3);
    const many = await tenon.createSession().callMany(Array.from({ length: 50 }, () => ({ name: "step" })));
    expect(many.map(countOf)).toEqual(many.map(() => undefined));
  });

  it("forgets nothing when another call that only reads succeeds", async () => {
    const { tenon, fixture } = start();
    for (let at = 0; at < 2; at++) await call(tenon);
    fixture.fails = false;
    expect(await call(tenon, "other")).toSucceed();
    fixture.fails = true;
    expect(countOf(await call(tenon))).toBe(3);
  });

  it("begins again after a success, a change of what the call reads, another tool version, or a while", async () => {
    const { tenon, fixture } = start();
    const failTwice = async (name: string): Promise<void> => {
      fixture.fails = true;
      for (let at = 0; at < 2; at++) await call(tenon, name);
    };
    await failTwice("step");
    fixture.fails = false;
    expect(await call(tenon)).toSucceed();
    fixture.fails = true;
    expect(countOf(await call(tenon))).toBeUndefined();

    for (const [writer, expected] of [
      ["writes_a", undefined],
      ["writes_dir", undefined],
      ["writes_both", undefined],
      ["writes_b", 3],
      ["writes_near", 3],
    ] as const) {
      const { tenon: fresh, fixture: its } = start();
      for (let at = 0; at < 2; at++) await call(fresh, "reads_a");
      its.fails = true;
      await call(fresh, writer);
      expect([writer, countOf(await call(fresh, "reads_a"))]).toEqual([writer, expected]);
    }

    await failTwice("other");
    tenon.registry.replace({ ...tenon.registry.get("other")! });
    expect(countOf(await call(tenon, "other"))).toBeUndefined();

    await failTwice("reads_a");
    fixture.time += 200_000;
    expect(countOf(await call(tenon, "reads_a"))).toBeUndefined();
  });

  it("refuses much later, until something changes, and never what succeeds or may go away by itself", async () => {
    const { tenon, fixture } = start({ refuseAfter: 5 });
    for (let at = 0; at < 5; at++) await call(tenon, "reads_a");
    expect(fixture.runs).toBe(5);
    const refused = await call(tenon, "reads_a");
    expect(refused).toFailWith("LOOP_DETECTED", { type: "ToolUnavailableError", retryable: false });
    expect([fixture.runs, countOf(refused)]).toEqual([5, 5]);
    fixture.fails = false;
    await call(tenon, "writes_a");
    expect(await call(tenon, "reads_a")).toSucceed();
    for (let at = 0; at < 30; at++) expect(await call(tenon)).toSucceed();

    Object.assign(fixture, { fails: true, retryable: true, runs: 0 });
    for (let at = 0; at < 10; at++) expect(await call(tenon)).toFailWith("EXECUTION_FAILED");
    expect(fixture.runs).toBe(10);
    Object.assign(fixture, { retryable: false, message: "for good" });
    for (let at = 0; at < 6; at++) await call(tenon, "other");
    expect(await call(tenon, "other")).toFailWith("LOOP_DETECTED");
    fixture.time += 200_000;
    expect(await call(tenon, "other")).toFailWith("EXECUTION_FAILED");
  });

  it("lets a call try again when somebody else has changed what it reads", async () => {
    const { tenon, workspace } = start({ refuseAfter: 3 });
    const poll = (): Promise<ToolEnvelope> => call(tenon, "read_file", { path: "awaited.txt" });
    for (let at = 0; at < 3; at++) await poll();
    expect(await poll()).toFailWith("LOOP_DETECTED");
    writeFileSync(join(workspace, "awaited.txt"), "here\n");
    expect(await poll()).toSucceed();
  });

  it("leaves denials to the policy and can be switched off", async () => {
    const { tenon, workspace } = start({ refuseAfter: 3 });
    writeFileSync(join(workspace, "x"), "x");
    let last: ToolEnvelope | undefined;
    for (let at = 0; at < 6; at++) last = await call(tenon, "read_file", { path: "../outside" });
    expect(last?.error?.code).not.toBe("LOOP_DETECTED");
    expect(last?.error?.hint).toContain("ask the person");
    expect(last?.error?.hint).not.toContain("Other tools");
    const off = start({ enabled: false });
    for (let at = 0; at < 4; at++) last = await call(off.tenon);
    expect(last?.error?.hint).toBeUndefined();
  });
});
