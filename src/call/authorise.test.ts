import { describe, expect, it } from "vitest";
import {
  type ApprovalRequest,
  type PermissionResult,
  type TenonOptions,
  ToolExecutionError,
  ToolPermissionError,
} from "../index.js";
import { dangerous, open, tool, watch, wipeAll } from "../../test/spine-fixture.js";

describe("a tool that prepares", () => {
  it("is judged by what it says it will touch after that, and does it once a call", async () => {
    const known = new Set<object>();
    const prepared: string[] = [];
    const { ran, wipe } = dangerous({
      annotations: { readOnly: true },
      async prepare(input: { what: string }) {
        if (prepared.push(input.what) > 5) throw new Error("asked without end");
        await Promise.resolve();
        known.add(input);
      },
      resources: (input: { what: string }) => ({ reads: known.has(input) ? [{ path: input.what }] : [] }),
    });
    const session = open({
      tools: [wipe],
      config: { policy: { rules: [{ decision: "deny", tool: "wipe", path: "secret.txt" }] } },
    }).createSession();
    const wipeFile = (what: string) => ({ name: "wipe", arguments: { what } });
    const [secret, plain] = [wipeFile("secret.txt"), wipeFile("open.txt")] as const;
    expect(await session.explain(secret)).toMatchObject({ decision: "deny" });
    expect(await session.call(secret)).toFailWith("ACCESS_DENIED");
    expect(await session.explain(plain)).toMatchObject({ decision: "allow" });
    expect(await session.call(plain)).toSucceed();
    expect(ran).toEqual([{ what: "open.txt" }]);
    expect(prepared).toEqual(["secret.txt", "secret.txt", "open.txt", "open.txt"]);
  });
});

