import { describe, expect, it } from "vitest";
import type { CommandPaths, PathRuling } from "../../contract/session.js";
import { compileAccessRules, type SharedRules } from "./access-rules.js";

const shared: SharedRules = {
  workspace: "/ws",
  roots: ["/ws", "/data"],
  hidden: ["*.pem", "/data/secret"],
  fixed: [".config", "**/.git/**", "locked/**"],
  opened: ["locked/open"],
};

/** The policy's rules of a call, by what they say of a path as it is shown. */
function pathsOf(
  says: (shown: string, access: "read" | "write") => PathRuling["decision"] | undefined,
  more: Partial<CommandPaths> & { readonly below?: boolean } = {},
): CommandPaths {
  const { below = true, ...rest } = more;
  return {
    patterns: [],
    named: [],
    judge(shown, access) {
      const decision = says(shown, access);
      return decision && { decision, rule: "r", below };
    },
    ...rest,
  };
}

const open = { read: "open", write: "open", git: false };

describe("what a command may do with a path", () => {
  const rules = compileAccessRules(shared)();
  const judge = (path: string) => rules.judge(path, path.slice(path.lastIndexOf("/") + 1));

  it.each([
    ["/ws/a", { ...open, below: true }],
    ["/ws/key.pem", { read: "hidden", write: "fixed", git: false, below: true }],
    ["/data/x/key.pem", { read: "hidden", write: "fixed", git: false, below: true }],
    ["/data/secret/x", { read: "hidden", write: "fixed", git: false, below: true }],
    ["/ws/.config/x", { read: "open", write: "fixed", git: false, below: false }],
    // Writable by exception, and the folder around it is judged path by path.
    ["/ws/locked", { read: "open", write: "fixed", git: false, below: false }],
    ["/ws/locked/open/x", { ...open, below: true }],
    // Git has to work in it: other code protects what git runs.
    ["/ws/.git", { ...open, git: true, below: false }],
    ["/ws/.gitx", { ...open, below: true }],
    ["/ws/.env", { ...open, below: true }],
  ])("%s", (path, expected) => {
    expect(judge(path)).toEqual(expected);
  });

  it("knows which protected paths a person opened", () => {
    expect(rules.isOpened("/ws/locked/open/x")).toBe(true);
    expect(rules.isOpened("/ws/locked")).toBe(false);
    expect(rules.isOpened("/data/locked/open")).toBe(false);
  });

  it("says the same of all below a fixed path where nothing can differ there", () => {
    const plain = compileAccessRules({ ...shared, hidden: [], opened: [] })();
    expect(plain.judge("/ws/locked", "locked")).toMatchObject({ write: "fixed", below: true });
    expect(plain.judge("/ws/.git", ".git")).toMatchObject({ git: true, below: true });
  });

  it("screens names without missing one that a rule is about", () => {
    for (const name of ["key.pem", "KEY.PEM", ".config", ".git", "secret", "locked"])
      expect(rules.mayMatch(name)).toBe(true);
    expect(rules.mayMatch("readme.md")).toBe(false);
    expect(rules.mayMatch(".env")).toBe(false);
  });
});

