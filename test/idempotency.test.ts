import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, ToolUnavailableError, type Tenon } from "../src/index.js";
import { createFixture, gate, open, tool, type Fixture } from "./spine-fixture.js";

function counting(work: () => unknown = () => "done") {
  const ran: unknown[] = [];
  const change = defineTool({
    name: "change",
    description: "Change something.",
    category: "custom",
    input: z.object({ text: z.string(), more: z.number().optional() }),
    execute: async (input) => {
      ran.push(input);
      return { answer: await work(), count: ran.length };
    },
  });
  return { ran, change };
}

const rules = [{ decision: "allow" as const, tool: "change" }];

function openWith(tools: Parameters<typeof open>[0], fixture: Fixture, config: object = {}): Tenon {
  return open({ ...tools, config: { stateDir: fixture.stateDir, policy: { rules }, ...config } }, fixture);
}

const request = { name: "change", arguments: { text: "a", more: 1 }, idempotencyKey: "k1" };

describe("an idempotency key", () => {
  it("gives the same answer and one effect, also in another process and after a restart", async () => {
    const fixture = createFixture();
    const { ran, change } = counting();
    const tenon = openWith({ tools: [change] }, fixture);
    const first = await tenon.call(request);
    // The order of the arguments' names is no difference.
    const again = await tenon.call({ ...request, arguments: { more: 1, text: "a" } });
    const elsewhere = await openWith({ tools: [change] }, fixture).call(request);
    await tenon.close();
    const later = await openWith({ tools: [change] }, fixture).call(request);
    for (const { metadata, ...rest } of [again, elsewhere, later]) {
      const { metadata: own, ...answer } = JSON.parse(JSON.stringify(first)) as typeof first;
      expect(rest).toEqual(answer);
      expect(metadata).toEqual({ ...own, repeated: true });
    }
    expect(ran).toHaveLength(1);
  });

  it("lets the second wait while the first runs, and is another key for another principal", async () => {
    const fixture = createFixture();
    const { open: finish, passed } = gate();
    const { ran, change } = counting(() => passed);
    const one = openWith({ tools: [change] }, fixture);
    const two = openWith({ tools: [change] }, fixture);
    const calls = [one.call(request), one.call(request), two.call(request)];
    await expect.poll(() => ran.length).toBe(1);
    const other = two.createSession({ principal: "somebody else" }).call(request);
    await expect.poll(() => ran.length).toBe(2);
    expect(await two.call({ ...request, timeoutMs: 50 })).toFailWith("IDEMPOTENCY_KEY_PENDING", {
      retryable: true,
    });
    finish();
    const answers = await Promise.all([...calls, other]);
    expect(answers.map(({ success }) => success)).toEqual([true, true, true, true]);
    expect(new Set(answers.map(({ callId }) => callId)).size).toBe(2);
    expect(ran).toHaveLength(2);
  });

  it("is refused with other arguments or another tool, and keeps no refusals", async () => {
    const fixture = createFixture();
    const { ran, change } = counting();
    const other = tool("other", { execute: () => 1 });
    const tenon = openWith({ tools: [change, other] }, fixture);
    expect(await tenon.call({ ...request, arguments: {} })).toFailWith("ARGUMENTS_INVALID");
    expect(await tenon.call({ ...request, name: "nope" })).toFailWith("TOOL_NOT_FOUND");
    const denied = openWith({ tools: [change] }, fixture, {
      policy: { rules: [{ decision: "deny", tool: "change" }] },
    });
    expect(await denied.call(request)).toFailWith("ACCESS_DENIED");
    expect(await tenon.call(request)).toSucceed();
    for (const wrong of [{ arguments: { text: "b" } }, { name: "other" }])
      expect(await tenon.call({ ...request, ...wrong })).toFailWith("IDEMPOTENCY_KEY_REUSED");
    expect(ran).toHaveLength(1);
    for (const key of ["", "x".repeat(257), "a\0b", 5 as never])
      expect(await tenon.call({ ...request, idempotencyKey: key })).toFailWith("REQUEST_INVALID");
  });

  it("keeps the outcome of a call that failed or was stopped at work", async () => {
    const fixture = createFixture();
    const { ran, change } = counting(() => Promise.reject(new Error("half done")));
    const tenon = openWith({ tools: [change] }, fixture);
    expect(await tenon.call(request)).toMatchObject({ error: { message: "half done" } });
    expect(await tenon.call(request)).toMatchObject({
      error: { message: "half done" },
      metadata: { repeated: true },
    });
    expect(ran).toHaveLength(1);
  });

  it("keeps no failure that may pass of a tool that can be called twice, and calls it final of another", async () => {
    const fixture = createFixture();
    const ran: string[] = [];
    const busyAtFirst = (name: string, annotations: object) =>
      defineTool({
        name,
        description: "Fail the first time.",
        category: "custom",
        annotations,
        retry: { attempts: 0 },
        input: z.object({}),
        execute: () => {
          ran.push(name);
          if (ran.length < 3) throw new ToolUnavailableError("Locked.", { code: "STATE_BUSY" });
          return { count: ran.length };
        },
      });
    const tools = [busyAtFirst("twice", { idempotent: true }), busyAtFirst("once", {})];
    const allowed = { policy: { rules: [{ decision: "allow", tool: "*" }] } };
    const tenon = openWith({ tools }, fixture, allowed);
    const call = (name: string) => tenon.call({ name, arguments: {}, idempotencyKey: name });
    expect(await call("twice")).toFailWith("STATE_BUSY", { retryable: true });
    expect(await call("once")).toFailWith("STATE_BUSY", { retryable: true });
    expect(await call("twice")).toMatchObject({ success: true, result: { count: 3 } });
    expect(await call("once")).toFailWith("STATE_BUSY", { retryable: false });
    expect(ran).toEqual(["twice", "once", "twice"]);
  });

  it("is bounded in number", async () => {
    const fixture = createFixture();
    const { ran, change } = counting();
    const tenon = openWith({ tools: [change] }, fixture, { idempotency: { maxKeys: 2 } });
    for (const key of ["a", "b"]) expect(await tenon.call({ ...request, idempotencyKey: key })).toSucceed();
    expect(await tenon.call({ ...request, idempotencyKey: "c" })).toFailWith("IDEMPOTENCY_FULL");
    expect(await tenon.call({ ...request, idempotencyKey: "a" })).toSucceed();
    expect(ran).toHaveLength(2);
  });

  it(
    "after a crash in the middle tells that it may have happened, and never repeats it",
    { timeout: 60_000 },
    async () => {
      const fixture = createFixture();
      const mark = join(fixture.workspace, "mark");
      const program = `
      import { appendFileSync } from "node:fs";
      import * as z from "zod";
      import { createTenon, defineTool } from ${JSON.stringify(join(import.meta.dirname, "../dist/index.js"))};
      const change = defineTool({ name: "change", description: "x", category: "custom",
        input: z.object({ text: z.string(), more: z.number().optional() }),
        execute: () => { appendFileSync(${JSON.stringify(mark)}, "x"); return new Promise(() => {}); } });
      const tenon = createTenon({ workspace: ${JSON.stringify(fixture.workspace)}, tools: [change],
        config: { stateDir: ${JSON.stringify(fixture.stateDir)}, policy: { rules: ${JSON.stringify(rules)} } } });
      await tenon.call(${JSON.stringify(request)});`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
        cwd: join(import.meta.dirname, ".."),
        stdio: "inherit",
      });
      await expect.poll(() => existsSync(mark)).toBe(true);
      const { ran, change } = counting();
      const waiting = openWith({ tools: [change] }, fixture).call(request); // the first is still running
      child.kill("SIGKILL");
      await once(child, "exit");
      for (const answer of [await waiting, await openWith({ tools: [change] }, fixture).call(request)])
        expect(answer).toFailWith("CALL_INTERRUPTED");
      expect(ran).toEqual([]);
      expect(readFileSync(mark, "utf8")).toBe("x");
    },
  );
});

