import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "./run-program.js";
import { type Fixture, openFixture } from "./sandbox.fixture.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

const protectedPaths = ["**/.git/**", "**/.husky/**"];
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd,
    encoding: "utf8",
  });

describe("commands inside the sandbox", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({ protectedPaths });
  });
  afterAll(() => fixture.close());

  it("bring their exit codes and signals out", async () => {
    expect((await fixture.sh("exit 0")).code).toBe(0);
    expect((await fixture.sh("exit 42")).code).toBe(42);
    expect((await fixture.sh("kill -TERM $$")).code).toBe(128 + 15);
    expect((await fixture.sh("kill -SEGV $$")).code).toBe(128 + 11);
    expect((await fixture.run(["/no/such/program"])).code).not.toBe(0);
  });

  it("bring both outputs out, apart", async () => {
    const { stdout, stderr } = await fixture.sh("echo out; echo err >&2");
    expect([stdout, stderr]).toEqual(["out\n", "err\n"]);
  });

  it("get any argument and any variable unharmed", async () => {
    const text = fc
      .string({ unit: anyCharacter, maxLength: 40 })
      .map((each) => each.replaceAll("\0", "").toWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 5 }), text, async (args, value) => {
        const { stdout } = await fixture.run(
          [
            process.execPath,
            "-e",
            "console.log(JSON.stringify([process.argv.slice(1), process.env.VALUE]))",
            "--",
            ...args,
          ],
          { env: { VALUE: value } },
        );
        expect(JSON.parse(stdout)).toEqual([args, value]);
      }),
      { numRuns: 12, examples: [[["a b", "c\nd", "'\"$(x)`", "", "--", "-x", "*"], "x\ny='\""]] },
    );
  });

  it("get no variable but their own", async () => {
    const { stdout } = await fixture.run(["/usr/bin/env"], { env: { A: "1", TMPDIR: "/somewhere/else" } });
    expect(stdout.split("\n").toSorted().join(" ").trim()).toBe(`A=1 PWD=${fixture.workspace} TMPDIR=/tmp`);
  });

  it("cannot act on the program that builds the wall by their variables", async () => {
    const { env } = await fixture.wrap({
      argv: ["/bin/true"],
      env: { LD_PRELOAD: "/evil.so", PATH: "/evil" },
    });
    expect(env).toEqual({ PATH: "/usr/bin:/bin" });
  });

  it("are refused where they are malformed", async () => {
    await expect(fixture.wrap({ argv: [] })).rejects.toThrow("needs a program");
    await expect(fixture.wrap({ argv: ["/bin/echo", "a\0b"] })).rejects.toThrow("NUL");
  });

  it("start in a folder of the workspace, or say why not", async () => {
    mkdirSync(join(fixture.workspace, "sub dir"));
    const { stdout } = await fixture.run(["/bin/pwd"], { cwd: join(fixture.workspace, "sub dir") });
    expect(stdout).toBe(`${fixture.workspace}/sub dir\n`);
    await expect(fixture.run(["/bin/pwd"], { cwd: join(fixture.workspace, "none") })).rejects.toThrow(
      "does not exist",
    );
    await expect(fixture.run(["/bin/pwd"], { cwd: "/etc" })).rejects.toThrow("not visible");
    await expect(fixture.run(["/bin/pwd"], { cwd: fixture.home })).rejects.toThrow("does not exist");
    await fixture.sh("mkdir -p /tmp/own");
    expect((await fixture.run(["/bin/pwd"], { cwd: "/tmp/own" })).stdout).toBe("/tmp/own\n");
  });

  it("may be in node, with workers and children", async () => {
    const { stdout, stderr } = await fixture.node(`
      const { Worker } = require("worker_threads");
      const { fork, execSync } = require("child_process");
      new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true }).on("message", (m) => {
        require("fs").writeFileSync("child.js", "process.send(process.argv[2])");
        fork("./child.js", ["sent"]).on("message", (text) => console.log(m, text, execSync("echo sub").toString().trim(), os().length > 0));
      });
      const os = () => Object.keys(require("os").networkInterfaces());`);
    expect([stdout.trim(), stderr]).toEqual(["1 sent sub true", ""]);
  });

  it("may be in python, perl and make", async () => {
    const { stdout } = await fixture.sh(
      `/usr/bin/python3 -c 'import subprocess, threading, tempfile; print(subprocess.check_output(["echo", "py"]).decode().strip(), tempfile.gettempdir())'; perl -e 'print "pl\\n"'; printf 'all:\\n\\t@echo mk\\n' | make -f -`,
    );
    expect(stdout).toBe("py /tmp\npl\nmk\n");
  });
});

