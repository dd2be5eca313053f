import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createFixture, echo, open, tool } from "../../../test/spine-fixture.js";
import { defineTool } from "../../contract/define-tool.js";
import { fromIdentity } from "../../store/process-identity.js";
import { createIsAlive } from "./audit-location.js";

const files = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

describe("the process that wrote a part of the log", () => {
  const self = { pid: process.pid, boot: "b", namespace: "pid:[1]", started: "" };
  const inContainer = fromIdentity({ ...self, pid: 1, namespace: "pid:[2]" });

  it("counts as gone in another container only for the worker that owns the workspace now", () => {
    expect(createIsAlive(self)(inContainer)).toBe(true);
    expect(createIsAlive(self, { ownership: { name: "fleet:a" } })(inContainer)).toBe(true);
    const isAlive = createIsAlive(self, { ownership: { name: "fleet:a/main", epoch: 3 } });
    expect(isAlive(inContainer)).toBe(false);
    expect(isAlive(fromIdentity(self))).toBe(true);
  });
});

describe("the log of a Tenon", () => {
  it("has a record of every call: successes, refusals, unknown tools, and calls that tools make", async () => {
    const chain = tool("chain", {
      execute: async (_input, ctx) => (await ctx.call({ name: "echo", arguments: { text: "below" } })).result,
    });
    const tenon = open({ tools: [echo, chain] });
    const session = tenon.createSession({ agent: "coder", userId: "ada", taskId: "t1" });
    await session.call({ name: "echo", arguments: { text: "hi" } });
    await session.call({ name: "read_file", arguments: { path: "/etc/shadow" } });
    await session.call({ name: "nothing", arguments: {} });
    const outer = await session.call({ name: "chain", arguments: {} });
    const found = (await tenon.audit.search({ taskId: "t1" })).toReversed();
    expect(found.map(({ tool: name, outcome }) => [name, outcome])).toEqual([
      ["echo", "success"],
      ["read_file", "denied"],
      ["nothing", "failure"],
      ["echo", "success"],
      ["chain", "success"],
    ]);
    expect(found[0]).toMatchObject({
      seq: 1,
      agent: "coder",
      userId: "ada",
      arguments: { text: "hi" },
      result: { text: "hi" },
      decision: { behavior: "allow" },
    });
    expect(found[3]).toMatchObject({ parentCallId: outer.callId });
    expect(await tenon.audit.verify(await tenon.audit.head())).toMatchObject({ ok: true, records: 5 });
  });

  it("keeps calls that end together, and large contents aside; none of it holds a secret", async () => {
    const fixture = createFixture();
    const tenon = open({ tools: [echo] }, fixture);
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const large = "x".repeat(50_000);
    const texts = [secret, `${large} ${secret}`, ...Array.from({ length: 50 }, (_, at) => `text ${at}`)];
    const envelopes = await tenon.callMany(texts.map((text) => ({ name: "echo", arguments: { text } })));
    expect(files(fixture.stateDir)).not.toContain(secret);
    const record = await tenon.audit.get(envelopes[1]?.callId ?? "");
    expect(record?.resultDigest?.bytes).toBeGreaterThan(50_000);
    expect(record?.result).toEqual({ text: `${large} [redacted]` });
    expect(await tenon.audit.search({ limit: 1000 })).toHaveLength(52);
  });

  it("writes nothing where the configuration wants no log, and leaves nothing where nothing is to last", async () => {
    const fixture = createFixture();
    const off = open(
      { tools: [echo], config: { stateDir: fixture.stateDir, audit: { enabled: false } } },
      fixture,
    );
    await off.call({ name: "echo", arguments: { text: "hi" } });
    expect(await off.audit.search()).toEqual([]);
    const memory = open(
      { tools: [echo], config: { stateDir: fixture.stateDir, database: ":memory:" } },
      fixture,
    );
    await memory.call({ name: "echo", arguments: { text: "hi" } });
    expect(await memory.audit.search()).toHaveLength(1);
    const dir = await memory.audit.dir();
    await memory.close();
    expect(() => readdirSync(dir)).toThrow("ENOENT");
  });

  it.each(["default", "strict"] as const)(
    "changes nothing without a record (durability: %s), until records can be kept again",
    async (durability) => {
      const fixture = createFixture();
      let changes = 0;
      const change = defineTool({
        name: "change",
        description: "Change something.",
        category: "custom",
        input: z.object({}),
        execute: () => (changes++, "changed"),
      });
      const config = {
        stateDir: fixture.stateDir,
        durability,
        policy: { rules: [{ decision: "allow" as const, tool: "change" }] },
      };
      const tenon = open({ tools: [change, echo], config }, fixture);
      // A file stands where the folder of the log must be made.
      const dir = await tenon.audit.dir();
      mkdirSync(dirname(dir), { recursive: true });
      writeFileSync(dir, "in the way");
      const faults: string[] = [];
      tenon.on("AUDIT_FAULT", ({ message }) => faults.push(message));
      const first = await tenon.call({ name: "change", arguments: {} });
      expect(first).toFailWith("AUDIT_UNAVAILABLE");
      expect(first.metadata["auditFault"]).toContain("could not be stored");
      expect(faults).toHaveLength(1);
      expect(await tenon.call({ name: "change", arguments: {} })).toFailWith("AUDIT_UNAVAILABLE");
      expect(await tenon.call({ name: "echo", arguments: { text: "read" } })).toSucceed();
      expect(changes).toBe(0);
      rmSync(dir);
      const after = await tenon.call({ name: "change", arguments: {} });
      expect(after).toSucceed();
      expect(after.metadata).not.toHaveProperty("auditFault");
      expect(changes).toBe(1);
      expect(await tenon.audit.verify()).toMatchObject({ ok: true, records: 4 });
    },
  );

  it("tells of an agent that probes forbidden paths", async () => {
    const tenon = open();
    const alerts: string[] = [];
    tenon.on("AUDIT_ALERT", ({ kind }) => alerts.push(kind));
    for (const name of ["shadow", "passwd", "sudoers", "gshadow", "group"])
      await tenon.call({ name: "read_file", arguments: { path: `/etc/${name}` } });
    expect(alerts).toContain("probing");
    expect(tenon.audit.alerts()).toHaveLength(alerts.length);
  });
});
