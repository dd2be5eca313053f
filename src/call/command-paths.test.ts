import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixture, open } from "../../test/spine-fixture.js";
import { runLine, runTool } from "./shell-line.fixture.js";

type Rules = readonly object[];

/** What a call of this line knows of paths, below a workspace that is written as "/ws". */
async function pathsOf(line: string, more: { rules?: Rules; allowedPaths?: string[]; cwd?: string } = {}) {
  const fixture = createFixture();
  const { run, seen } = runTool();
  const config = { policy: { rules: (more.rules ?? []) as never } };
  const tenon = open({ tools: [run], config, interact: { approve: () => true } }, fixture);
  const session = tenon.createSession(more.allowedPaths && { allowedPaths: more.allowedPaths });
  const cwd = more.cwd === undefined ? {} : { cwd: more.cwd };
  expect(await session.call(runLine(line, cwd))).toSucceed();
  const { paths } = seen[0] ?? {};
  const short = (path: string): string => path.replace(fixture.workspace, "/ws");
  return {
    paths,
    workspace: fixture.workspace,
    named: paths?.named.map(short),
    bases: paths?.unasked?.bases.map(short),
  };
}

describe("a line that only reads", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["cat a.txt", ["/ws/a.txt"]],
    ["cat a.txt b/c.txt", ["/ws/a.txt", "/ws/b/c.txt"]],
    ["head -3 src/*.ts", ["/ws/src"]],
    ["cat src/deep/[ab]/x", ["/ws/src/deep"]],
    ["cat *", ["/ws"]],
    ["cat {a,b}.txt", ["/ws/a.txt", "/ws/b.txt"]],
    // Without a name, it is the folder that is read.
    ["grep -r word", ["/ws"]],
    ["rg word", ["/ws"]],
    ["grep -r word src", ["/ws/src"]],
    // A search behind a file may be given no folder of its own.
    ["cat a.txt; grep -rn word", ["/ws/a.txt", "/ws"]],
    ["cat a.txt | grep word", ["/ws/a.txt"]],
    ["cat a.txt | egrep --recursive word", ["/ws/a.txt", "/ws"]],
    ["cat a.txt | grep -R word", ["/ws/a.txt", "/ws"]],
    ["cat a.txt | grep -i word", ["/ws/a.txt"]],
    // Names and facts are no contents.
    ["ls", undefined],
    ["ls -la src", undefined],
    ["/bin/ls src", undefined],
    ["git log", undefined],
    ["find . -name x", undefined],
    ["echo a; pwd", undefined],
    ["stat a.txt", undefined],
    ["wc -l a.txt", ["/ws/a.txt"]],
  ])("reads unasked with %j at most below %j", async (line, bases) => {
    expect((await pathsOf(line)).bases).toEqual(bases);
  });

  it("reads from the folder that it runs in", async () => {
    const { bases, named } = await pathsOf("rg word", { cwd: "src" });
    expect([bases, named]).toEqual([["/ws/src"], []]);
  });

  it("names what it reads", async () => {
    expect((await pathsOf("cat a.txt sub/../b")).named).toEqual(["/ws/a.txt", "/ws/b"]);
  });
});

describe("a line that changes something", () => {
  it("is bound by no path where no rule is about paths", async () => {
    expect((await pathsOf("touch a")).paths).toBeUndefined();
    expect((await pathsOf("cat a; make")).paths).toBeUndefined();
  });

  it("names all that it reads, writes and changes, and is told what rules say of others", async () => {
    const { paths, named, bases } = await pathsOf("cat in > out; cp in copy", {
      rules: [{ id: "no", decision: "deny", path: "secret/**" }],
    });
    expect([...(named ?? [])].sort()).toEqual(["/ws/copy", "/ws/copy/in", "/ws/in", "/ws/out"]);
    expect(bases).toBeUndefined();
    expect(paths?.patterns).toEqual(["secret/**"]);
    expect(paths?.judge("secret/a", "read")).toMatchObject({ decision: "deny", rule: "no" });
    expect(paths?.judge("src/a", "read")).toBeUndefined();
  });
});

describe("the allowed paths of a command", () => {
  const rules = [
    { id: "no", decision: "deny", path: "src/secret/**" },
    { id: "hmm", decision: "ask", path: "**/*.lock" },
  ];

  it("leave out all others, show the folders above them, and rules hold within", async () => {
    const { paths, workspace } = await pathsOf("make", { allowedPaths: ["src/app"] });
    expect(paths?.patterns).toEqual(["**"]);
    const outside = { decision: "deny", rule: "allowedPaths", below: true };
    for (const access of ["read", "write"] as const) {
      expect(paths?.judge("other/x", access)).toEqual(outside);
      expect(paths?.judge("src/apple", access)).toEqual(outside);
      expect(paths?.judge("src/app", access)).toBeUndefined();
      expect(paths?.judge("src/app/a.ts", access)).toBeUndefined();
      expect(paths?.judge(join(workspace, "src/app/a.ts"), access)).toBeUndefined();
    }
    // On the way to them, names can be read, and nothing changed.
    expect(paths?.judge("src", "read")).toBeUndefined();
    expect(paths?.judge("src", "write")).toEqual({ decision: "deny", rule: "allowedPaths", below: false });
  });

  it("do not lift what rules say", async () => {
    const { paths } = await pathsOf("make", { allowedPaths: ["src"], rules });
    expect(paths?.patterns).toEqual(["src/secret/**", "**/*.lock", "**"]);
    expect(paths?.judge("src/secret/a", "read")).toMatchObject({ decision: "deny", rule: "no" });
    expect(paths?.judge("src/a.lock", "write")).toMatchObject({ decision: "ask", rule: "hmm" });
    expect(paths?.judge("docs/a.lock", "read")).toMatchObject({ decision: "deny", rule: "allowedPaths" });
  });

  it("are below a folder that a rule is about, so that what it says is not said of all below", async () => {
    const { paths } = await pathsOf("make", {
      allowedPaths: ["src/app"],
      rules: [{ id: "no", decision: "deny", path: "src" }],
    });
    expect(paths?.judge("src/app/x", "read")).toMatchObject({ rule: "no", below: true });
    expect(paths?.judge("src", "read")).toMatchObject({ rule: "no", below: false });
  });
});
