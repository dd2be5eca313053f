import { describe, expect, it } from "vitest";
import { createTestClock } from "../src/tools/testing/context.js";
import { echo, open, tool } from "./spine-fixture.js";

describe("a session", () => {
  it("has an environment of its own, and the host's is out of reach", async () => {
    const tenon = open({ env: { PATH: "/bin", MY_TOKEN: "secret", PRIVATE: "x" } });
    const one = tenon.createSession({ env: { MINE: "1" } });
    const other = tenon.createSession();
    expect(await one.call({ name: "set_env", arguments: { key: "MY_COLOR", value: "red" } })).toSucceedWith({
      previous: null,
    });
    const get = async (session: typeof one, key: string) => {
      const { result, error } = await session.call({ name: "get_env", arguments: { key } });
      return (result as { value?: unknown } | undefined)?.value ?? error?.code ?? null;
    };
    expect(await get(one, "MY_COLOR")).toBe("red");
    expect(await get(one, "MINE")).toBe("1");
    expect(await get(one, "PATH")).toBe("/bin");
    expect(await get(other, "MY_COLOR")).toBeNull();
    expect(await get(one, "PRIVATE")).toBeNull();
    expect(await get(one, "MY_TOKEN")).toBe("SECRET_REFUSED");
    expect(process.env["MY_COLOR"]).toBeUndefined();
  });

  it("sees only its toolset; what is hidden is as unknown as what never was", async () => {
    const tenon = open({
      tools: [echo, tool("secret_tool", { aliases: ["sesame"], execute: () => 1 })],
      config: { toolsets: { small: ["echo", "get_e*"] } },
    });
    const session = tenon.createSession({ toolset: "small" });
    expect(await session.call({ name: "echo", arguments: { text: "a" } })).toSucceed();
    const hidden = await session.call({ name: "secret_tool" });
    const absent = await session.call({ name: "secret_tooz" });
    const alias = await session.call({ name: "sesame" });
    const version = await session.call({ name: "secret_tool@^1" });
    for (const answer of [hidden, absent, alias, version]) {
      expect(answer).toFailWith("TOOL_NOT_FOUND", { type: "ToolNotFoundError" });
      expect(answer.error?.hint).not.toContain("secret_tool");
    }
    expect(hidden.error?.message.replace("secret_tool", "?")).toBe(
      absent.error?.message.replace("secret_tooz", "?"),
    );
    expect(session.validate("secret_tool", {}).valid).toBe(false);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo", "get_env"]);
    expect(() => tenon.createSession({ toolset: "smal" })).toThrow("Unknown toolset");
  });

  it("cannot get more than tools.enabled and enabled per tool leave", async () => {
    const tenon = open({
      tools: [echo, tool("other", { execute: () => 1 })],
      config: { tools: { enabled: ["echo", "sleep"], perTool: { sleep: { enabled: false } } } },
    });
    expect(await tenon.call({ name: "echo", arguments: { text: "a" } })).toSucceed();
    expect(await tenon.call({ name: "other" })).toFailWith("TOOL_NOT_FOUND");
    expect(await tenon.call({ name: "sleep", arguments: { duration: 0 } })).toFailWith("TOOL_DISABLED");
  });

  it("spends its quotas: a minute, a task, a session, by tool and agent", async () => {
    const clock = createTestClock(1_000_000);
    const tenon = open({
      clock,
      tools: [echo, tool("free", { execute: () => 1 })],
      config: {
        tools: {
          quotas: [
            { tool: "echo", perMinute: 2 },
            { tool: "free", agent: "ada", perSession: 1 },
            { tool: "free", agent: "bob", perTask: 1 },
          ],
        },
      },
    });
    const say = () => tenon.call({ name: "echo", arguments: { text: "a" } });
    expect([(await say()).success, (await say()).success]).toEqual([true, true]);
    const spent = await say();
    expect(spent).toFailWith("QUOTA_SPENT", { type: "ToolUnavailableError" });
    expect(await tenon.call({ name: "echo", arguments: {} })).toFailWith("ARGUMENTS_INVALID");
    clock.advance(61_000);
    expect(await say()).toSucceed();

    const ada = tenon.createSession({ agent: "ada" });
    expect([(await ada.call({ name: "free" })).success, (await ada.call({ name: "free" })).success]).toEqual([
      true,
      false,
    ]);
    expect(await tenon.createSession({ agent: "ada" }).call({ name: "free" })).toSucceed();
    const bob = tenon.createSession({ agent: "bob" });
    const forTask = async (taskId: string) => (await bob.call({ name: "free", taskId })).success;
    expect([await forTask("1"), await forTask("1"), await forTask("2")]).toEqual([true, false, true]);
  });

  it("stays with its arm of an experiment", async () => {
    const arm = (version: string) => tool("split", { version, execute: () => version });
    const tenon = open({ tools: [arm("1.0.0"), arm("2.0.0")] });
    tenon.registry.experiment("split", [
      { version: "1.0.0", weight: 1 },
      { version: "2.0.0", weight: 1 },
    ]);
    const seen = new Set<unknown>();
    for (let index = 0; index < 40; index++) {
      const session = tenon.createSession({ id: `session-${index}` });
      const answers = await session.callMany([{ name: "split" }, { name: "split" }, { name: "split" }]);
      expect(new Set(answers.map(({ result }) => result)).size).toBe(1);
      expect(answers[0]?.metadata.version).toBe(answers[0]?.result);
      seen.add(answers[0]?.result);
    }
    expect(seen.size).toBe(2);
  });

  it("gets the version that its range asks for", async () => {
    const made = (version: string) => tool("many", { version, execute: () => version });
    const tenon = open({ tools: [made("1.2.0"), made("1.9.3"), made("2.0.0")] });
    const answers = await tenon.callMany(
      ["many", "many@^1", "many@1.2.0", "many@^3"].map((name) => ({ name })),
    );
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
      "2.0.0",
      "1.9.3",
      "1.2.0",
      "TOOL_NOT_FOUND",
    ]);
    expect(answers[3]?.error?.hint).toContain("1.9.3");
  });
});

