import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TenonConfig } from "../src/index.js";
import { createFixture, open } from "./spine-fixture.js";

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly notes: readonly string[];
}

/** A workspace with files, and a way to run lines in it; `asked` lists what a person was asked about. */
function prepare(files: Record<string, string>, config: TenonConfig = {}) {
  const fixture = createFixture();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(fixture.workspace, path)), { recursive: true });
    writeFileSync(join(fixture.workspace, path), text);
  }
  const asked: unknown[] = [];
  const tenon = open(
    {
      config: { mode: "ask", ...config },
      interact: {
        approve: (request) => {
          asked.push(request.arguments);
          return { verdict: "once" };
        },
      },
    },
    fixture,
  );
  const run = async (command: string): Promise<Answer> => {
    const { success, result, error } = await tenon.call({ name: "shell_exec", arguments: { command } });
    if (!success) throw new Error(error?.message);
    return result as Answer;
  };
  return { ...fixture, tenon, run, asked };
}

const secrets = {
  ".env": "API_KEY=1\n",
  "certs/a.key": "API_KEY=2\n",
  "src/x.ts": "const API_KEY = 3;\n",
  "node_modules/p/credentials.js": "API_KEY of nobody\n",
};

describe("a line that runs unasked", () => {
  it("does not meet what needs consent, and says what it left out", async () => {
    const { run, asked } = prepare(secrets);
    const { stdout, stderr, exitCode, notes } = await run("grep -r API_KEY .");
    expect(stdout.split("\n").filter(Boolean).toSorted()).toEqual([
      "./node_modules/p/credentials.js:API_KEY of nobody",
      "./src/x.ts:const API_KEY = 3;",
    ]);
    expect([stderr, exitCode]).toEqual(["", 0]);
    expect(notes).toContainEqual(
      "2 paths that need consent were left out: .env, certs/a.key. Name a path in the command to ask for it.",
    );
    expect((await run("cat certs/*")).stdout).toBe("");
    expect((await run("grep -h API_KEY certs/*")).stdout).toBe("");
    expect(asked).toHaveLength(0);
  });

  it.each([
    "cat src/x.ts; rg -uu API_KEY",
    "rg -uu API_KEY; cat src/x.ts",
    "head -1 src/x.ts && grep -r API_KEY",
    "grep -R API_KEY | cat; cat src/x.ts",
  ])("does not meet it in a search beside a command that names a file: %s", async (line) => {
    const { run, asked } = prepare(secrets);
    const { stdout } = await run(line);
    expect(stdout).toContain("API_KEY = 3");
    expect(stdout).not.toMatch(/API_KEY=[12]/);
    expect(asked).toHaveLength(0);
  });

  it("asks for what it names, and sees it then", async () => {
    const { run, asked } = prepare(secrets);
    expect((await run("cat .env")).stdout).toBe("API_KEY=1\n");
    expect(asked).toHaveLength(1);
  });

  it("says nothing where it did not come by, and shows names as they are", async () => {
    const { run } = prepare(secrets);
    expect((await run("cat src/x.ts")).notes).toEqual([]);
    const listed = await run("ls -A certs; find . -name 'a*'");
    expect([listed.stdout, listed.notes]).toEqual(["a.key\n./certs/a.key\n", []]);
  });

  it("does not follow a harmless name to a secret", async () => {
    const { run, workspace } = prepare(secrets);
    execFileSync("ln", ["-s", ".env", join(workspace, "notes.txt")]);
    expect((await run("cat notes.txt")).stdout).toBe("");
  });

  it("lets git compare tracked keys as they are", async () => {
    const { run, workspace } = prepare({ "test/key.pem": "a test key\n" });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "x");
    expect((await run("git status --short")).stdout).toBe("");
  });
});

describe("the first example of the policy page", () => {
  const rules = {
    policy: { rules: [{ decision: "deny", path: "secrets/**" }] },
  } as const satisfies TenonConfig;

  it.each(["ask", "auto"] as const)("holds for searches, globs and interpreters in mode %s", async (mode) => {
    const { run } = prepare(
      { "secrets/key.pem": "KEY=1\n", "src/secrets.ts": "KEY=2\n" },
      { mode, ...rules },
    );
    for (const line of [
      "cat s*/k*",
      "grep -r KEY .",
      "find . -type f -exec cat {} +",
      "python3 -c \"print(open('secrets/key.pem').read())\"",
      "sh -c 'cat sec*/*'",
    ]) {
      expect((await run(line)).stdout, line).not.toContain("KEY=1");
    }
    expect((await run("grep -r KEY .")).stdout).toBe("./src/secrets.ts:KEY=2\n");
    await expect(run("cat secrets/key.pem")).rejects.toThrow("denies");
  });
});

describe("a rule that asks about paths", () => {
  const rules: TenonConfig = { policy: { rules: [{ decision: "ask", path: "vault/**" }] } };
  const files = { "vault/a": "A\n", "vault/b": "B\n", open: "OPEN A\n" };

  it("hides them from commands that do not name them, in auto mode too", async () => {
    const { run, asked } = prepare(files, { mode: "auto", ...rules });
    const { stdout, notes } = await run(
      "python3 -c \"import glob; print([open(p).read() for p in glob.glob('v*/*')])\"",
    );
    expect(stdout).toBe("[]\n");
    expect(notes.join("\n")).toContain("1 path that needs consent was left out: vault");
    expect(asked).toHaveLength(0);
  });

  it("opens exactly what a person agreed to", async () => {
    const { run, asked } = prepare(files, { mode: "auto", ...rules });
    expect((await run("cat vault/a; cat v*/b; echo x >> open")).stdout).toBe("A\n");
    expect(asked).toHaveLength(1);
  });

  it("keeps them out of the searches of tools, and asks where a tool names one", async () => {
    const { tenon, asked } = prepare(files, rules);
    const session = tenon.createSession();
    const call = (name: string, args: Record<string, unknown>) => session.call({ name, arguments: args });
    const listed = JSON.stringify(await call("list_files", { path: ".", recursive: true }));
    expect(listed).toContain('"open"');
    expect(listed).not.toContain("vault/a");
    const found = JSON.stringify(await call("code_query", { query: "[AB]$", type: "text", regex: true }));
    expect(found).toContain('"open"');
    expect(found).not.toContain("vault/");
    expect(asked).toHaveLength(0);
    expect(await call("read_file", { path: "vault/a" })).toSucceed();
    expect(asked).toHaveLength(1);
  });
});