describe("the answer of a call whose connection was lost", () => {
  it("is there while it runs, when it is done, and after a restart; for its own principal only", async () => {
    const fixture = createFixture();
    const { open: finish, passed } = gate();
    const { change } = counting(() => passed);
    const tenon = openWith({ tools: [change] }, fixture);
    const id = tenon.newCallId();
    const calling = tenon.createSession({ principal: "ada" }).call({ ...request, id });
    const ada = { principal: "ada" };
    await expect.poll(() => tenon.result(id, ada)).toMatchObject({ state: "running", toolName: "change" });
    const other = openWith({ tools: [change] }, fixture);
    await expect.poll(() => other.result(id, ada)).toMatchObject({ state: "running" });
    finish();
    const answer = await calling;
    expect(answer.callId).toBe(id);
    expect(await tenon.result(id, ada)).toEqual({ state: "done", callId: id, envelope: answer });
    expect(await tenon.result(id)).toBeUndefined();
    await tenon.close();
    expect(await other.result(id, ada)).toMatchObject({
      state: "done",
      envelope: { callId: id, success: true, result: { count: 1 }, toolName: "change" },
    });
    expect(await other.result(id)).toBeUndefined();
    expect(await other.result("unknown", ada)).toBeUndefined();
  });

  it("belongs to one call, though callers repeat their ids", async () => {
    const fixture = createFixture();
    const tenon = open({ config: { stateDir: fixture.stateDir, mode: "auto" } }, fixture);
    const write = (content: string) =>
      tenon.call({ id: "call_0", name: "write_file", arguments: { path: `${content}.txt`, content } });
    const [one, two] = [await write("one"), await write("two")];
    expect(one?.callId).not.toBe(two?.callId);
    expect([one?.metadata.requestId, two?.metadata.requestId]).toEqual(["call_0", "call_0"]);
    await tenon.undo({ callId: two?.callId ?? "" });
    expect(existsSync(join(fixture.workspace, "one.txt"))).toBe(true);
    expect(existsSync(join(fixture.workspace, "two.txt"))).toBe(false);
  });
});