describe("a tool's own check", () => {
  const checked = (check: () => unknown, options: TenonOptions = {}, annotations = {}) => {
    const { ran, wipe } = dangerous({
      annotations: { readOnly: true, ...annotations },
      checkPermissions: check,
    });
    const tenon = open({ tools: [wipe], ...options });
    return { ran, tenon, call: () => tenon.call(wipeAll) };
  };

  it("that allows lets an allowed call through", async () => {
    const { call, ran } = checked(() => ({ behavior: "allow" }));
    expect(await call()).toSucceed();
    expect(ran).toHaveLength(1);
  });

  it("that denies refuses, with its own words", async () => {
    const { call, ran } = checked(() => ({ behavior: "deny", message: "not on Sundays" }));
    const { error, metadata } = await call();
    expect(error).toMatchObject({ type: "ToolPermissionError", code: "ACCESS_DENIED" });
    expect(error?.message).toBe("Access denied: not on Sundays");
    expect(metadata.decision).toMatchObject({ behavior: "deny", source: "tool" });
    expect(ran).toEqual([]);
  });

  it("cannot allow what the policy asks about or denies", async () => {
    const asks = checked(() => ({ behavior: "allow" }), {}, { readOnly: false, dangerous: true });
    expect(await asks.call()).toFailWith("APPROVAL_UNAVAILABLE");
    const denies = checked(() => ({ behavior: "allow" }), {
      config: { policy: { rules: [{ decision: "deny", tool: "wipe" }] } },
    });
    expect(await denies.call()).toFailWith("ACCESS_DENIED");
    expect([...asks.ran, ...denies.ran]).toEqual([]);
  });

  const garbage: [string, () => unknown][] = [
    ["undefined", () => undefined],
    ["null", () => null],
    ["true", () => true],
    ["'allow'", () => "allow"],
    ["an empty object", () => ({})],
    ["an unknown word", () => ({ behavior: "Allow" })],
    ["a list", () => ["allow"]],
    [
      "a throwing getter",
      () => ({
        get behavior() {
          throw new Error("x");
        },
      }),
    ],
    ["a promise of nothing", () => Promise.resolve()],
    ["a message that is not a string", () => ({ behavior: "deny", message: { a: 1 } })],
    [
      "a revoked proxy",
      () => {
        const p = Proxy.revocable({}, {});
        p.revoke();
        return p.proxy;
      },
    ],
  ];

  it.each(garbage)("that answers %s denies", async (_, answer) => {
    const { call, ran } = checked(answer);
    const { error } = await call();
    expect(error).toMatchObject({ type: "ToolPermissionError" });
    expect(error?.message).toMatch(/^Access denied: /);
    expect(ran).toEqual([]);
  });

  it("that throws or rejects denies; what it throws of its own kind stands", async () => {
    for (const check of [
      () => {
        throw new Error("boom");
      },
      () => Promise.reject(new Error("boom")),
      // oxlint-disable-next-line typescript/only-throw-error
      () => {
        throw null;
      },
      () => {
        throw new ToolExecutionError("boom");
      },
      () => {
        throw new ToolPermissionError("boom");
      },
    ]) {
      const { call, ran } = checked(check);
      expect((await call()).error?.type).toBe("ToolPermissionError");
      expect(ran).toEqual([]);
    }
  });

  it("that never answers ends with the time limit, and with cancellation", async () => {
    const { ran, wipe } = dangerous({
      annotations: { readOnly: true },
      timeoutMs: 30,
      checkPermissions: () => new Promise<PermissionResult>(() => {}),
    });
    const tenon = open({ tools: [wipe] });
    expect(await tenon.call(wipeAll)).toFailWith("TIMED_OUT");
    const cancel = new AbortController();
    const running = tenon.call({ ...wipeAll, timeoutMs: 60_000, signal: cancel.signal });
    cancel.abort();
    expect(await running).toFailWith("CANCELLED");
    expect(ran).toEqual([]);
  });

  it("can change the input, which is validated and judged again", async () => {
    const changed = checked(() => ({ behavior: "allow", updatedInput: { what: "a little" } }));
    await changed.call();
    expect(changed.ran).toEqual([{ what: "a little" }]);
    const wrong = checked(() => ({ behavior: "allow", updatedInput: { what: 5 } }));
    expect((await wrong.call()).error?.type).toBe("ToolValidationError");
    const alien = checked(() => ({ behavior: "allow", updatedInput: { what: () => 1 } }));
    expect(await alien.call()).not.toSucceed();
    expect([...wrong.ran, ...alien.ran]).toEqual([]);
    // More than a caller may pass: the files of a large command, for example.
    const what = "x".repeat(11 * 1024 * 1024);
    const large = checked(() => ({ behavior: "allow", updatedInput: { what } }));
    await large.call();
    expect(large.ran).toEqual([{ what }]);
  });

  it("that changes the input into something denied is refused", async () => {
    const { ran, wipe } = dangerous({
      annotations: { readOnly: true },
      resources: ({ what }: { what: string }) => ({ reads: [{ path: what }] }),
      checkPermissions: () => ({ behavior: "allow", updatedInput: { what: "secret.txt" } }),
    });
    const tenon = open({
      tools: [wipe],
      config: { policy: { rules: [{ decision: "deny", tool: "wipe", path: "secret.txt" }] } },
    });
    expect(await tenon.call({ name: "wipe", arguments: { what: "open.txt" } })).toFailWith("ACCESS_DENIED");
    expect(ran).toEqual([]);
  });

  it("that asks is put to the person, each time again", async () => {
    const asked: ApprovalRequest[] = [];
    const { call, ran } = checked(() => ({ behavior: "ask", message: "Sure?" }), {
      interact: { approve: (request) => (asked.push(request), { verdict: "always" }) },
    });
    expect(await call()).toSucceed();
    expect(await call()).toSucceed();
    expect(asked.map(({ reason }) => reason)).toEqual(["Sure?", "Sure?"]);
    expect(ran).toHaveLength(2);
  });

  it("that asks is denied in unattended mode, though somebody could be asked", async () => {
    let asked = 0;
    const { call, ran } = checked(() => ({ behavior: "ask" }), {
      config: { mode: "unattended" },
      interact: { approve: () => (asked++, true) },
    });
    expect(await call()).toFailWith("APPROVAL_UNAVAILABLE");
    expect([asked, ran.length]).toEqual([0, 0]);
  });
});

