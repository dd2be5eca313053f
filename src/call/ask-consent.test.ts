import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, ApprovalRequest, InteractBackend } from "../contract/ports/interact.js";
import { dangerous, open, watch, wipeAll } from "../../test/spine-fixture.js";

type Answer = ApprovalAnswer | string | null | object;

/** A session that is asked through a backend on this channel. */
function start(
  channel: "host" | "callback" | "terminal",
  approve: (request: ApprovalRequest) => Answer | Promise<Answer>,
  more: { config?: object; members?: object } = {},
) {
  const { ran, wipe } = dangerous(more.members);
  const tenon = open({ tools: [wipe], config: { approvals: { timeoutMs: 2000, ...more.config } } });
  const interact = { channel, available: () => true, approve } as unknown as InteractBackend;
  const session = tenon.createSession({ interact, clientInfo: { name: "zed", version: "1" } });
  const events = watch(tenon);
  const resolved = () =>
    events.flatMap(({ type, payload }) => (type === "APPROVAL_RESOLVED" ? [payload] : []));
  return { ran, session, resolved, call: () => session.call(wipeAll) };
}

describe("an answer of a host", () => {
  it("counts once or for the session, with who the host is", async () => {
    for (const verdict of ["once", "session"] as const) {
      const { call, resolved, ran } = start("host", () => ({ verdict }));
      const answer = await call();
      expect(answer).toSucceed();
      expect(ran).toHaveLength(1);
      expect(resolved()[0]).toMatchObject({
        verdict,
        channel: "host",
        client: { name: "zed", version: "1" },
      });
      expect(answer.metadata.approval).toMatchObject({ verdict, channel: "host" });
    }
  });

  it("cannot change the arguments", async () => {
    const { call, ran } = start("host", () => ({ verdict: "once", updatedArguments: { what: "other" } }));
    expect(await call()).toSucceed();
    expect(ran).toEqual([{ what: "all" }]);
  });

  it("cannot count for ever: then nobody has answered", async () => {
    const { call, ran } = start("host", () => ({ verdict: "always" }));
    const { error } = await call();
    expect(error).toMatchObject({ code: "APPROVAL_UNAVAILABLE" });
    expect(error?.message).toContain("an MCP host cannot allow calls permanently");
    expect(ran).toEqual([]);
  });

  it("that declines is taken with its reason", async () => {
    const { call, resolved } = start("host", () => ({ verdict: "no", reason: "not now" }));
    expect(await call()).toFailWith("APPROVAL_DENIED", {
      message: "Access denied: the person declined: not now",
    });
    expect(resolved()[0]).toMatchObject({ verdict: "no", reason: "not now", channel: "host" });
  });
});

describe("an answer on another channel", () => {
  it.each<[string, Answer, boolean]>([
    ["once", { verdict: "once" }, true],
    ["session", { verdict: "session" }, true],
    ["always", { verdict: "always" }, true],
    ["no", { verdict: "no" }, false],
    ["a word that nobody knows", { verdict: "yes" }, false],
    ["an empty object", {}, false],
    ["null", null, false],
    ["a text", "once", false],
  ])("that is %s counts as far as it is a known yes", async (_what, given, isYes) => {
    const { call, ran } = start("callback", () => given);
    expect((await call()).success).toBe(isYes);
    expect(ran).toHaveLength(isYes ? 1 : 0);
  });

  it("names the person who gave it, on the channel that it came by", async () => {
    const by = { person: "ada", channel: "console" };
    const { call, resolved } = start("callback", () => ({ verdict: "once", by }));
    expect(await call()).toSucceed();
    expect(resolved()[0]).toMatchObject({ channel: "callback", person: "ada" });
    const other = start("callback", () => ({ verdict: "once" }));
    await other.call();
    expect(other.resolved()[0]).not.toHaveProperty("person");
    expect(other.resolved()[0]).not.toHaveProperty("client");
  });

  it("with arguments that do not fit is asked for again, five times in all, with what was wrong", async () => {
    const faults: (string | undefined)[] = [];
    const { call, ran } = start("callback", ({ fault }) => {
      faults.push(fault);
      return { verdict: "once", updatedArguments: { what: 7 } };
    });
    const { error } = await call();
    expect(error).toMatchObject({ type: "ToolPermissionError" });
    expect(error?.message).toContain("the changed arguments could not be used");
    expect(faults).toHaveLength(5);
    expect(faults[0]).toBeUndefined();
    expect(faults.slice(1).every((fault) => fault?.includes("what"))).toBe(true);
    expect(ran).toEqual([]);
  });

  it.each<[string, () => never | Promise<never>]>([
    [
      "throws",
      () => {
        throw new Error("no screen");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no screen"))],
  ])("is none where asking %s, and the call says why nobody could be asked", async (_how, approve) => {
    const { call, resolved, ran } = start("callback", approve);
    const answer = await call();
    expect(answer).toFailWith("APPROVAL_UNAVAILABLE", {
      message: "Access denied: consent is needed, and nobody could be asked: no screen",
    });
    expect(answer.error?.hint).toContain("The rule that would allow it");
    expect(resolved()[0]).toMatchObject({ verdict: "cancelled", reason: "no screen" });
    expect(ran).toEqual([]);
  });

  it("is told with how long it was waited for", async () => {
    const answerLater = (): Promise<Answer> =>
      new Promise((resolve) => setTimeout(() => resolve({ verdict: "once" }), 60));
    const { call, resolved } = start("callback", answerLater);
    await call();
    const [told] = resolved() as { requestedAt: number; resolvedAt: number; waitedMs: number }[];
    expect(told?.waitedMs).toBeGreaterThanOrEqual(50);
    expect(told?.waitedMs).toBe((told?.resolvedAt ?? 0) - (told?.requestedAt ?? 0));
  });
});

describe("consent of several people", () => {
  it("is asked for with their number, and offers no rule for always", async () => {
    const { wipe } = dangerous();
    const asked: ApprovalRequest[] = [];
    const tenon = open({
      tools: [wipe],
      interact: { approve: (request) => (asked.push(request), { verdict: "no" }) },
      config: { policy: { rules: [{ decision: "ask", tool: "wipe", approvals: 2 }] } } as never,
    });
    expect((await tenon.call(wipeAll)).success).toBe(false);
    expect(asked[0]).toMatchObject({ required: 2 });
    expect(asked[0]).not.toHaveProperty("alwaysRule");
    const one = start("callback", (request) => (asked.push(request), { verdict: "no" }));
    await one.call();
    expect(asked.at(-1)).not.toHaveProperty("required");
  });
});
