import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type InteractBackend,
  type TenonOptions,
  ToolExecutionError,
} from "../index.js";
import { openState } from "../store/open-state.js";
import {
  collect,
  createFixture,
  dangerous,
  gate,
  open,
  tool,
  watch,
  wipeAll,
} from "../../test/spine-fixture.js";

describe("consent", () => {
  const asking = (
    approve: (request: ApprovalRequest, signal: AbortSignal) => unknown,
    more: TenonOptions = {},
    members = {},
  ) => {
    const { ran, wipe } = dangerous(members);
    const tenon = open({ tools: [wipe], interact: { approve: approve as never }, ...more });
    return { ran, tenon, call: (what = "all") => tenon.call({ name: "wipe", arguments: { what } }) };
  };

  it("is asked for with all that a person needs to know", async () => {
    const asked: ApprovalRequest[] = [];
    const { call, tenon } = asking(
      (request) => (asked.push(request), true),
      {},
      {
        preview: () => ({ summary: "Wipes it.", diff: "- all" }),
      },
    );
    const events = watch(tenon);
    const answer = await call();
    expect(answer).toSucceed({ metadata: { decision: { behavior: "ask" } } });
    expect(asked[0]).toMatchObject({
      callId: answer.callId,
      toolName: "wipe",
      arguments: { what: "all" },
      preview: { summary: "Wipes it.", diff: "- all" },
    });
    expect(asked[0]?.alwaysRule).toContain("wipe");
    expect(events.map(({ type }) => type).filter((type) => !type.startsWith("TOOL_STATE"))).toEqual([
      "TOOL_CALL_REQUESTED",
      "APPROVAL_REQUESTED",
      "APPROVAL_RESOLVED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_COMPLETED",
    ]);
  });

  it("once is asked for each time, for the session once, and another session is asked again", async () => {
    let asked = 0;
    let verdict: ApprovalAnswer["verdict"] = "once";
    const { tenon } = asking(() => (asked++, { verdict }));
    const one = tenon.createSession();
    const other = tenon.createSession();
    await one.call(wipeAll);
    await one.call(wipeAll);
    expect(asked).toBe(2);
    verdict = "session";
    await one.call(wipeAll);
    await one.call(wipeAll);
    expect(asked).toBe(3);
    await other.call(wipeAll);
    expect(asked).toBe(4);
  });

  it("always outlives the process, and can be revoked", async () => {
    const fixture = createFixture();
    let asked = 0;
    const options: TenonOptions = { interact: { approve: () => (asked++, { verdict: "always" }) } };
    const first = open({ tools: [dangerous().wipe], ...options }, fixture);
    await first.call(wipeAll);
    await first.call(wipeAll);
    expect(asked).toBe(1);
    await first.close();
    const second = open({ tools: [dangerous().wipe] }, fixture);
    expect(await second.call(wipeAll)).toSucceed();
    const remembered = second.policy.rules().find(({ source }) => source === "remembered");
    expect(await second.revoke(remembered?.id ?? "")).toBe(true);
    expect(await second.call(wipeAll)).toFailWith("APPROVAL_UNAVAILABLE");
    await second.close();
    const third = open({ tools: [dangerous().wipe] }, fixture);
    expect(await third.call(wipeAll)).toFailWith("APPROVAL_UNAVAILABLE");
  });

  it("refused says why", async () => {
    const { call, ran } = asking(() => ({ verdict: "no", reason: "too early" }));
    const { error } = await call();
    expect(error).toMatchObject({ type: "ToolPermissionError", code: "APPROVAL_DENIED" });
    expect(error?.message).toContain("too early");
    expect(ran).toEqual([]);
  });

  const unclear: [string, unknown][] = [
    ["undefined", undefined],
    ["null", null],
    ["a string", "yes"],
    ["1", 1],
    ["an unknown verdict", { verdict: "yes" }],
    ["a verdict in capitals", { verdict: "ONCE" }],
    ["an empty object", {}],
    ["a list", ["once"]],
  ];

  it.each(unclear)("is not given by %s, from callbacks and from back ends", async (_, answer) => {
    const back: InteractBackend = {
      name: "own",
      available: () => true,
      ask: () => Promise.reject(new Error("no")),
      approve: () => Promise.resolve(answer) as Promise<ApprovalAnswer>,
    };
    for (const interact of [{ approve: () => answer as never }, back]) {
      const { ran, wipe } = dangerous();
      const tenon = open({ tools: [wipe], interact });
      expect(await tenon.call(wipeAll)).toFailWith("APPROVAL_DENIED");
      expect(await tenon.call(wipeAll)).toFailWith("APPROVAL_DENIED");
      expect(ran).toEqual([]);
    }
  });

  it("is not given by a callback that throws, or by a back end that answers at once with nonsense", async () => {
    const backs = [
      {
        approve: () => {
          throw new Error("window closed");
        },
      },
      { approve: () => Promise.reject(new Error("window closed")) },
      { ask: () => "hello" },
      {
        name: "own",
        available: () => true,
        ask: () => Promise.reject(new Error()),
        approve: (() => 5) as never,
      },
    ];
    for (const interact of backs) {
      const { ran, wipe } = dangerous();
      const tenon = open({ tools: [wipe], interact: interact as never });
      const events = watch(tenon);
      const { error } = await tenon.call(wipeAll);
      expect(error?.type).toBe("ToolPermissionError");
      expect(ran).toEqual([]);
      expect(events.map(({ type }) => type)).toContain("APPROVAL_RESOLVED");
    }
    const { error } = await asking(() => {
      throw new Error("window closed");
    }).call();
    expect(error).toMatchObject({ code: "APPROVAL_UNAVAILABLE" });
    expect(error?.message).toContain("window closed");
    expect(error?.hint).toContain("wipe");
  });

  it("cannot be had where nobody is there: denied at once, with the rule that would allow it", async () => {
    const { ran, wipe } = dangerous();
    const tenon = open({ tools: [wipe] });
    const { error } = await tenon.call(wipeAll);
    expect(error).toMatchObject({ type: "ToolPermissionError", code: "APPROVAL_UNAVAILABLE" });
    expect(error?.message).toMatch(/^Access denied: /);
    expect(error?.hint).toContain("wipe");
    expect(ran).toEqual([]);
    const rule = JSON.parse(/\{.*\}/.exec(error?.hint ?? "")?.[0] ?? "null") as never;
    if (rule !== null) {
      const allowed = open({ tools: [wipe], config: { policy: { rules: [rule] } } });
      expect(await allowed.call(wipeAll)).toSucceed();
    }
  });

  it("is not asked for, nor missed, where the guard refuses in any case", async () => {
    let asked = 0;
    const touching = (name: string, resources: object) =>
      tool(name, { annotations: { dangerous: true }, resources: () => resources, execute: () => name });
    const options = {
      tools: [
        touching("outside", { writes: [{ path: "/etc/x" }] }),
        touching("protected", { writes: [{ path: ".git/config" }] }),
        touching("inside", { reads: [{ path: ".git/config" }], writes: [{ tree: "b" }] }),
      ],
    };
    const attended = open({ ...options, interact: { approve: () => (asked++, true) } });
    const alone = open(options);
    for (const tenon of [attended, alone])
      expect((await tenon.call({ name: "outside" })).error).toMatchObject({
        type: "ToolSecurityError",
        code: "PATH_OUTSIDE",
        details: { rule: "guard:PATH_OUTSIDE", source: "guard" },
      });
    expect(await attended.call({ name: "protected" })).toFailWith("ACCESS_DENIED");
    expect(asked).toBe(0);
    expect(await attended.call({ name: "inside" })).toSucceed();
    expect(await alone.call({ name: "inside" })).toFailWith("APPROVAL_UNAVAILABLE");
    const rules = [{ decision: "deny", tool: "outside" }] as const;
    const denying = open({ ...options, config: { policy: { rules: [...rules] } } });
    expect(await denying.call({ name: "outside" })).toFailWith("ACCESS_DENIED");
  });

  it("is not had from a back end that cannot say whether anybody is there", async () => {
    const { ran, wipe } = dangerous();
    const approve = () => Promise.resolve({ verdict: "once" } as const);
    const ask = () => Promise.reject(new Error("no"));
    for (const available of [
      () => {
        throw new Error("x");
      },
      () => false,
      () => undefined as never,
      () => "yes" as never,
    ]) {
      const tenon = open({ tools: [wipe], interact: { name: "own", available, ask, approve } });
      expect(await tenon.call(wipeAll)).toFailWith("APPROVAL_UNAVAILABLE");
    }
    expect(ran).toEqual([]);
  });

  it("can come with changed arguments, which are validated and judged again", async () => {
    const answers: unknown[] = [{ what: "less" }, { what: 5 }, { what: () => 1 }, { what: "denied" }];
    const faults: (string | undefined)[] = [];
    const { call, ran } = asking(
      ({ fault }) => (faults.push(fault), { verdict: "once", updatedArguments: answers.shift() }),
      {
        config: { policy: { rules: [{ decision: "deny", tool: "wipe", path: "denied" }] } },
      },
      { resources: ({ what }: { what: string }) => ({ writes: [{ path: what }] }) },
    );
    const first = await call();
    expect(first).toSucceed({ metadata: { argumentsChanged: true } });
    expect(ran).toEqual([{ what: "less" }]);
    // What does not fit is asked again, with what was wrong; nothing runs meanwhile, and a deny still holds.
    expect((await call()).error?.type).toBe("ToolPermissionError");
    expect(faults).toEqual([undefined, undefined, expect.stringContaining("what"), expect.any(String)]);
    expect(ran).toHaveLength(1);
  });

  it("to changed arguments does not get around the tool's own denial", async () => {
    const { call, ran } = asking(
      () => ({ verdict: "once", updatedArguments: { what: "forbidden" } }),
      {},
      {
        checkPermissions: ({ what }: { what: string }) => ({
          behavior: what === "forbidden" ? "deny" : "allow",
        }),
      },
    );
    expect((await call()).error?.type).toBe("ToolPermissionError");
    expect(ran).toEqual([]);
  });

  it("that was given ends the request for everybody who was asked", async () => {
    let signal: AbortSignal | undefined;
    const { call } = asking((_request, given) => ((signal = given), true));
    await call();
    expect(signal?.reason).toMatchObject({ code: "INTERACTION_FAILED" });
  });

  it("expires, and a late answer changes nothing", async () => {
    const late = gate<boolean>();
    const { call, ran, tenon } = asking(() => late.passed, { config: { approvals: { timeoutMs: 30 } } });
    const events = watch(tenon);
    expect(await call()).toFailWith("APPROVAL_EXPIRED");
    expect(events.find(({ type }) => type === "APPROVAL_RESOLVED")?.payload).toMatchObject({
      verdict: "expired",
    });
    late.open(true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(ran).toEqual([]);
  });

  it("is no longer waited for when the call is cancelled, and the asker is told", async () => {
    let told: AbortSignal | undefined;
    const asked = gate();
    const { tenon, ran } = asking((_, signal) => {
      told = signal;
      asked.open();
      return new Promise(() => {});
    });
    const cancel = new AbortController();
    const events = watch(tenon);
    const running = tenon.call({ ...wipeAll, signal: cancel.signal });
    await asked.passed;
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    expect(told?.aborted).toBe(true);
    expect(events.find(({ type }) => type === "APPROVAL_RESOLVED")?.payload).toMatchObject({
      verdict: "cancelled",
    });
    expect(ran).toEqual([]);
  });

  it("is not asked for where the preview says that it cannot work", async () => {
    let asked = 0;
    for (const preview of [
      () => {
        throw new ToolExecutionError("the file is gone", { code: "FILE_CONFLICT" });
      },
      () => Promise.reject(new ToolExecutionError("the file is gone", { code: "FILE_CONFLICT" })),
    ]) {
      const { call, ran } = asking(() => (asked++, true), {}, { preview });
      expect(await call()).toFailWith("FILE_CONFLICT");
      expect(ran).toEqual([]);
    }
    expect(asked).toBe(0);
  });

  it("shows a preview of any shape as data, without secrets", async () => {
    const loop: Record<string, unknown> = { summary: "x", token: "ghp_abcdefghijklmnopqrstuvwxyz0123456789" };
    loop["self"] = loop;
    const asked: ApprovalRequest[] = [];
    const { call } = asking((request) => (asked.push(request), true), {}, { preview: () => loop });
    expect(await call()).toSucceed();
    expect(JSON.stringify(asked[0])).not.toContain("ghp_abc");
  });

  it("bounds a preview of 50 MB and says how much is left out", async () => {
    const asked: ApprovalRequest[] = [];
    const preview = () => ({
      summary: "x".repeat(20_000),
      diff: "+line\n".repeat(9_000_000),
      commands: ["rm -rf ~", ...Array.from({ length: 300_000 }, () => "true")],
      details: { small: 1, large: "y".repeat(2_000_000) },
    });
    const { call } = asking((request) => (asked.push(request), true), {}, { preview });
    expect(await call()).toSucceed();
    const shown = asked[0]?.preview;
    expect(shown?.summary).toMatch(/… 1 more line, 10,000 characters, too much to be shown$/);
    expect(shown?.diff).toMatch(/… 8,833,334 more lines, 53,000,004 characters, too much to be shown$/);
    expect(shown?.diff?.length).toBeLessThan(1_001_000);
    expect(shown?.commands?.[0]).toBe("rm -rf ~");
    expect(shown?.commands?.at(-1)).toMatch(/^… \d+ more commands, too many to be shown$/);
    expect(shown?.details).toEqual({ small: 1, large: "2,000,002 characters, too much to be shown" });
  });

  it("is not waited for by a preview that never ends", async () => {
    const { call, ran } = asking(() => true, {}, { timeoutMs: 30, preview: () => new Promise(() => {}) });
    expect(await call()).toFailWith("TIMED_OUT");
    expect(ran).toEqual([]);
  });

  it("takes its own time: neither the tool's limit nor that of a call above runs meanwhile", async () => {
    const { wipe } = dangerous({ timeoutMs: 40 });
    const outer = tool("outer", {
      timeoutMs: 40,
      execute: async (_, ctx) => (await ctx.call({ name: "wipe", arguments: { what: "x" } })).success,
    });
    const asker = tool("asker", {
      timeoutMs: 40,
      async execute(_, ctx) {
        const answer = await ctx.interact.ask({ kind: "ask", message: "?" }, ctx.signal);
        return answer.text;
      },
    });
    const slowly = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 120));
    const tenon = open({
      tools: [wipe, outer, asker],
      interact: { approve: () => slowly(true), ask: () => slowly("yes") },
    });
    const answers = await tenon.callMany([wipeAll, { name: "outer" }, { name: "asker" }]);
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual(["wiped", true, "yes"]);
  });

  it("time does not count as execution time in the metrics", async () => {
    const { call, tenon } = asking(() => new Promise((resolve) => setTimeout(() => resolve(true), 100)));
    await call();
    expect(
      tenon.metrics.snapshot().tools.find(({ toolName }) => toolName === "wipe")?.duration.max,
    ).toBeLessThan(80);
  });

  it("is seen by a stream while it is waited for", async () => {
    const { tenon } = asking(() => true);
    const items = await collect(tenon.stream(wipeAll));
    expect(items.map(({ type }) => type)).toEqual([
      "TOOL_CALL_REQUESTED",
      "APPROVAL_REQUESTED",
      "APPROVAL_RESOLVED",
      "TOOL_CALL_STARTED",
      "TOOL_CALL_COMPLETED",
      "result",
    ]);
  });

  it("is written down while it is waited for, and what became of it after", async () => {
    const fixture = createFixture();
    const asked = gate<ApprovalRequest>();
    const answer = gate<boolean>();
    const approve = (request: ApprovalRequest) => (asked.open(request), answer.passed);
    const tenon = open({ tools: [dangerous().wipe], interact: { approve } }, fixture);
    const running = tenon.call(wipeAll);
    const { id } = await asked.passed;
    const state = await openState(fixture);
    expect((await state.approvals.pending()).map(({ request }) => request.id)).toEqual([id]);
    answer.open(true);
    await running;
    expect(await state.approvals.pending()).toEqual([]);
    expect((await state.approvals.get(id))?.answer).toEqual({
      verdict: "once",
      by: { channel: "callback" },
    });
    await state.close();
  });

  it("asked for by a process that died is denied by the next one", async () => {
    const fixture = createFixture();
    const script = join(fixture.stateDir, "..", "ask.ts");
    // What a call writes down while it waits, in a process that is killed then.
    writeFileSync(
      script,
      `import { openState } from ${JSON.stringify(join(import.meta.dirname, "../store/open-state.ts"))};
      const state = await openState(${JSON.stringify(fixture)});
      await state.approvals.open({ id: "a1", callId: "c1", sessionId: "s1", toolName: "wipe", expiresAt: Date.now() + 300000 });
      console.log("asked");
      setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [
      join(import.meta.dirname, "../../node_modules/.bin/jiti"),
      script,
    ]);
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");

    const next = open({ tools: [dangerous().wipe] }, fixture);
    await next.call({ name: "current_time" });
    const state = await openState(fixture);
    expect(await state.approvals.pending()).toEqual([]);
    expect((await state.approvals.get("a1"))?.answer).toMatchObject({ verdict: "no" });
    await state.close();
  });

  it("is still worth something where the books cannot be kept", async () => {
    const fixture = createFixture();
    const { ran, wipe } = dangerous();
    const parts = { tools: [wipe], interact: { approve: () => ({ verdict: "always" as const }) } };
    const config = { stateDir: fixture.stateDir, audit: { enabled: false } };
    const tenon = open({ ...parts, config }, fixture);
    writeFileSync(fixture.stateDir, "a file where a folder should be");
    expect(await tenon.call(wipeAll)).toSucceed();
    expect(ran).toHaveLength(1);
    // Where the log is wanted, nothing is changed without a record.
    expect(await open(parts, fixture).call(wipeAll)).toFailWith("AUDIT_UNAVAILABLE");
    expect(ran).toHaveLength(1);
  });
});

describe("a request for consent", () => {
  const requestFor = async (more: object = {}, call: object = wipeAll, options: TenonOptions = {}) => {
    const asked: ApprovalRequest[] = [];
    const { wipe } = dangerous(more);
    const tenon = open({
      tools: [wipe, tool("outer", { execute: (_, ctx) => ctx.call(wipeAll) })],
      interact: { approve: (request) => (asked.push(request), true) },
      ...options,
    });
    const session = tenon.createSession({
      id: "s1",
      agent: "ada",
      userId: "u1",
      clientInfo: { name: "zed" },
    });
    const answer = await session.call(call as never);
    return { request: asked[0], answer };
  };

  it("says who wants what for which task, how dangerous it is and until when it waits", async () => {
    const { request, answer } = await requestFor({}, { ...wipeAll, taskId: "t1" });
    expect(request).toEqual({
      id: expect.any(String),
      callId: answer.callId,
      sessionId: "s1",
      taskId: "t1",
      agent: "ada",
      userId: "u1",
      client: { name: "zed" },
      toolName: "wipe",
      risk: "high",
      arguments: { what: "all" },
      reason: expect.stringContaining("consent for wipe"),
      decision: answer.metadata.decision,
      alwaysRule: "allow wipe for the agent ada for the user u1 for the client zed",
      channels: expect.arrayContaining(["callback"]),
      requestedAt: expect.any(Number),
      expiresAt: (request?.requestedAt ?? 0) + 300_000,
    });
    expect(answer.metadata.approval).toMatchObject({
      verdict: "once",
      channel: "callback",
      callId: answer.callId,
    });
  });

  it("by a call within another names both", async () => {
    const { request, answer } = await requestFor({}, { name: "outer" });
    expect(request).toMatchObject({ rootCallId: answer.callId });
    expect(request?.callId).not.toBe(answer.callId);
    expect((await requestFor()).request).not.toHaveProperty("rootCallId");
  });

  it("offers no rule for always where the tool itself asks", async () => {
    const asks = { annotations: {}, checkPermissions: () => ({ behavior: "ask", message: "Sure?" }) };
    const { request } = await requestFor(asks);
    expect(request).toMatchObject({ reason: "Sure?", risk: expect.any(String) });
    expect(request).not.toHaveProperty("alwaysRule");
    const alone = open({ tools: [dangerous(asks).wipe] });
    expect(await alone.call(wipeAll)).toFailWith("APPROVAL_UNAVAILABLE", {
      message: "Access denied: Sure?, and nobody is available to ask.",
      hint: "The tool requires a person's consent each time; run it where a person can answer.",
      details: { rule: "tool:wipe", source: "tool" },
    });
  });

  it("that is declined says so, with and without a reason", async () => {
    const declined = async (reason?: string) => {
      const interact = { approve: () => ({ verdict: "no" as const, reason }) };
      return open({ tools: [dangerous().wipe], interact }).call(wipeAll);
    };
    const hint = "Do not repeat the call unchanged; ask the person what they want instead.";
    for (const none of [undefined, ""])
      expect(await declined(none)).toFailWith("APPROVAL_DENIED", {
        message: "Access denied: the person declined.",
        hint,
      });
    expect(await declined("too early")).toFailWith("APPROVAL_DENIED", {
      message: "Access denied: the person declined: too early",
    });
  });

  it("that expires says how long it waited", async () => {
    const { answer } = await requestFor({}, wipeAll, {
      interact: { approve: () => new Promise(() => {}) },
      config: { approvals: { timeoutMs: 20 } },
    });
    expect(answer).toFailWith("APPROVAL_EXPIRED", {
      message: "Access denied: nobody answered within 0 s.",
      hint: "Call again when somebody can answer.",
    });
  });
});

describe("arguments that a person changed", () => {
  const change = async (updatedArguments: unknown, rules: object[] = []) => {
    const { ran, wipe } = dangerous({
      resources: ({ what }: { what: string }) => ({ writes: [{ path: what }] }),
    });
    const tenon = open({
      tools: [wipe],
      interact: { approve: () => ({ verdict: "once", updatedArguments }) },
      config: { policy: { rules: rules as never } },
    });
    const events = watch(tenon);
    const answer = await tenon.call(wipeAll);
    const resolved = events.find(({ type }) => type === "APPROVAL_RESOLVED")?.payload;
    return { ran, answer, resolved };
  };

  it("are told with what they were, for the record as well", async () => {
    const { ran, answer, resolved } = await change({ what: "less" });
    expect(ran).toEqual([{ what: "less" }]);
    const changed = { from: { what: "all" }, to: { what: "less" } };
    expect(resolved).toMatchObject({ verdict: "once", changed });
    expect(answer.metadata).toMatchObject({ argumentsChanged: true, approval: { changed } });
  });

  it("that a rule denies are refused, and told as well", async () => {
    const { ran, answer, resolved } = await change({ what: "secret" }, [
      { id: "no", decision: "deny", tool: "wipe", path: "secret" },
    ]);
    expect(answer).toFailWith("ACCESS_DENIED", { details: { rule: "no" } });
    expect(ran).toEqual([]);
    expect(resolved).toMatchObject({ changed: { from: { what: "all" }, to: { what: "secret" } } });
    expect(answer.metadata).not.toHaveProperty("argumentsChanged");
  });
});
