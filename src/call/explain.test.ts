import { describe, expect, it } from "vitest";
import type { ExplainOptions } from "./explain.js";
import { dangerous, open, tool, wipeAll } from "../../test/spine-fixture.js";
import { runLine, runTool } from "./shell-line.fixture.js";

type Rules = readonly object[];

function start(rules: Rules = [], members: object = {}) {
  const { run, seen } = runTool();
  const { wipe, ran } = dangerous(members);
  const look = tool("look", { resources: (input) => input as object, execute: () => "looked" });
  const asked: unknown[] = [];
  const tenon = open({
    tools: [run, wipe, look],
    config: { policy: { rules: rules as never } },
    interact: { approve: (request) => (asked.push(request), true) },
  });
  const session = tenon.createSession();
  const line = (text: string, options: ExplainOptions = {}) => session.explain(runLine(text), options);
  return { session, line, seen, ran, asked };
}

describe("an explanation", () => {
  it("says what would be decided, and neither asks nor runs", async () => {
    const { session, ran, asked } = start([{ id: "no", decision: "deny", tool: "look" }]);
    expect(await session.explain(wipeAll)).toEqual({
      decision: "ask",
      rule: expect.any(String),
      source: "built-in",
      reason: expect.stringContaining("wipe"),
    });
    expect(await session.explain({ name: "look" })).toMatchObject({ decision: "deny", rule: "no" });
    expect([ran, asked]).toEqual([[], []]);
  });

  it.each<[object, string, string]>([
    [{ name: "nope" }, "spine:TOOL_NOT_FOUND", "nope"],
    [{ name: "wipe", arguments: {} }, "spine:ARGUMENTS_INVALID", "what"],
    [{ name: "wipe", arguments: { what: "x" }, extra: 1 }, "spine:REQUEST_INVALID", "extra"],
  ])("of %j is that it cannot work", async (request, rule, word) => {
    const { session } = start();
    expect(await session.explain(request as never)).toEqual({
      decision: "deny",
      rule,
      source: "spine",
      reason: expect.stringContaining(word),
    });
  });

  it("tells what the guards refuse as their decision", async () => {
    const { session } = start();
    const outside = { name: "look", arguments: { reads: [{ path: "/etc/passwd" }] } };
    expect(await session.explain(outside)).toMatchObject({
      decision: "deny",
      rule: "guard:PATH_OUTSIDE",
      source: "guard",
    });
    const full = await session.explain(outside, { considered: true });
    expect(full.hint).toEqual(expect.any(String));
    expect(full).not.toHaveProperty("allowRule");
    expect(full).not.toHaveProperty("liftedBy");
  });

  it("tells more only where more is wanted", async () => {
    const { session } = start([{ id: "mine", decision: "ask", tool: "wipe" }]);
    const brief = await session.explain(wipeAll);
    for (const more of ["considered", "hint", "allowRule", "commands", "changes"])
      expect(brief).not.toHaveProperty(more);
    const full = await session.explain(wipeAll, { considered: true });
    expect(full.considered?.map(({ id, source }) => [id, source])).toContainEqual(["mine", "command-line"]);
    expect(full.allowRule).toMatchObject({ decision: "allow", tool: "wipe" });
  });

  it("names a rule that would allow the call only where one can", async () => {
    const allowed = await start([{ decision: "allow", tool: "wipe" }]).session.explain(wipeAll, {
      considered: true,
    });
    expect([allowed.decision, allowed.allowRule]).toEqual(["allow", undefined]);
    // No rule replaces the consent that a tool asks for itself.
    const asks = { annotations: {}, checkPermissions: () => ({ behavior: "ask", message: "Sure?" }) };
    const own = await start([{ decision: "allow", tool: "wipe" }], asks).session.explain(wipeAll, {
      considered: true,
    });
    expect([own.decision, own.source, own.allowRule]).toEqual(["ask", "tool", undefined]);
  });
});

describe("an explanation of a line", () => {
  it("has the verdict on each command", async () => {
    const { line, session } = start([{ id: "yes", decision: "allow", command: "make" }]);
    const { commands } = await line("make && npm publish");
    expect(commands?.map(({ decision }) => decision)).toEqual(["allow", "ask"]);
    expect(await session.explain(wipeAll)).not.toHaveProperty("commands");
  });

  it("judges the paths that it changed, as their commit would", async () => {
    const { line, session } = start([
      { id: "no", decision: "deny", path: "dist/**" },
      { id: "hmm", decision: "ask", path: "docs/**" },
      { id: "read", decision: "deny", path: "in/**", access: "read" },
      { id: "yes", decision: "allow", path: "src/**" },
    ]);
    const changes = ["src/a", "dist/a", "docs/a", "in/a", "other"];
    expect((await line("make", { changes })).changes).toEqual([
      { path: "dist/a", decision: "deny", rule: "no" },
      { path: "docs/a", decision: "ask", rule: "hmm" },
    ]);
    expect(await line("make", { changes: ["src/a"] })).not.toHaveProperty("changes");
    expect(await line("make", { changes: [] })).not.toHaveProperty("changes");
    // What does not run a line changes nothing by one.
    expect(await session.explain(wipeAll, { changes })).not.toHaveProperty("changes");
  });

  it("says what rule would allow it, with what it reads against a rule", async () => {
    const { line } = start([{ id: "hmm", decision: "ask", path: "secret/**" }]);
    const plain = await line("make all", { considered: true });
    expect(plain.allowRule).toMatchObject({ decision: "allow", command: "make all" });
    const reading = await line("cat secret/a b", { considered: true });
    expect(reading.decision).toBe("ask");
    expect(JSON.stringify(reading.allowRule)).toContain("secret/a");
    expect(JSON.stringify(reading.allowRule)).not.toContain('"b"');
  });

  it("offers no lasting rule for what an interpreter would run, but one that covers it where the person's own rule asks", async () => {
    const shell = "make all | sh";
    expect((await start().line(shell, { considered: true })).allowRule).toBeUndefined();
    const own = start([{ id: "mine", decision: "ask", tool: "run" }]);
    expect((await own.line(shell, { considered: true })).allowRule).toMatchObject({ decision: "allow" });
  });
});