describe("the configuration", () => {
  it("grants capabilities, to all or by agent", async () => {
    const need = tool("need", { capabilities: ["camera"], execute: () => 1 });
    expect(await open({ tools: [need] }).call({ name: "need" })).toFailWith("CAPABILITY_MISSING", {
      type: "ToolPermissionError",
    });
    expect(
      await open({ tools: [need], config: { capabilities: ["camera"] } }).call({ name: "need" }),
    ).toSucceed();
    const tenon = open({ tools: [need], config: { capabilities: { ada: ["camera"] } } });
    expect(await tenon.createSession({ agent: "ada" }).call({ name: "need" })).toSucceed();
    expect(await tenon.createSession({ agent: "bob" }).call({ name: "need" })).toFailWith(
      "CAPABILITY_MISSING",
    );
    const more = open({
      tools: [echo],
      config: { tools: { perTool: { echo: { permissions: { requiredCapabilities: ["voice"] } } } } },
    });
    expect(await more.call({ name: "echo", arguments: { text: "a" } })).toFailWith("CAPABILITY_MISSING");
  });

  it("caps by security level what runs at all, whatever the rules say", async () => {
    const high = tool("high", { securityLevel: "high", execute: () => 1 });
    const rules = { policy: { rules: [{ decision: "allow" as const, tool: "*" }] } };
    expect(
      await open({ tools: [high], config: { securityLevel: "medium", ...rules } }).call({ name: "high" }),
    ).toFailWith("SECURITY_LEVEL", { type: "ToolPermissionError" });
    expect(
      await open({ tools: [high], config: { securityLevel: "high", ...rules } }).call({ name: "high" }),
    ).toSucceed();
    const raised = open({
      tools: [echo],
      config: {
        securityLevel: "medium",
        tools: { perTool: { echo: { permissions: { securityLevel: "critical" } } } },
      },
    });
    expect(await raised.call({ name: "echo", arguments: { text: "a" } })).toFailWith("SECURITY_LEVEL");
  });

  it("hands each tool its own block, and settles its priority, limits and state", async () => {
    const show = tool("show", { execute: (_, ctx) => ctx.settings });
    const tenon = open({
      tools: [show, echo],
      config: {
        tools: {
          perTool: {
            show: { custom: { color: "red" }, priority: 7, timeout: 1234 },
            echo: { enabled: false },
          },
        },
      },
    });
    expect(await tenon.call({ name: "show" })).toSucceedWith({ color: "red" });
    const off = await tenon.call({ name: "echo", arguments: { text: "a" } });
    expect(off).toFailWith("TOOL_DISABLED");
    expect(off.error?.message).toContain("configuration");
    expect(await open({ tools: [show] }).call({ name: "show" })).toSucceedWith({});
  });

  it("decides by rules: by tool, agent, user and category of what is touched; the first that matches", async () => {
    const tenon = open({
      tools: [echo, tool("other", { execute: () => 1 })],
      config: {
        policy: {
          rules: [
            { decision: "deny", tool: "echo", agent: "mallory", reason: "not you" },
            { decision: "allow", tool: "echo" },
            { decision: "deny", tool: "*", user: "eve" },
          ],
        },
      },
    });
    const by = (options: object, name: string) =>
      tenon.createSession(options).call({ name, arguments: name === "echo" ? { text: "a" } : {} });
    expect((await by({ agent: "mallory" }, "echo")).error?.message).toContain("not you");
    expect(await by({ agent: "ada", userId: "eve" }, "echo")).toSucceed();
    expect(await by({ userId: "eve" }, "other")).toFailWith("ACCESS_DENIED");
    expect(await by({ userId: "bob" }, "other")).toSucceed();
  });

  it("of a workspace that is not there is refused with its name", () => {
    expect(() => open({ workspace: "/no/such/folder" })).toThrow('Workspace "/no/such/folder" not found');
  });

  it("with a mistake is refused with the nearest right key", () => {
    expect(() => open({ config: { toolz: {} } as never })).toThrow(/tools/);
    expect(() => open({ config: { mode: "aut" } as never })).toThrow(/auto/);
  });
});
