import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../command/analyse-command.js";
import type { ApprovalRequest } from "../contract/ports/interact.js";
import { open } from "../../test/spine-fixture.js";
import { commandLines } from "./shell-commands.js";
import { runLine, runTool } from "./shell-line.fixture.js";

const linesOf = (line: string): readonly string[] => commandLines(analyseCommand(line, { workspace: "/ws" }));

describe("the commands that a person is shown", () => {
  it("are all commands of the line, each once", () => {
    expect(linesOf("make; make && make test")).toEqual(["make", "make test"]);
  });

  it("are 50, and how many more there are", () => {
    const many = (count: number): string => Array.from({ length: count }, (_, at) => `run ${at}`).join("; ");
    expect(linesOf(many(50))).toHaveLength(50);
    const lines = linesOf(many(53));
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("… 3 more commands");
  });

  it.each<[string, readonly string[]]>([
    ["A='x y' make > out.txt", ["A='x y' make > out.txt   # A is set for it"]],
    ["cat <<EOF\nhi\nEOF", ["cat << (text in the arguments)   # only reads"]],
    ["cat <<< word", ["cat <<< 'word\n'   # only reads"]],
    ["bash -c 'ls -la; rm x'", ["ls -la   # in bash -c; only reads", "rm x   # in bash -c"]],
    ["git push", ["git push"]],
    ['echo "it\'s"', ["echo 'it'\\''s'   # only reads"]],
    ["$X y", ["$X y   # which program it starts is only known when it runs"]],
    ["# nothing", []],
  ])("are shown of %j as %j", (line, shown) => {
    expect(linesOf(line)).toEqual(shown);
  });

  it("say what of the line is not known", () => {
    const lines = linesOf("echo 'unclosed");
    expect(lines.at(-1)).toMatch(/^… not known: \S/);
  });
});

describe("what a rule remembers of a line", () => {
  const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

  /** The rule that the person is offered for a line. */
  async function ruleFor(line: string, more: object = {}, session: object = {}): Promise<string | undefined> {
    const asked: ApprovalRequest[] = [];
    const { run } = runTool();
    const interact = { approve: (request: ApprovalRequest) => (asked.push(request), true) };
    const own = open({ tools: [run], interact }).createSession();
    for (const [name, value] of Object.entries(session)) own.env.set(name, value as string);
    expect(await own.call(runLine(line, more))).toSucceed();
    return asked[0]?.alwaysRule;
  }

  it.each<[string, object, string]>([
    ["make all", {}, "`make all`"],
    ["make all", { cwd: "." }, "`make all`"],
    ["make all", { cwd: "sub/dir" }, "in sub/dir"],
    ["cd sub && make all", {}, "in sub"],
    ["make all", { stdin: "hello" }, `with the input sha256:${sha("hello")}`],
    ["make all", { env: { B: "2", A: "1" } }, `with the variables sha256:${sha('[["A","1"],["B","2"]]')}`],
    [
      "make all",
      { cwd: "sub", stdin: "x", env: { A: "1" } },
      `with the input sha256:${sha("x")}, in sub, with the variables sha256:${sha('[["A","1"]]')}`,
    ],
  ])("%j with %j says %s", async (line, more, expected) => {
    expect(await ruleFor(line, more)).toContain(expected);
  });

  it("says no more than the command where nothing else is given", async () => {
    const rule = await ruleFor("make all");
    for (const word of ["with", " in "]) expect(rule).not.toContain(word);
  });

  it("counts what the session has set, and what the call sets in its place", async () => {
    const own = { Z: "9", A: "0" };
    expect(await ruleFor("make all", {}, own)).toContain(sha('[["A","0"],["Z","9"]]'));
    expect(await ruleFor("make all", { env: { A: "1" } }, own)).toContain(sha('[["A","1"],["Z","9"]]'));
  });

  it("is nothing where a part of the line is only known when it runs", async () => {
    expect(await ruleFor("echo hi | make all")).toContain("sha256");
    expect(await ruleFor("make all | sh")).toBeUndefined();
  });
});

describe("a line, as policy sees it", () => {
  const judged = async (line: string, rules: readonly object[], more: object = {}) => {
    const { run } = runTool();
    const tenon = open({ tools: [run], config: { policy: { rules: rules as never } } });
    return tenon.createSession().explain(runLine(line, more), { considered: true });
  };

  it("is its commands, each with its own verdict", async () => {
    const { commands, decision } = await judged("make && rm x", [
      { id: "yes", decision: "allow", command: "make" },
      { id: "no", decision: "deny", command: "rm *" },
    ]);
    expect(decision).toBe("deny");
    expect(commands?.map(({ decision: each, rule }) => [each, rule])).toEqual([
      ["allow", "yes"],
      ["deny", "no"],
    ]);
  });

  it("that only holds a comment does nothing, and that cannot be read is never allowed by its commands", async () => {
    const rules = [{ id: "yes", decision: "allow", command: "make" }];
    expect(await judged("# nothing", [])).toMatchObject({ decision: "allow" });
    expect(await judged("make", rules)).toMatchObject({ decision: "allow" });
    expect(await judged("make; echo 'open", rules)).toMatchObject({ decision: "ask" });
  });

  it("reads and writes the paths that it names, also where a link leads elsewhere", async () => {
    const rules = [
      { id: "r", decision: "deny", path: "in/**", access: "read" },
      { id: "w", decision: "deny", path: "out/**", access: "write" },
      { decision: "allow", tool: "run" },
    ];
    expect(await judged("cat in/a", rules)).toMatchObject({ decision: "deny", rule: "r" });
    expect(await judged("echo x > out/a", rules)).toMatchObject({ decision: "deny", rule: "w" });
    expect(await judged("echo x > a", rules, { cwd: "out" })).toMatchObject({ decision: "deny", rule: "w" });
    expect(await judged("cp a out/a", rules)).toMatchObject({ decision: "deny", rule: "w" });
    expect(await judged("cp out/a b; echo x > in/c", rules)).toMatchObject({ decision: "allow" });
  });

  it("is not analysed where the call runs none", async () => {
    const { run, seen } = runTool();
    const config = { policy: { rules: [{ decision: "allow" as const, tool: "run" }] } };
    const tenon = open({ tools: [run], config });
    expect(await tenon.call({ name: "run" })).toSucceed();
    expect(await tenon.call(runLine("cat a > b"))).toSucceed();
    expect(seen.map(({ shell }) => shell?.writes.length)).toEqual([undefined, 1]);
  });
});
