import { describe, expect, it } from "vitest";
import type { ToolContext } from "../contract/context.js";
import type { CallScope } from "../contract/session.js";
import { createFixture, open, tool } from "../../test/spine-fixture.js";

/** What a tool found in its context. */
async function inside<T>(
  look: (ctx: ToolContext & CallScope) => T | Promise<T>,
  options: { session?: object; request?: object; members?: object; more?: object } = {},
) {
  let found!: T;
  const probe = tool("probe", {
    execute: async (_input, ctx) => {
      found = await look(ctx as never);
      return "looked";
    },
    ...options.members,
  });
  const fixture = createFixture();
  const tenon = open({ tools: [probe], ...options.more }, fixture);
  const session = tenon.createSession(options.session);
  const answer = await session.call({ name: "probe", ...options.request } as never);
  return { found, answer, session, tenon, fixture };
}

describe("the context of a call", () => {
  it("says whose call it is", async () => {
    const { found, answer, session } = await inside(
      (ctx) => [ctx.callId, ctx.rootCallId, ctx.toolName, ctx.taskId, ctx.sessionId, ctx.agent, ctx.userId],
      { session: { id: "s1", agent: "ada", userId: "u1" }, request: { taskId: "t1" } },
    );
    expect(session.id).toBe("s1");
    expect(found).toEqual([answer.callId, answer.callId, "probe", "t1", "s1", "ada", "u1"]);
  });

  it("hands out each port once", async () => {
    const names = ["files", "processes", "code", "outputs", "http", "store", "interact", "log"] as const;
    const { found } = await inside((ctx) =>
      names.map((name) => ctx[name] === ctx[name] && ctx[name] !== undefined),
    );
    expect(found).toEqual(names.map(() => true));
  });

  it("has no client, no shell line and no missing consent where there is none", async () => {
    const { found } = await inside((ctx) => [ctx.client, ctx.shell, ctx.askAfter, ctx.commandPaths?.()]);
    expect(found).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("has the settings and allowed paths of its tool and session", async () => {
    const custom = { config: { tools: { perTool: { probe: { custom: { depth: 3 } } } } } };
    const { found } = await inside((ctx) => [ctx.settings, ctx.session.allowedPaths], {
      more: custom,
      session: { allowedPaths: ["src"] },
    });
    expect(found).toEqual([{ depth: 3 }, ["src"]]);
  });

  it("says when the call must stop, by a signal, a flag and a listener", async () => {
    const leaving = new AbortController();
    const heard: unknown[] = [];
    const { found, answer } = await inside(
      async (ctx) => {
        const before = [ctx.isAborted, ctx.signal.aborted];
        ctx.onStop?.((reason) => void heard.push((reason as { code?: string }).code));
        leaving.abort();
        return [...before, ctx.isAborted, ctx.signal.aborted];
      },
      { request: { signal: leaving.signal } },
    );
    expect(answer).toFailWith("CANCELLED");
    expect(heard).toEqual(["CANCELLED"]);
    await expect.poll(() => found).toEqual([false, false, true, true]);
  });

  it("names the paths that the call is known to change, absolute and each once", async () => {
    const { found, fixture } = await inside((ctx) => ctx.changes?.(), {
      members: {
        annotations: {},
        resources: () => ({
          reads: [{ path: "r" }],
          writes: [{ path: "a" }, { path: "a" }, { lock: "l" }],
        }),
      },
      more: { interact: { approve: () => true } },
    });
    expect(found).toEqual([`${fixture.workspace}/a`]);
  });

  it("can tell which paths may be read, where a rule denies some", async () => {
    const rules = [{ decision: "deny", path: "secret/**" }];
    const { found } = await inside(
      (ctx) => {
        const isReadable = ctx.readable();
        return ["secret/a", "src/a"].map((path) => isReadable?.(path));
      },
      { more: { config: { policy: { rules } } } },
    );
    expect(found).toEqual([false, true]);
    expect((await inside((ctx) => ctx.readable())).found).toBeUndefined();
  });

  it("knows no path that may be read before its input is known to be valid", async () => {
    let seen: boolean | undefined;
    const guarded = tool("guarded", {
      execute: () => "ran",
      checkPermissions: (_input, ctx) => {
        seen = (ctx as unknown as CallScope).readable()?.("secret/a");
        return { behavior: "allow" };
      },
    });
    const rules = [{ decision: "deny" as const, path: "secret/**" }];
    await open({ tools: [guarded], config: { policy: { rules } } }).call({ name: "guarded" });
    expect(seen).toBe(false);
  });
});

describe("the host's client, for a call", () => {
  const client = (members: object = {}) => ({
    supports: { elicitForm: true, elicitUrl: false, sample: true },
    capabilities: { roots: {} },
    era: "2025",
    logLevel: "info",
    reports: false,
    meta: { a: 1 },
    extras: { bare: true },
    elicit: async (request: unknown) => ({ action: "accept", content: { request } }),
    sample: async (request: unknown) => ({ sampled: request }),
    request: async (method: string, request: unknown) => ({ method, request }),
    log: () => {},
    ...members,
  });

  it("is what the host is, and passes on what is asked of it", async () => {
    const told: unknown[] = [];
    const host = client({
      log: (...all: unknown[]) => void told.push(["log", ...all]),
      notify: (...all: unknown[]) => void told.push(["notify", ...all]),
    });
    const { found } = await inside(
      async (ctx) => {
        const own = ctx.client;
        if (own === undefined) throw new Error("no client");
        own.log("info", "text", "logger");
        own.notify?.("notifications/x", { y: 1 });
        return {
          same: own === ctx.client,
          own: [own.supports, own.capabilities, own.era, own.logLevel, own.reports, own.meta, own.extras],
          elicited: await own.elicit({ q: 1 }, ctx.signal),
          sampled: await own.sample({ m: 1 }, ctx.signal),
          asked: await own.request?.("roots/list", { r: 1 }, ctx.signal),
          elicitedRaw: await own.request?.("elicitation/create", { r: 2 }, ctx.signal),
        };
      },
      { session: { client: host } },
    );
    expect(found).toEqual({
      same: true,
      own: [host.supports, { roots: {} }, "2025", "info", false, { a: 1 }, { bare: true }],
      elicited: { action: "accept", content: { request: { q: 1 } } },
      sampled: { sampled: { m: 1 } },
      asked: { method: "roots/list", request: { r: 1 } },
      elicitedRaw: { method: "elicitation/create", request: { r: 2 } },
    });
    expect(told).toEqual([
      ["log", "info", "text", "logger"],
      ["notify", "notifications/x", { y: 1 }],
    ]);
  });

  it("is the one for this call, where the host has one for each, and answers no other request where it cannot", async () => {
    const calls: string[] = [];
    const host = client({
      request: undefined,
      forCall: (callId: string) => (calls.push(callId), client({ era: "for one call", request: undefined })),
    });
    const { found, answer } = await inside((ctx) => [ctx.client?.era, ctx.client?.request], {
      session: { client: host },
    });
    expect(found).toEqual(["for one call", undefined]);
    expect(calls).toEqual([answer.callId]);
  });

  it.each<[string, (ctx: ToolContext) => Promise<unknown> | undefined, boolean]>([
    ["elicit", (ctx) => ctx.client?.elicit({}, ctx.signal), true],
    ["request of elicitation", (ctx) => ctx.client?.request?.("elicitation/create", {}, ctx.signal), true],
    ["request of roots", (ctx) => ctx.client?.request?.("roots/list", {}, ctx.signal), false],
    ["sample", (ctx) => ctx.client?.sample({}, ctx.signal), false],
  ])("stops the clock of the call while a person is asked: %s", async (_how, ask, isPaused) => {
    // One that is not waited for with a stopped clock never answers.
    const slowly = () =>
      new Promise<object>((resolve) => {
        if (isPaused) setTimeout(() => resolve({ action: "accept" }), 150);
      });
    const host = client({ elicit: slowly, request: slowly, sample: slowly });
    const { answer: given } = await inside((ctx) => ask(ctx), {
      session: { client: host },
      request: { timeoutMs: 40 },
    });
    if (isPaused) expect(given).toSucceed();
    else expect(given).toFailWith("TIMED_OUT");
  });

  it("starts the clock again after the person has answered, also with an error", async () => {
    for (const elicit of [
      async () => ({ action: "accept" }),
      async () => Promise.reject(new Error("gone")),
    ]) {
      const { answer } = await inside(
        async (ctx) => {
          await ctx.client?.elicit({}, ctx.signal).catch(() => undefined);
          await new Promise(() => {});
        },
        { session: { client: client({ elicit }) }, request: { timeoutMs: 40 } },
      );
      expect(answer).toFailWith("TIMED_OUT");
    }
  });
});

describe("files that a call has seen", () => {
  const sighting = { identity: "i", start: 1, lines: ["x"], complete: true };

  it.each<[string, (ctx: ToolContext) => void, boolean]>([
    ["notes", (ctx) => ctx.seen.note("f", sighting), true],
    ["sets", (ctx) => ctx.seen.set("f", { identity: "i", runs: [], complete: true }), false],
    ["forgets", (ctx) => ctx.seen.forget("f"), false],
    ["moves", (ctx) => ctx.seen.move("f", "g"), false],
  ])(
    "of a tool that %s them are known to the session, and only notes are kept with its answer",
    async (_how, act, isKept) => {
      const cacheable = { annotations: { readOnly: true, cacheable: true } };
      const { session } = await inside((ctx) => act(ctx), { members: cacheable });
      const again = await session.call({ name: "probe" });
      expect(again.metadata["cached"] === true).toBe(isKept);
      const known = session.seen.get("f") !== undefined;
      expect(known).toBe(_how === "notes" || _how === "sets");
    },
  );

  it("are told again to a session that has forgotten them, with the kept answer", async () => {
    const { session } = await inside((ctx) => ctx.seen.note("f", sighting), {
      members: { annotations: { readOnly: true, cacheable: true } },
    });
    for (let time = 0; time < 3; time++) {
      session.seen.forget("f");
      expect((await session.call({ name: "probe" })).metadata["cached"]).toBe(true);
      expect(session.seen.get("f")).toMatchObject({ identity: "i", complete: true });
    }
  });

  it("can be loaded and moved by a tool", async () => {
    const { found } = await inside(
      async (ctx) => {
        ctx.seen.note("f", sighting);
        const loaded = await ctx.seen.load("f");
        ctx.seen.move("f", "g");
        return [loaded?.identity, ctx.seen.get("f"), ctx.seen.get("g")?.identity];
      },
      { members: { annotations: { readOnly: true, cacheable: true } } },
    );
    expect(found).toEqual(["i", undefined, "i"]);
  });
});
