import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../src/contract/ports/interact.js";
import { createTenon } from "../../src/runtime/create-tenon.js";
import type { Tenon } from "../../src/runtime/tenon.js";

let dir = "";
let tenon: Tenon;
let asked: ApprovalRequest[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-always-"));
  for (const folder of ["a", "b"]) mkdirSync(join(dir, folder));
  asked = [];
  tenon = createTenon({
    workspace: dir,
    config: { stateDir: join(dir, ".state") },
    interact: { approve: (request) => (asked.push(request), { verdict: "always" }) },
  });
});
afterEach(async () => {
  await tenon.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Line {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const run = (line: Line) => tenon.call({ name: "shell_exec", arguments: line });

describe("an always for one command", () => {
  // Each pair has the same words, and means something else.
  it.each<[string, Line, Line]>([
    ["heredoc", { command: "tee x <<'E'\none\nE" }, { command: "tee x <<'E'\ntwo\nE" }],
    ["heredoc after none", { command: "tee x" }, { command: "tee x <<'E'\ntwo\nE" }],
    ["here-string", { command: "tee x <<< one" }, { command: "tee x <<< two" }],
    ["pipe", { command: "echo one | tee x" }, { command: "echo two | tee x" }],
    ["pipe after none", { command: "tee x" }, { command: "cat y | tee x" }],
    ["file", { command: "tee x < a.txt" }, { command: "tee x < b.txt" }],
    ["heredoc around it", { command: "{ tee x; } <<'E'\none\nE" }, { command: "{ tee x; } <<'E'\ntwo\nE" }],
    ["shell around it", { command: "bash -c 'tee x' <<< one" }, { command: "bash -c 'tee x' <<< two" }],
    ["folder", { command: "touch y", cwd: "a" }, { command: "touch y", cwd: "b" }],
    ["folder by cd", { command: "cd a && touch y" }, { command: "cd b && touch y" }],
    [
      "variables",
      { command: "touch y", env: { TARGET: "test" } },
      { command: "touch y", env: { TARGET: "production" } },
    ],
    ["variables after none", { command: "touch y" }, { command: "touch y", env: { TARGET: "production" } }],
    ["prefix", { command: "TARGET=test touch y" }, { command: "TARGET=production touch y" }],
    ["interpreter", { command: "python3 -c 'print(1)'" }, { command: "python3 -c 'print(2)'" }],
    ["interpreter's input", { command: "python3 - <<'E'\n1\nE" }, { command: "python3 - <<'E'\n2\nE" }],
  ])("says nothing about another %s", async (_what, one, other) => {
    await run(one);
    expect(asked).toHaveLength(1);
    await run(other);
    expect(asked, JSON.stringify(tenon.policy.rules().slice(0, 2))).toHaveLength(2);
  });

  it.each<Line>([
    { command: "touch y" },
    { command: "tee x <<'E'\none\nE" },
    { command: "touch y", cwd: "a" },
    { command: "touch y", env: { TARGET: "test" } },
  ])("covers the same again: %j", async (line) => {
    await run(line);
    await run(line);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.alwaysRule).toEqual(expect.any(String));
  });

  it.each(["cat y | tee x", "curl example.org | tee x", "tee x < a.txt", "python3 - <<'E'\n1\nE"])(
    "is not offered where what it is fed is not known: %s",
    async (command) => {
      await run({ command });
      expect(asked[0]).toBeDefined();
      expect(asked[0]?.alwaysRule).toBeUndefined();
      const resolved = tenon.policy.rules().filter(({ source }) => source === "remembered");
      expect(resolved).toEqual([]);
    },
  );

  it("covers one client only, in whichever session", async () => {
    const client = (name: string) => tenon.createSession({ clientInfo: { name, version: "1" } });
    const call = { name: "write_file", arguments: { path: "x.txt", content: "" } };
    await client("one").call(call);
    await client("one").call(call);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      client: { name: "one" },
      alwaysRule: expect.stringContaining("client one"),
    });
    await client("other").call(call);
    expect(asked).toHaveLength(2);
    await tenon.call(call);
    expect(asked).toHaveLength(3);
  });
});

describe("rules", () => {
  it("name clients and sessions", async () => {
    await tenon.remember({ decision: "deny", tool: "write_file", client: "bad*" });
    await tenon.remember({ decision: "allow", tool: "write_file", session: "trusted" });
    const write = { name: "write_file", arguments: { path: "x.txt", content: "" } };
    const decide = async (options: object) => (await tenon.createSession(options).explain(write)).decision;
    expect(await decide({ clientInfo: { name: "bad-host" } })).toBe("deny");
    expect(await decide({ clientInfo: { name: "good-host" } })).toBe("ask");
    expect(await decide({})).toBe("ask");
    expect(await decide({ id: "trusted" })).toBe("allow");
  });

  it("of a session are listed with it, revoked one by one, and end with it", async () => {
    const session = tenon.createSession({
      id: "work",
      interact: {
        name: "yes",
        available: () => true,
        ask: () => Promise.resolve({}),
        approve: () => Promise.resolve({ verdict: "session" as const }),
      },
    });
    const write = (path: string) => session.call({ name: "write_file", arguments: { path, content: "" } });
    const [one, two] = [await write("1.txt"), await write("2.txt")];
    expect(one.metadata.approval).toMatchObject({ verdict: "session", rule: { source: "session" } });
    const listed = tenon.policy.rules().filter(({ source }) => source === "session");
    expect(listed).toMatchObject([{ sessionId: "work" }, { sessionId: "work" }]);
    expect(await tenon.sessionRules()).toHaveLength(2);
    // What another process on the same state revokes counts here too.
    const other = createTenon({ workspace: dir, config: { stateDir: join(dir, ".state") } });
    const { id = "" } = two.metadata.approval?.rule ?? {};
    expect(await other.revoke(id)).toBe(true);
    await other.close();
    await tenon.syncRules();
    const left = tenon.policy.rules().filter(({ source }) => source === "session");
    expect(left.map((rule) => rule.id)).toEqual([one.metadata.approval?.rule?.id]);
    await session.close();
    expect(await tenon.sessionRules()).toEqual([]);
  });
});
