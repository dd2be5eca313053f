import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import type { ShellResult } from "./shell-result.js";

let root: string;
let workspace: string;
let tenon: Tenon;
/** What the person was asked, and what they answer. */
const asked: ApprovalRequest[] = [];
let consent = true;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-held-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  writeFileSync(
    join(root, ".gitconfig"),
    "[user]\n\tname = P\n\temail = p@example.org\n[init]\n\tdefaultBranch = main\n",
  );
  tenon = createTenon({
    workspace,
    // These are about commands that change the workspace directly.
    config: { stateDir: join(root, "state"), mode: "auto", sandbox: { layers: { enabled: false } } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
    interact: {
      approve(request) {
        asked.push(request);
        return consent;
      },
    },
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function sh(command: string, more: Record<string, unknown> = {}): Promise<ToolEnvelope<ShellResult>> {
  return await tenon.call({
    name: "shell_exec",
    arguments: { command, ...more },
  });
}
/** Run a script whose lines nobody can judge before it runs. */
async function script(lines: string, more: Record<string, unknown> = {}): Promise<ToolEnvelope<ShellResult>> {
  writeFileSync(at("step.sh"), lines);
  return sh("sh ./step.sh", more);
}
const at = (path: string): string => join(workspace, path);
const textOf = (envelope: ToolEnvelope): string =>
  envelope.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
const git = (...args: string[]): string =>
  execFileSync("git", args, {
    cwd: workspace,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: root },
  });

describe("everyday commands in auto mode", () => {
  beforeAll(() => {
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    mkdirSync(at("local/package"), { recursive: true });
    writeFileSync(at("local/package/package.json"), '{"name":"local","version":"1.0.0"}');
  });

  it.each([
    [
      "git commit",
      "echo a > a.txt && git add a.txt && git commit -qm second",
      () => git("log", "--format=%s", "-1"),
      "second\n",
    ],
    [
      "git checkout",
      "git checkout -q -b side && git checkout -q main",
      () => git("branch", "--list", "side"),
      "  side\n",
    ],
    ["git config", "git config user.name Agent", () => git("config", "user.name"), "Agent\n"],
    ["git init", "git init -q fresh", () => String(existsSync(at("fresh/.git/config"))), "true"],
    [
      "git init --bare",
      "git init -q --bare -b main remote.git",
      () => String(existsSync(at("remote.git/config"))),
      "true",
    ],
    [
      "git push -u",
      "git remote add origin ./remote.git && git push -qu origin main",
      () => git("config", "branch.main.merge"),
      "refs/heads/main\n",
    ],
    ["git clone", "git clone -q ./remote.git copy", () => String(existsSync(at("copy/a.txt"))), "true"],
    [
      "git worktree add",
      "git worktree add -q -b tree wt",
      () => git("-C", "wt", "branch", "--show-current"),
      "tree\n",
    ],
    [
      "git stash",
      "echo b > a.txt && git stash -q && git stash pop -q && git checkout -q a.txt",
      () => readFileSync(at("a.txt"), "utf8"),
      "a\n",
    ],
    [
      "git merge",
      "git checkout -q side && git commit -q --allow-empty -m s && git checkout -q main && git merge -q --no-edit side",
      () => git("branch", "--merged", "main", "--list", "side"),
      "  side\n",
    ],
    [
      "git rebase",
      "git checkout -q -b r HEAD~1 && git commit -q --allow-empty -m r && git rebase -q main && git checkout -q main",
      () => git("merge-base", "--is-ancestor", "main", "r"),
      "",
    ],
    ["git tag", "git tag v1", () => git("tag"), "v1\n"],
    [
      "git submodule add",
      'git -c protocol.file.allow=always submodule --quiet add "$PWD/remote.git" sub',
      () => git("config", "-f", ".gitmodules", "submodule.sub.path"),
      "sub\n",
    ],
    [
      "git submodule add, once more",
      'git -c protocol.file.allow=always submodule --quiet add "$PWD/remote.git" sub2',
      () => git("config", "-f", ".gitmodules", "submodule.sub2.path"),
      "sub2\n",
    ],
    [
      "npm init",
      "mkdir -p pkg && cd pkg && npm init -y",
      () => String(existsSync(at("pkg/package.json"))),
      "true",
    ],
    [
      "npm install",
      "cd pkg && npm install --offline --no-audit --no-fund ../local/package",
      () => String(existsSync(at("pkg/node_modules/local/package.json"))),
      "true",
    ],
    [
      "cargo new",
      "cargo new hello || { git init -q hello && mkdir hello/src && echo '[package]' > hello/Cargo.toml && echo /target > hello/.gitignore; }",
      () => String(existsSync(at("hello/Cargo.toml")) && existsSync(at("hello/.git/config"))),
      "true",
    ],
  ])("%s works and nothing is held back", async (_name, command, look, expected) => {
    const { result } = await sh(command);
    expect([result?.exitCode, result?.stderr, result?.heldBack]).toEqual([0, expect.any(String), undefined]);
    expect(look()).toBe(expected);
  });

  it.each([
    [
      "husky",
      "mkdir -p .husky/_ && echo npm test > .husky/pre-commit && git config core.hooksPath .husky/_",
      [".git/config", ".husky/pre-commit"],
    ],
    [
      "pre-commit install",
      "printf '#!/bin/sh\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
      [".git/hooks/pre-commit"],
    ],
    ["a command that fails", "echo x > .npmrc; exit 3", [".npmrc"]],
    ["one that is stopped", "mkdir -p deep; echo x > deep/.envrc; sleep 60", ["deep/.envrc"]],
  ])("%s: what is held back stands in the first line", async (_name, command, held) => {
    const envelope = await script(command, { timeout: 2500 });
    expect(envelope.result?.heldBack?.map(({ path }) => path).toSorted()).toEqual(held);
    const [first = ""] = textOf(envelope).split("\n");
    expect(first).toMatch(/^\[held back, not in the workspace: /);
    for (const path of held) expect(first).toContain(path);
    expect(first).toContain(`commit_result {"call_id":"${envelope.callId}"}`);
    for (const path of held.filter((each) => each !== ".git/config"))
      expect(existsSync(at(path))).toBe(false);
    expect(git("config", "--get", "--default", "none", "core.hooksPath")).toBe("none\n");
  });
});

describe("git checkout of a branch with other workflows", () => {
  it("works; the workflow of the person's branch stays until they agree", async () => {
    const ci = ".github/workflows/ci.yml";
    git("checkout", "-q", "-b", "here");
    mkdirSync(at(".github/workflows"), { recursive: true });
    writeFileSync(at(ci), "on: push\n");
    git("add", ci);
    git("commit", "-qm", "workflow");
    git("checkout", "-q", "-b", "there");
    writeFileSync(at(ci), "on: pull_request\n");
    git("commit", "-qam", "other workflow");
    git("checkout", "-q", "here");
    const { result } = await sh("git checkout -q there");
    expect([result?.exitCode, result?.heldBack?.map(({ path }) => path)]).toEqual([0, [ci]]);
    expect(readFileSync(at(ci), "utf8")).toBe("on: push\n");
    expect(git("branch", "--show-current")).toBe("there\n");
    git("checkout", "-q", "-f", "main");
  });
});

describe("commit_result and discard_result", () => {
  const plant = async (): Promise<string> => {
    const { callId } = await sh(
      `python3 -c 'open(".envrc","w").write("export A=1\\n"); open("run.npmrc","w")' && printf 'x=1\\n' > s && python3 -c 'import shutil; shutil.copy("s", ".npmrc")'`,
    );
    return callId;
  };
  const call = (name: string, args: Record<string, unknown>): Promise<ToolEnvelope> =>
    tenon.call({ name, arguments: args });

  it("asks a person, shows the contents whole, and puts them in place", async () => {
    const callId = await plant();
    asked.length = 0;
    const done = await call("commit_result", { call_id: callId, paths: [".npmrc"] });
    expect(done).toSucceed({ result: { paths: [".npmrc"], left: 1 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.preview?.diff).toContain("+x=1");
    expect(readFileSync(at(".npmrc"), "utf8")).toBe("x=1\n");
    await call("discard_result", { call_id: callId });
    expect(await call("commit_result", { call_id: callId })).toFailWith("RESOURCE_NOT_FOUND");
    rmSync(at(".npmrc"));
  });

  it("does nothing where the person says no", async () => {
    const callId = await plant();
    consent = false;
    expect(await call("commit_result", { call_id: callId })).toFailWith("APPROVAL_DENIED");
    consent = true;
    expect(existsSync(at(".envrc"))).toBe(false);
    expect(await tenon.quarantine.list({ callId })).toHaveLength(2);
    expect(await call("discard_result", { call_id: callId })).toSucceed();
    expect(await tenon.quarantine.list({ callId })).toHaveLength(0);
  });

  it("refuses where something else lies at the place by now, and where the kept content was changed", async () => {
    const callId = await plant();
    writeFileSync(at(".npmrc"), "the person's\n");
    expect(await call("commit_result", { call_id: callId })).toFailWith("FILE_CONFLICT");
    expect(existsSync(at(".envrc"))).toBe(false);
    rmSync(at(".npmrc"));
    const [item] = await tenon.quarantine.list({ callId });
    const content = execFileSync("find", [join(root, "state"), "-path", `*${item!.id}/content`], {
      encoding: "utf8",
    }).trim();
    chmodSync(content, 0o600);
    writeFileSync(content, "swapped");
    expect(await call("commit_result", { call_id: callId })).toFailWith("FILE_CONFLICT");
    await call("discard_result", { call_id: callId });
  });

  it("gives a hook back with its mode, and settings whole", async () => {
    const { callId } = await script(
      "printf '#!/bin/sh\\n' > .git/hooks/pre-push && chmod 755 .git/hooks/pre-push && git config core.pager cat && git config user.name Again",
    );
    expect(git("config", "user.name")).toBe("Again\n");
    expect(await call("commit_result", { call_id: callId })).toSucceed({ result: { left: 0 } });
    expect(statSync(at(".git/hooks/pre-push")).mode & 0o777).toBe(0o755);
    expect(git("config", "core.pager") + git("config", "user.name")).toBe("cat\nAgain\n");
  });
});

describe("what a rule or a person let happen", () => {
  it("stays: a line whose change was consented to, and one that the person's own rules allow", async () => {
    asked.length = 0;
    const { result } = await sh("echo registry=x > .npmrc");
    expect(asked).toHaveLength(1);
    expect(result?.heldBack).toBeUndefined();
    expect(readFileSync(at(".npmrc"), "utf8")).toBe("registry=x\n");
  });

  it("stays while another command runs: a file tool's change with consent", async () => {
    const { result } = await sh("sleep 30", { background: true });
    const written = await tenon.call({
      name: "write_file",
      arguments: { path: "pkg/.npmrc", content: "y=1\n" },
    });
    expect(written).toSucceed();
    const killed = await tenon.call({ name: "shell_kill", arguments: { job_id: result?.jobId } });
    expect(killed).toSucceed();
    expect(readFileSync(at("pkg/.npmrc"), "utf8")).toBe("y=1\n");
  });

  it("is told apart from what a background job makes, which is moved away while it runs", async () => {
    const { result, callId } = await sh(
      'mkdir job && python3 -c \'open("job/.envrc","w").write("x")\'; sleep 60',
      { background: true },
    );
    const look = () => tenon.call({ name: "shell_output", arguments: { job_id: result?.jobId } });
    await expect
      .poll(async () => (await tenon.quarantine.list({ callId })).length, { timeout: 20_000, interval: 300 })
      .toBe(1);
    expect(existsSync(at("job/.envrc"))).toBe(false);
    expect(textOf(await look())).toMatch(/^\[held back, not in the workspace: job\/\.envrc/);
    await tenon.call({ name: "shell_kill", arguments: { job_id: result?.jobId } });
  });
});