describe("a refusal", () => {
  const refusalBy = async (options: TenonOptions, members: object = {}) => {
    const { wipe } = dangerous(members);
    const { error, metadata } = await open({ tools: [wipe], ...options }).call(wipeAll);
    return { hint: error?.hint, details: error?.details, decision: metadata.decision };
  };

  it("names the rule, and who can change it", async () => {
    const rules = [{ id: "no-wiping", decision: "deny" as const, tool: "wipe" }];
    expect(await refusalBy({ config: { policy: { rules } } })).toMatchObject({
      hint: 'The rule "no-wiping" (command-line) decided this; a person can change it.',
      details: { rule: "no-wiping", source: "command-line" },
      decision: { behavior: "deny", rule: "no-wiping" },
    });
  });

  it("by the tool itself names the tool, with words of its own where it has none", async () => {
    const refused = async (answer: object) =>
      refusalBy({}, { checkPermissions: () => answer, annotations: {} });
    const own = { rule: "tool:wipe", source: "tool" };
    expect(await refused({ behavior: "deny", message: "" })).toEqual({
      hint: 'The rule "tool:wipe" (tool) decided this; a person can change it.',
      details: own,
      decision: { ...own, behavior: "deny", reason: "the tool's own check" },
    });
    expect(await refused({ behavior: "perhaps", message: "mine" })).toMatchObject({
      decision: { behavior: "deny", reason: "the tool's own check returned no valid behavior" },
    });
  });

  it("in unattended mode says that nobody is asked, and that no rule helps where the tool asks", async () => {
    const unattended = { config: { mode: "unattended" as const } };
    const asks = { annotations: {}, checkPermissions: () => ({ behavior: "ask", message: "Sure?" }) };
    expect(await refusalBy(unattended, asks)).toMatchObject({
      hint: "The tool itself wants a person's consent, which no rule replaces: run it in another mode.",
      decision: { behavior: "deny", source: "tool", reason: "Sure?; in unattended mode nobody is asked" },
    });
  });
});

describe("the stricter of policy and tool", () => {
  const rules = [{ id: "two", decision: "ask" as const, tool: "wipe", approvals: 2 }];

  it("decides, and of two that ask the one that wants more people", async () => {
    const { wipe } = dangerous({ checkPermissions: () => ({ behavior: "ask", message: "Sure?" }) });
    const session = open({ tools: [wipe], config: { policy: { rules } } }).createSession();
    expect(await session.explain(wipeAll)).toMatchObject({ decision: "ask", rule: "two" });
    const one = open({ tools: [wipe] }).createSession();
    // Where both ask the same, the policy's reason stands.
    expect(await one.explain(wipeAll)).toMatchObject({
      decision: "ask",
      rule: expect.not.stringContaining("tool:"),
    });
    const plain = dangerous({
      annotations: {},
      checkPermissions: () => ({ behavior: "ask", message: "Sure?" }),
    }).wipe;
    expect(
      await open({ tools: [plain] })
        .createSession()
        .explain(wipeAll),
    ).toMatchObject({
      decision: "ask",
      rule: "tool:wipe",
      reason: "Sure?",
    });
  });

  it("is found again for an input that the tool changed, by what that touches", async () => {
    const { ran, wipe } = dangerous({
      annotations: {},
      resources: ({ what }: { what: string }) => ({ writes: [{ path: what }] }),
      checkPermissions: ({ what }: { what: string }) => ({
        behavior: "allow",
        updatedInput: { what: what.replace("old", "new") },
      }),
    });
    const tenon = open({
      tools: [wipe],
      config: { policy: { rules: [{ id: "allow-old", decision: "allow", tool: "wipe", path: "old*" }] } },
    });
    const call = (what: string) => tenon.call({ name: "wipe", arguments: { what } });
    expect(await call("older")).toFailWith("APPROVAL_UNAVAILABLE");
    expect(await call("old")).toFailWith("APPROVAL_UNAVAILABLE");
    expect(ran).toEqual([]);
  });
});

describe("preparing", () => {
  const preparing = (prepare: () => unknown, members: object = {}) =>
    open({ tools: [dangerous({ annotations: { readOnly: true }, prepare, ...members }).wipe] }).call(wipeAll);

  it("that fails is a fault of the tool, unless its error says what it is", async () => {
    expect(await preparing(() => Promise.reject(new Error("no line")))).toFailWith("INTERNAL", {
      message: '"wipe" could not say what it will touch: no line',
      hint: "The tool's resources() and shellLine() must not throw for valid input.",
    });
    const own = new ToolPermissionError("not this one");
    expect(await preparing(() => Promise.reject(own))).toFailWith("ACCESS_DENIED");
  });

  it("that never ends is over with the time limit", async () => {
    expect(await preparing(() => new Promise(() => {}), { timeoutMs: 20 })).toFailWith("TIMED_OUT");
  });

  it("is not waited for where nothing has to be prepared", async () => {
    expect(await preparing(() => undefined)).toSucceedWith("wiped");
  });
});

