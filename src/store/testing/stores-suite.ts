import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.js";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import type { State } from "../open-state.js";
import { openTrust } from "../trust.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { randomCases } from "../../../test/setup/random-cases.js";

/** What rules, sessions, approvals, small values and trust promise, in whatever database. */
export function storesSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;

  beforeEach(async () => {
    fixture = await newFixture();
    state = await open();
  });

  afterEach(() => fixture.close());

  function open(): Promise<State> {
    return fixture.open({ storeLimits: { maxValueBytes: 10_000, maxBytes: 50_000, maxKeys: 100 } });
  }

  describe("kv", () => {
    it("gives back any JSON value under any sound key", async () => {
      let n = 0;
      const keys = fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
        .filter((key) => !key.includes("\0"));
      await fc.assert(
        fc.asyncProperty(keys, fc.jsonValue({ maxDepth: 4 }), async (key, value) => {
          const kv = state.kv(`ns${(n += 1)}`);
          await kv.set(key, value as Json);
          expect(await kv.get(key)).toEqual(JSON.parse(JSON.stringify(value)));
          expect(await kv.list()).toEqual([key]);
          expect(await kv.delete(key)).toBe(true);
          expect(await kv.get(key)).toBeUndefined();
        }),
        { numRuns: randomCases(200) },
      );
    });

    it("keeps name spaces apart", async () => {
      await state.kv("a").set("k", 1);
      await state.kv("b").set("k", 2);
      expect(await state.kv("a").get("k")).toBe(1);
      expect(await state.kv("b").delete("k")).toBe(true);
      expect(await state.kv("a").list()).toEqual(["k"]);
    });

    it("lists by prefix, where no character is a wildcard", async () => {
      const kv = state.kv("p");
      for (const key of ["a%", "a%b", "ab", "a_", "A%", "b"]) await kv.set(key, 1);
      expect(await kv.list("a%")).toEqual(["a%", "a%b"]);
      expect(await kv.list("a_")).toEqual(["a_"]);
    });

    it.each([
      ["empty", ""],
      ["with a NUL", "a\0b"],
      ["half a character", "a\ud800"],
      ["too long", "k".repeat(1025)],
    ])("refuses a key that is %s", async (_, key) => {
      await expect(state.kv("x").set(key, 1)).rejects.toMatchObject({ code: "VALUE_INVALID" });
    });

    it("refuses what is not valid JSON and what is too large", async () => {
      const kv = state.kv("x");
      const circle: Record<string, unknown> = {};
      circle["self"] = circle;
      for (const bad of [undefined, () => 1, circle, 10n]) {
        await expect(kv.set("k", bad as Json)).rejects.toMatchObject({ code: "VALUE_INVALID" });
      }
      await expect(kv.set("k", "v".repeat(20_000))).rejects.toMatchObject({ code: "VALUE_INVALID" });
      expect(await kv.list()).toEqual([]);
    });

    it("caps a name space in bytes and keys, and frees what is deleted", async () => {
      const kv = state.kv("full");
      for (let n = 0; n < 5; n += 1) await kv.set(`k${n}`, "v".repeat(9_900));
      await expect(kv.set("k5", "v".repeat(9_900))).rejects.toMatchObject({ code: "QUOTA_SPENT" });
      await kv.set("k0", "small");
      await kv.set("k5", "v".repeat(9_000));
      const many = state.kv("many");
      for (let n = 0; n < 100; n += 1) await many.set(`k${n}`, n);
      await expect(many.set("one more", 1)).rejects.toMatchObject({ code: "QUOTA_SPENT" });
      await many.set("k7", "changed");
      await many.delete("k8");
      await many.set("one more", 1);
    });
  });

  describe("rules", () => {
    it("keeps, lists and revokes rules", async () => {
      const rule = await state.rules.add({ behavior: "allow", tool: "read_file" });
      await state.rules.add({ behavior: "deny" }, "mine");
      await state.rules.add({ behavior: "ask" }, "mine");
      expect((await state.rules.list()).map((each) => each.rule)).toEqual([
        { behavior: "allow", tool: "read_file" },
        { behavior: "ask" },
      ]);
      expect(await state.rules.remove(rule.id)).toBe(true);
      expect(await state.rules.remove(rule.id)).toBe(false);
      expect((await state.rules.list()).map((each) => each.id)).toEqual(["mine"]);
    });
  });

  describe("sessions", () => {
    it("hands a session on to the next process", async () => {
      expect(await state.sessions.load("cli")).toBeUndefined();
      const kept = { env: { A: "1", __proto__x: "2" }, data: { read: ["a.txt"] } };
      await state.sessions.save("cli", kept);
      await state.close();
      state = await open();
      expect(await state.sessions.load("cli")).toEqual(kept);
      expect((await state.sessions.list()).map((each) => each.name)).toEqual(["cli"]);
      expect(await state.sessions.remove("cli")).toBe(true);
    });
  });

  describe("approvals", () => {
    it("takes the first answer only", async () => {
      await state.approvals.open(request);
      expect(await state.approvals.pending()).toMatchObject([{ request }]);
      expect(await state.approvals.resolve("a1", { verdict: "once" })).toBe(true);
      expect(await state.approvals.resolve("a1", { verdict: "no" })).toBe(false);
      expect(await state.approvals.resolve("unknown", { verdict: "no" })).toBe(false);
      expect(await state.approvals.get("a1")).toMatchObject({ answer: { verdict: "once" } });
      expect(await state.approvals.expireAll("over")).toBe(0);
    });

    it("ends the requests of a dead process as denied and leaves those of a living one", async () => {
      await state.approvals.open(request);
      await state.approvals.open({ ...request, id: "theirs" });
      await state.approvals.open({ ...request, id: "alive" });
      const found = await fixture.exec("SELECT owner FROM approvals WHERE id = 'a1'");
      const [{ owner } = { owner: "" }] = found as { owner: string }[];
      const [pid, boot, namespace, started] = JSON.parse(owner) as [number, string, string, string];
      const setOwner = (id: string, value: unknown[]): Promise<unknown> =>
        fixture.exec("UPDATE approvals SET owner = $1 WHERE id = $2", [JSON.stringify(value), id]);
      await setOwner("theirs", [pid, boot, namespace, `${Number(started) + 1}`]);
      await setOwner("alive", [process.ppid, boot, namespace, ""]);
      expect(await state.approvals.expireAll("Tenon was restarted")).toBe(2);
      const denied = { answer: { verdict: "no", reason: "Tenon was restarted" } };
      expect(await state.approvals.get("theirs")).toMatchObject(denied);
      expect((await state.approvals.pending()).map((each) => each.request.id)).toEqual(["alive"]);
    });
  });

  describe("answers", () => {
    const call = { principal: "ada", key: "k", fingerprint: "f", callId: "c1" };
    const kept = { fingerprint: "f", callId: "c1" };

    it("gives a key to one call of a principal, and its answer to all others", async () => {
      const [one, two] = await Promise.all([
        state.answers.claim(call),
        state.answers.claim({ ...call, callId: "c1" }),
      ]);
      expect([one, two].filter((known) => known === undefined)).toHaveLength(1);
      expect(one ?? two).toEqual({ ...kept, state: "running" });
      expect(await state.answers.claim({ ...call, principal: "bob" })).toBeUndefined();
      await state.answers.finish({ ...call, callId: "another" }, "never");
      await state.answers.finish(call, '{"a":1}');
      const again = await open();
      expect(await again.answers.claim({ ...call, callId: "c2" })).toEqual({
        ...kept,
        state: "done",
        answer: '{"a":1}',
      });
      await state.answers.release(call); // it has ended: the key stays
      expect(await again.answers.get("ada", "k")).toMatchObject({ state: "done" });
    });

    it("takes a key back where its call did not run, and tells where its process is gone", async () => {
      await state.answers.claim(call);
      await state.answers.release(call);
      expect(await state.answers.get("ada", "k")).toBeUndefined();
      await state.answers.claim(call);
      const [{ owner } = { owner: "" }] = (await fixture.exec("SELECT owner FROM answers")) as {
        owner: string;
      }[];
      const [pid, boot, namespace, started] = JSON.parse(owner) as [number, string, string, string];
      const dead = JSON.stringify([pid, boot, namespace, `${Number(started) + 1}`]);
      await fixture.exec("UPDATE answers SET owner = $1", [dead]);
      expect(await state.answers.claim({ ...call, callId: "c2" })).toEqual({ ...kept, state: "lost" });
    });

    it("forgets keys after their time, and refuses more than it may keep", async () => {
      const limited = await fixture.open({ answerLimits: { maxAgeMs: 60_000, maxKeys: 2 } });
      for (const key of ["a", "b"]) await limited.answers.claim({ ...call, key });
      await expect(limited.answers.claim({ ...call, key: "c" })).rejects.toMatchObject({
        code: "IDEMPOTENCY_FULL",
      });
      await fixture.exec("UPDATE answers SET claimed_at = claimed_at - 61000");
      expect(await limited.answers.claim({ ...call, key: "c" })).toBeUndefined();
      expect(await limited.answers.get("ada", "a")).toBeUndefined();
    });
  });

  describe("trust", () => {
    it("trusts a workspace with one digest of its configuration, until it is distrusted", async () => {
      const trust = openTrust(fixture.stateDir);
      const { workspace } = fixture;
      expect(await trust.isTrusted(workspace, "d1")).toBe(false);
      await trust.trust(workspace, "d1");
      expect(await state.trust.isTrusted(`${workspace}/.`, "d1")).toBe(true);
      expect(await trust.isTrusted(workspace, "d2")).toBe(false);
      expect(await trust.list()).toMatchObject([{ workspace, digest: "d1" }]);
      expect(await trust.distrust(workspace)).toBe(true);
      expect(await trust.distrust(workspace)).toBe(false);
      expect(await trust.isTrusted(workspace, "d1")).toBe(false);
    });

    it("trusts nobody by a file that is damaged or was copied from another workspace", async () => {
      const trust = openTrust(fixture.stateDir);
      await trust.trust(fixture.workspace, "d1");
      const dir = join(fixture.stateDir, "trust");
      const [name = ""] = readdirSync(dir);
      writeFileSync(join(dir, name), JSON.stringify({ workspace: "/elsewhere", digest: "d1", trustedAt: 1 }));
      expect(await trust.isTrusted(fixture.workspace, "d1")).toBe(false);
      writeFileSync(join(dir, name), "{");
      expect(await trust.isTrusted(fixture.workspace, "d1")).toBe(false);
      expect(await trust.list()).toEqual([]);
    });
  });
}

const request: ApprovalRequest = {
  id: "a1",
  callId: "c1",
  sessionId: "s",
  agent: "main",
  toolName: "write_file",
  arguments: { path: "x" },
  reason: "it writes",
  decision: { behavior: "ask", rule: "r", reason: "because", source: "default" },
  risk: "low",
  channels: ["console", "host"],
  requestedAt: 1,
  expiresAt: 5,
};
