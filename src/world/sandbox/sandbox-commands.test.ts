import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "./run-program.js";
import { type Ground, openGround } from "./sandbox.fixture.js";

const protectedPaths = ["**/.git/**", "**/.husky/**"];
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd,
    encoding: "utf8",
  });

describe("commands inside the sandbox", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround({ protectedPaths });
  });
  afterAll(() => ground.close());

  it("bring their exit codes and signals out", async () => {
    expect((await ground.sh("exit 0")).code).toBe(0);
    expect((await ground.sh("exit 42")).code).toBe(42);
    expect((await ground.sh("kill -TERM $$")).code).toBe(128 + 15);
    expect((await ground.sh("kill -SEGV $$")).code).toBe(128 + 11);
    expect((await ground.run(["/no/such/program"])).code).not.toBe(0);
  });

  it("bring both outputs out, apart", async () => {
    const { stdout, stderr } = await ground.sh("echo out; echo err >&2");
    expect([stdout, stderr]).toEqual(["out\n", "err\n"]);
  });

  it("get any argument and any variable unharmed", async () => {
    const text = fc
      .string({ unit: "binary", maxLength: 40 })
      .map((each) => each.replaceAll("\0", "").toWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 5 }), text, async (args, value) => {
        const { stdout } = await ground.run(
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
    const { stdout } = await ground.run(["/usr/bin/env"], { env: { A: "1", TMPDIR: "/somewhere/else" } });
    expect(stdout.split("\n").toSorted().join(" ").trim()).toBe(`A=1 PWD=${ground.workspace} TMPDIR=/tmp`);
  });

  it("cannot act on the program that builds the wall by their variables", async () => {
    const { env } = await ground.wrap({
      argv: ["/bin/true"],
      env: { LD_PRELOAD: "/evil.so", PATH: "/evil" },
    });
    expect(env).toEqual({ PATH: "/usr/bin:/bin" });
  });

  it("are refused where they are malformed", async () => {
    await expect(ground.wrap({ argv: [] })).rejects.toThrow("needs a program");
    await expect(ground.wrap({ argv: ["/bin/echo", "a\0b"] })).rejects.toThrow("NUL");
  });

  it("start in a folder of the workspace, or say why not", async () => {
    mkdirSync(join(ground.workspace, "sub dir"));
    const { stdout } = await ground.run(["/bin/pwd"], { cwd: join(ground.workspace, "sub dir") });
    expect(stdout).toBe(`${ground.workspace}/sub dir\n`);
    await expect(ground.run(["/bin/pwd"], { cwd: join(ground.workspace, "none") })).rejects.toThrow(
      "does not exist",
    );
    await expect(ground.run(["/bin/pwd"], { cwd: "/etc" })).rejects.toThrow("cannot be seen");
    await expect(ground.run(["/bin/pwd"], { cwd: ground.home })).rejects.toThrow("does not exist");
    await ground.sh("mkdir -p /tmp/own");
    expect((await ground.run(["/bin/pwd"], { cwd: "/tmp/own" })).stdout).toBe("/tmp/own\n");
  });

  it("may be in node, with workers and children", async () => {
    const { stdout, stderr } = await ground.node(`
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
    const { stdout } = await ground.sh(
      `/usr/bin/python3 -c 'import subprocess, threading, tempfile; print(subprocess.check_output(["echo", "py"]).decode().strip(), tempfile.gettempdir())'; perl -e 'print "pl\\n"'; printf 'all:\\n\\t@echo mk\\n' | make -f -`,
    );
    expect(stdout).toBe("py /tmp\npl\nmk\n");
  });
});

describe("git inside the sandbox", () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround({ protectedPaths });
    git(ground.workspace, "init", "-q", "-b", "main");
    git(ground.workspace, "config", "user.name", "T");
    git(ground.workspace, "config", "user.email", "t@example.com");
    git(ground.workspace, "commit", "-q", "--allow-empty", "-m", "first");
  });
  afterAll(() => ground.close());

  it("works: status, add, commit, branch, log", async () => {
    const { code, stdout, stderr } = await ground.sh(
      "echo x > f && git add f && git commit -q -m second && git checkout -q -b other && git status --short && git log --format=%s",
    );
    expect([code, stdout, stderr]).toEqual([0, "second\nfirst\n", ""]);
  });

  it("cannot be given hooks or settings", async () => {
    const settings = () => git(ground.workspace, "config", "--local", "--list");
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
    for (const attempt of attempts) await ground.sh(attempt);
    expect(settings()).toBe(before);
    expect(existsSync(join(ground.workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(existsSync(join(ground.workspace, ".git2"))).toBe(false);
  });

  it("cannot be led to settings elsewhere", async () => {
    const wrapped = await ground.wrap({
      argv: ["/bin/sh", "-c", "mkdir evil; echo ../evil > .git/commondir"],
    });
    await runProgram({ ...wrapped, timeoutMs: 10_000 });
    const file = join(ground.workspace, ".git/commondir");
    expect((await wrapped.settle()).heldBack.map(({ path }) => path)).toEqual([".git/commondir"]);
    expect(existsSync(file)).toBe(false);
  });

  it("keeps the folder of hooks that the settings name", async () => {
    mkdirSync(join(ground.workspace, "my hooks"));
    git(ground.workspace, "config", "core.hooksPath", "my hooks");
    const { code } = await ground.sh("echo evil > 'my hooks/pre-commit'");
    expect(code).not.toBe(0);
    git(ground.workspace, "config", "--unset", "core.hooksPath");
  });

  it("works in a linked work tree, whose main folder stays protected", async () => {
    const tree = join(ground.root, "tree");
    git(ground.workspace, "worktree", "add", "-q", "-b", "linked", tree);
    const linked = await openGround({ workspace: tree, protectedPaths });
    try {
      const { code, stderr } = await linked.sh(
        "echo y > g && git add g && git commit -q -m third && git status --short",
        {
          cwd: tree,
        },
      );
      expect([code, stderr]).toEqual([0, ""]);
      await linked.sh(
        `echo evil > '${ground.workspace}/.git/hooks/pre-commit'; echo x > '${ground.workspace}/outside'`,
        { cwd: tree },
      );
      expect(existsSync(join(ground.workspace, ".git/hooks/pre-commit"))).toBe(false);
      expect(existsSync(join(ground.workspace, "outside"))).toBe(false);
    } finally {
      await linked.close();
    }
  });

  it("opens no folder that a forged .git file names", async () => {
    const victim = await openGround();
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