describe("the rules of a call", () => {
  const forCall = compileAccessRules(shared);
  const judge = (paths: CommandPaths, path: string) =>
    forCall(paths).judge(path, path.slice(path.lastIndexOf("/") + 1));

  it("hide what may not be read, or not without consent, and fix what may not be written", () => {
    const says = (shown: string, access: string) =>
      ({ "read deny": "deny", "read ask": "ask", "write deny": "deny", "write ask": "ask" } as const)[
        `${access} ${shown}` as "read deny"
      ];
    const paths = pathsOf(says);
    expect(judge(paths, "/ws/deny")).toEqual({ read: "hidden", write: "fixed", git: false, below: true });
    expect(judge(paths, "/ws/ask")).toEqual({ read: "consent", write: "fixed", git: false, below: true });
    expect(judge(paths, "/ws/other")).toEqual({ ...open, below: true });
    const allowing = pathsOf(() => "allow");
    expect(judge(allowing, "/ws/x")).toEqual({ ...open, below: true });
  });

  it("ask by the path in the workspace, which is a dot itself, and by absolute paths elsewhere", () => {
    const asked: string[] = [];
    const paths = pathsOf((shown, access) => {
      asked.push(`${access} ${shown}`);
      return undefined;
    });
    const rules = forCall(paths);
    asked.length = 0;
    for (const path of ["/ws/a/b", "/ws", "/data/x"]) rules.judge(path, "x");
    expect(asked).toEqual(["read a/b", "write a/b", "read .", "write .", "read /data/x", "write /data/x"]);
  });

  it("take what the command names as consented to, with all below it", () => {
    const ask = pathsOf((shown) => (shown === "." ? undefined : "ask"), { named: ["/ws/a"] });
    expect(judge(ask, "/ws/a")).toMatchObject(open);
    expect(judge(ask, "/ws/a/b")).toMatchObject(open);
    expect(judge(ask, "/ws/ab")).toMatchObject({ read: "consent", write: "fixed" });
    const deny = pathsOf((shown) => (shown === "." ? undefined : "deny"), { named: ["/ws/a"] });
    expect(judge(deny, "/ws/a")).toMatchObject({ read: "hidden", write: "fixed" });
  });

  it("look further below a path that differs there", () => {
    const ask = pathsOf((shown) => (shown === "." ? undefined : "ask"), { named: ["/ws/a/b"] });
    expect(judge(ask, "/ws/a").below).toBe(false);
    expect(judge(ask, "/ws/c").below).toBe(true);
    expect(
      judge(
        pathsOf((shown) => (shown === "c" ? "deny" : undefined), { below: false }),
        "/ws/c",
      ).below,
    ).toBe(false);
    const write = pathsOf((shown, access) => (access === "write" && shown === "c" ? "deny" : undefined), {
      below: false,
    });
    expect(judge(write, "/ws/c")).toMatchObject({ read: "open", write: "fixed", below: false });
  });

  it("hide names of secrets from a command that runs unasked, but not in dependencies and git's own data", () => {
    const unasked = pathsOf(() => undefined, { unasked: { bases: ["/ws"] } });
    expect(judge(unasked, "/ws/.env")).toMatchObject({ read: "secret", write: "open" });
    expect(judge(unasked, "/ws/node_modules/x/.env")).toMatchObject({ read: "open" });
    expect(judge(unasked, "/ws/.git/.env")).toMatchObject({ read: "open" });
    expect(forCall(unasked).mayMatch(".env")).toBe(true);
    expect(
      judge(
        pathsOf(() => undefined),
        "/ws/.env",
      ),
    ).toMatchObject({ read: "open" });
    // What a rule says comes first.
    const asking = pathsOf((shown) => (shown === ".env" ? "ask" : undefined), { unasked: { bases: [] } });
    expect(judge(asking, "/ws/.env")).toMatchObject({ read: "consent" });
  });

  it("apply to every name where they cover a whole root", () => {
    for (const access of ["read", "write"]) {
      const rules = forCall(
        pathsOf((shown, asked) => (shown === "." && asked === access ? "ask" : undefined)),
      );
      expect(rules.mayMatch("readme.md")).toBe(true);
      expect(rules.hidesAnywhere).toBe(true);
      expect(rules.searchesPackages).toBe(true);
    }
  });

  it("have a key that differs where they may match other names", () => {
    const none = pathsOf(() => undefined);
    const keys = [
      forCall().key,
      forCall(pathsOf(() => undefined, { patterns: ["a/*.key"] })).key,
      forCall(pathsOf(() => undefined, { patterns: ["a", "b"] })).key,
      forCall(pathsOf(() => undefined, { unasked: { bases: [] } })).key,
      forCall(pathsOf((shown) => (shown === "." ? "ask" : undefined))).key,
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(forCall(none).key).toBe(forCall().key);
    expect(forCall(pathsOf(() => undefined, { patterns: ["a/*.key"] })).mayMatch("x.key")).toBe(true);
    expect(forCall(none).mayMatch("x.key")).toBe(false);
  });

  it.each([
    ["*.pem", true, true],
    ["secret", true, true],
    ["**/x", true, true],
    ["{a,b}/x", true, true],
    ["a/b", false, false],
    ["/data/*.pem", false, false],
    ["a/node_modules/x", false, true],
  ])("with the pattern %s hide anywhere: %s, and search packages: %s", (pattern, anywhere, packages) => {
    const rules = compileAccessRules({ ...shared, hidden: [] })(
      pathsOf(() => undefined, { patterns: [pattern] }),
    );
    expect([rules.hidesAnywhere, rules.searchesPackages]).toEqual([anywhere, packages]);
    const ofAll = compileAccessRules({ ...shared, hidden: [pattern] })();
    expect([ofAll.hidesAnywhere, ofAll.searchesPackages]).toEqual([anywhere, packages]);
  });

  it.each(["a/..", "/", "./"])("screen every name for %s, which names a root", (pattern) => {
    expect(forCall(pathsOf(() => undefined, { patterns: [pattern] })).mayMatch("any")).toBe(true);
  });

  it("resolve dots in a pattern before its last name counts", () => {
    const rules = forCall(pathsOf(() => undefined, { patterns: ["a/x/../b/."] }));
    expect(rules.mayMatch("b")).toBe(true);
    expect(rules.mayMatch("x")).toBe(false);
  });
});