describe("the mode", () => {
  const modes = ["read-only", "ask", "auto", "unattended"] as const;

  it.each(modes)("%s decides what runs unasked", async (mode) => {
    let asked = 0;
    const plain = (name: string, annotations: object, more: object = {}) =>
      tool(name, { annotations, execute: () => name, ...more });
    const tenon = open({
      config: { mode },
      interact: { approve: () => (asked++, true) },
      tools: [
        plain("reader", { readOnly: true }),
        plain("state", {}),
        plain("danger", { dangerous: true }),
        plain(
          "writer",
          { dangerous: true },
          { category: "file", resources: () => ({ writes: [{ path: "a.txt" }] }) },
        ),
      ],
    });
    const outcome: Record<string, string> = {};
    for (const name of ["reader", "state", "danger", "writer"]) {
      const before = asked;
      const { success, error } = await tenon.call({ name });
      outcome[name] = success ? (asked > before ? "asked" : "ran") : (error?.code ?? "");
    }
    expect(outcome).toEqual(
      {
        "read-only": {
          reader: "ran",
          state: "ACCESS_DENIED",
          danger: "ACCESS_DENIED",
          writer: "ACCESS_DENIED",
        },
        ask: { reader: "ran", state: "ran", danger: "asked", writer: "asked" },
        auto: { reader: "ran", state: "ran", danger: "asked", writer: "ran" },
        unattended: {
          reader: "ran",
          state: "ran",
          danger: "APPROVAL_UNAVAILABLE",
          writer: "APPROVAL_UNAVAILABLE",
        },
      }[mode],
    );
  });

  it("unattended names the rule that would allow what it denies", async () => {
    const { wipe } = dangerous();
    const tenon = open({ tools: [wipe], config: { mode: "unattended" } });
    const { error } = await tenon.call(wipeAll);
    expect(error?.hint).toContain('"wipe"');
    const rule = JSON.parse(/\{.*\}/.exec(error?.hint ?? "")?.[0] ?? "{}") as never;
    const allowed = open({ tools: [wipe], config: { mode: "unattended", policy: { rules: [rule] } } });
    expect(await allowed.call(wipeAll)).toSucceed();
  });
});

describe("explain", () => {
  it("says what would be decided, asks nobody and runs nothing", async () => {
    let asked = 0;
    const { ran, wipe } = dangerous();
    const tenon = open({ tools: [wipe], interact: { approve: () => (asked++, true) } });
    const events = watch(tenon);
    const session = tenon.createSession();
    expect(await session.explain(wipeAll)).toMatchObject({ decision: "ask", source: "built-in" });
    expect(await session.explain({ name: "nope" })).toMatchObject({
      decision: "deny",
      rule: "spine:TOOL_NOT_FOUND",
    });
    expect(await session.explain({ name: "wipe", arguments: { what: 1 } })).toMatchObject({
      decision: "deny",
    });
    expect(await session.explain(null as never)).toMatchObject({ decision: "deny" });
    expect([asked, ran.length, events.length]).toEqual([0, 0, 0]);
    expect(tenon.stats().peakRunning).toBe(0);
  });

  it("offers the rule that would allow what is asked about, but none for what a guard refuses", async () => {
    const tenon = open({ config: { files: { forbiddenPaths: ["secret"] } } });
    const explain = (path: string) =>
      tenon
        .createSession()
        .explain({ name: "write_file", arguments: { path, content: "" } }, { considered: true });
    const asked = await explain("a.txt");
    expect(asked).toMatchObject({ decision: "ask", allowRule: { decision: "allow", path: "a.txt" } });
    const refused = await explain("secret/a.txt");
    expect(refused).toMatchObject({ decision: "deny" });
    expect(refused).not.toHaveProperty("allowRule");
    expect(await explain("../outside.txt")).not.toHaveProperty("allowRule");
  });
});