describe("git inside the sandbox", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({ protectedPaths });
    git(fixture.workspace, "init", "-q", "-b", "main");
    git(fixture.workspace, "config", "user.name", "T");
    git(fixture.workspace, "config", "user.email", "t@example.com");
    git(fixture.workspace, "commit", "-q", "--allow-empty", "-m", "first");
  });
  afterAll(() => fixture.close());

  it("works: status, add, commit, branch, log", async () => {
    const { code, stdout, stderr } = await fixture.sh(
      "echo x > f && git add f && git commit -q -m second && git checkout -q -b other && git status --short && git log --format=%s",
    );
    expect([code, stdout, stderr]).toEqual([0, "second\nfirst\n", ""]);
  });

  it("cannot be given hooks or settings", async () => {
    const settings = () => git(fixture.workspace, "config", "--local", "--list");
    const before = settings();
    const attempts = [
      "echo evil > .git/hooks/pre-commit",
      "git config core.fsmonitor /tmp/evil",
      "git config --worktree core.pager evil",
      "rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
      "mv .git/hooks .git/old && mkdir .git/hooks && echo evil > .git/hooks/pre-commit",
      "mv .git .git2 && cp -r .git2 .git && echo evil > .git/hooks/pre-commit && echo '[core]' > .git/config",
      "cp .git/config .git/new && printf '[alias]\\n\\tx = !evil\\n' >> .git/new && mv .git/new .git/config",
    ];
    for (const attempt of attempts) await fixture.sh(attempt);
    expect(settings()).toBe(before);
    expect(existsSync(join(fixture.workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(existsSync(join(fixture.workspace, ".git2"))).toBe(false);
  });

  it("cannot be led to settings elsewhere", async () => {
    const wrapped = await fixture.wrap({
      argv: ["/bin/sh", "-c", "mkdir evil; echo ../evil > .git/commondir"],
    });
    await runProgram({ ...wrapped, timeoutMs: 10_000 });
    const file = join(fixture.workspace, ".git/commondir");
    expect((await wrapped.finish()).heldBack.map(({ path }) => path)).toEqual([".git/commondir"]);
    expect(existsSync(file)).toBe(false);
  });

  it("keeps the folder of hooks that the settings name", async () => {
    mkdirSync(join(fixture.workspace, "my hooks"));
    git(fixture.workspace, "config", "core.hooksPath", "my hooks");
    const { code } = await fixture.sh("echo evil > 'my hooks/pre-commit'");
    expect(code).not.toBe(0);
    git(fixture.workspace, "config", "--unset", "core.hooksPath");
  });

  it("works in a linked work tree, whose main folder stays protected", async () => {
    const tree = join(fixture.root, "tree");
    git(fixture.workspace, "worktree", "add", "-q", "-b", "linked", tree);
    const linked = await openFixture({ workspace: tree, protectedPaths });
    try {
      const { code, stderr } = await linked.sh(
        "echo y > g && git add g && git commit -q -m third && git status --short",
        {
          cwd: tree,
        },
      );
      expect([code, stderr]).toEqual([0, ""]);
      await linked.sh(
        `echo evil > '${fixture.workspace}/.git/hooks/pre-commit'; echo x > '${fixture.workspace}/outside'`,
        { cwd: tree },
      );
      expect(existsSync(join(fixture.workspace, ".git/hooks/pre-commit"))).toBe(false);
      expect(existsSync(join(fixture.workspace, "outside"))).toBe(false);
    } finally {
      await linked.close();
    }
  });

  it("opens no folder that a forged .git file names", async () => {
    const victim = await openFixture();
    victim.write("home/.ssh/id_rsa", "secret");
    writeFileSync(join(victim.workspace, ".git"), `gitdir: ${victim.home}/.ssh\n`);
    try {
      const { stdout } = await victim.sh(`cat '${victim.home}/.ssh/id_rsa'; ls '${victim.home}/.ssh'`);
      expect(stdout).toBe("");
    } finally {
      await victim.close();
    }
  });
});
