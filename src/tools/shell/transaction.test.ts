import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import type { ApprovalRequest } from "../../contract/ports/interact.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import { snapshot } from "../../world/journal/testing/snapshot.js";
import type { CommittedResult } from "./commit-result.js";
import type { ShellResult } from "./shell-result.js";

let root: string;
let workspace: string;
let tenon: Tenon;
/** What the person was asked, and what they answer. */
let asked: ApprovalRequest[] = [];
let consent = true;
/** What others do while the person decides. */
let meanwhile = (): void => {};

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-transaction-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  writeFileSync(
    join(root, ".gitconfig"),
    "[user]\n\tname = P\n\temail = p@example.org\n[init]\n\tdefaultBranch = main\n",
  );
  tenon = createTenon({
    workspace,
    config: {
      stateDir: join(root, "state"),
      mode: "auto",
      files: { forbiddenPaths: ["secret/**"] },
    },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
    interact: {
      approve(request) {
        asked.push(request);
        meanwhile();
        return consent;
      },
    },
  });
});
afterAll(async () => {
  await tenon.close();
  execFileSync("rm", ["-rf", root]);
});
beforeEach(() => {
  asked = [];
  consent = true;
  meanwhile = () => {};
  for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true, force: true });
  write("src/a.ts", "one\ntwo\n");
  write("b.txt", "b\n");
});

type Answer = ToolEnvelope<ShellResult> & { readonly result: ShellResult };

async function call<Result>(name: string, input: object): Promise<ToolEnvelope<Result> & { result: Result }> {
  const envelope = await tenon.call({ name, arguments: input });
  if (!envelope.success) throw new Error(`${envelope.error?.code}: ${envelope.error?.message}`);
  return envelope as ToolEnvelope<Result> & { result: Result };
}

function sh(command: string, more: Record<string, unknown> = {}): Promise<Answer> {
  return call<ShellResult>("shell_exec", { command, ...more });
}

/** Run a script whose line says nothing about what it changes. */
function script(text: string, more: Record<string, unknown> = {}): Promise<Answer> {
  write("script.sh", text);
  return sh("sh script.sh", more);
}

/** The clock of a file system stands still for some milliseconds; this is certain to be later than what was before. */
function writeLater(path: string, text: string): void {
  const changed = (): bigint => {
    write(path, text);
    return lstatSync(join(workspace, path), { bigint: true }).ctimeNs;
  };
  const first = changed();
  while (changed() === first);
}

function write(path: string, text: string): void {
  mkdirSync(join(workspace, path, ".."), { recursive: true });
  writeFileSync(join(workspace, path), text);
}
const read = (path: string): string => readFileSync(join(workspace, path), "utf8");
const exists = (path: string): boolean => existsSync(join(workspace, path));
const textOf = (answer: Answer): string =>
  answer.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

describe("a command as a transaction", () => {
  it("commits what it changed, lists it, and is undone like an edit", async () => {
    const before = snapshot(workspace);
    const answer = await sh("echo three >>src/a.ts; rm b.txt; mkdir -p new/deep; echo x >new/deep/c; exit 3");
    expect(answer.result).toMatchObject({
      exitCode: 3,
      committed: "all",
      changes: expect.arrayContaining([
        { path: "src/a.ts", kind: "changed", added: 1, removed: 0 },
        { path: "b.txt", kind: "removed", added: 0, removed: 1 },
        { path: "new/deep/c", kind: "added", added: 1, removed: 0 },
      ]),
    });
    expect(answer.result.heldBack).toBeUndefined();
    expect(read("src/a.ts")).toBe("one\ntwo\nthree\n");
    expect(textOf(answer)).toContain("[changed: ");
    expect(exists("b.txt")).toBe(false);
    await call("undo_edit", { call_id: answer.callId });
    expect(snapshot(workspace)).toEqual(before);
  });

  it("tells the model of its files one by one, and of git's own data as a whole", async () => {
    const answer = await sh("mkdir repo && cd repo && git init -q && echo x >own.txt && git add .");
    expect(textOf(answer)).toMatch(/\[changed: A repo\/own\.txt \+1, \d+ in repo\/\.git\]/);
    expect(answer.result.changes?.map(({ path }) => path)).toContain("repo/.git/index");
    await call("undo_edit", { call_id: answer.callId });
  });

  it("is in the history of its files, and is undone by task and by file", async () => {
    const before = snapshot(workspace);
    const session = tenon.createSession({ taskId: "T1" });
    const run = (command: string) => session.call("shell_exec", { command });
    await run("echo three >>src/a.ts; echo x >c.txt");
    await run("echo four >>src/a.ts; rm b.txt");
    const history = await tenon.history({ path: "src/a.ts", limit: 2 });
    expect(history.map(({ tool, op, taskId }) => [tool, op, taskId])).toEqual([
      ["shell_exec", "write", "T1"],
      ["shell_exec", "write", "T1"],
    ]);
    await call("undo_edit", { path: "src/a.ts" });
    expect(read("src/a.ts")).toBe("one\ntwo\nthree\n");
    await call("undo_edit", { task_id: "T1" });
    expect(snapshot(workspace)).toEqual(before);
  });

  it("is undone by task where later commands filled or removed a folder that an earlier one created", async () => {
    const before = snapshot(workspace);
    const session = tenon.createSession({ taskId: "T2" });
    const run = (command: string) => session.call("shell_exec", { command });
    await run("mkdir -p filled gone replaced/in; for at in filled gone replaced/in; do echo x >$at/x; done");
    await run("mkdir filled/new; echo y >filled/new/y; rm -r gone replaced/in; mkdir replaced/in");
    await run("echo z >replaced/in/x");
    await call("undo_edit", { task_id: "T2" });
    expect(snapshot(workspace)).toEqual(before);
  });

  it("asks about careful paths with their content, and commits or holds them back", async () => {
    const agreed = await script("echo a=b >.npmrc; echo done >c.txt");
    expect(asked.at(-1)).toMatchObject({ toolName: "commit_result" });
    expect(asked.at(-1)?.preview?.diff).toContain("+a=b");
    expect(agreed.result.committed).toBe("all");
    expect(exists(".npmrc")).toBe(true);
    rmSync(join(workspace, ".npmrc"));
    consent = false;
    const refused = await script("echo a=b >.npmrc; echo more >>c.txt");
    expect(refused.result).toMatchObject({
      committed: "part",
      heldBack: [{ path: ".npmrc", rule: "**/.npmrc" }],
      heldBackBy: refused.callId,
    });
    expect(textOf(refused)).toMatch(/^\[held back, not in the workspace: \.npmrc/);
    expect(exists(".npmrc")).toBe(false);
    expect(read("c.txt")).toBe("done\nmore\n");
    consent = true;
    await call("commit_result", { call_id: refused.callId });
    expect(read(".npmrc")).toBe("a=b\n");
    await call("undo_edit", { path: ".npmrc" });
    expect(exists(".npmrc")).toBe(false);
  });

  it("is undone by its own call with what was committed later, and that alone by the call that committed it", async () => {
    const before = snapshot(workspace);
    const undo = (callId: string) => call("undo_edit", { call_id: callId });
    const dry = await sh("echo three >>src/a.ts; echo n >n", { dry_run: true });
    const first = await call("commit_result", { call_id: dry.callId, paths: ["n"] });
    await call("commit_result", { call_id: dry.callId });
    await undo(first.callId);
    expect([exists("n"), read("src/a.ts")]).toEqual([false, "one\ntwo\nthree\n"]);
    await undo(dry.callId);
    expect(snapshot(workspace)).toEqual(before);
    await expect(undo(dry.callId)).rejects.toThrow(`the call "${dry.callId}" have already been undone`);

    consent = false;
    const parted = await script("mkdir p; echo x >p/x; echo a=b >p/.npmrc");
    expect(parted.result.committed).toBe("part");
    consent = true;
    const later = await call("commit_result", { call_id: parted.callId });
    expect(read("p/.npmrc")).toBe("a=b\n");
    const records = await tenon.history({ path: "p/.npmrc", limit: 1 });
    expect(records).toMatchObject([{ callId: later.callId, commandCallId: parted.callId }]);
    await undo(parted.callId);
    expect(exists("p")).toBe(false);

    const asksItself = await script("mkdir p; echo x >p/x; echo a=b >p/.npmrc");
    expect([asksItself.result.committed, readdirSync(join(workspace, "p")).length]).toEqual(["all", 2]);
    await undo(asksItself.callId);
    expect(exists("p")).toBe(false);
  });

  it("holds back what other programs run later, inside new folders too", async () => {
    const answer = await script(
      "mkdir -p x/y/.vscode x/z; echo {} >x/y/.vscode/tasks.json; echo ok >x/y/ok; echo ok >x/z/ok",
    );
    expect(answer.result.committed).toBe("part");
    expect(answer.result.heldBack).toMatchObject([{ path: "x/y/.vscode" }]);
    expect([exists("x/y/ok"), exists("x/z/ok"), exists("x/y/.vscode")]).toEqual([true, true, false]);
    await call("commit_result", { call_id: answer.callId });
    expect(read("x/y/.vscode/tasks.json")).toBe("{}\n");
  });

  it("holds back links in the place of folders that rules lead through, and asks about them", async () => {
    consent = false;
    const { result } = await script(
      "mkdir -p conf gh/workflows new keys && echo x >conf/config.toml && echo on >gh/workflows/a.yml && ln -s conf .cargo && ln -s gh .github && ln -s ../conf new/.cargo && ln -s keys plain",
    );
    expect(result.heldBack?.map(({ path }) => path).toSorted()).toEqual([".cargo", ".github", "new/.cargo"]);
    expect(result.heldBack?.find(({ path }) => path === ".cargo")?.reason).toBe(
      ".cargo/config would lead through this link: it decides which code later installs, builds or starts run",
    );
    expect(readdirSync(workspace)).toEqual(expect.arrayContaining(["conf", "gh", "new", "plain"]));
    expect(readdirSync(join(workspace, "new"))).toEqual([]);
    consent = true;
    await call("commit_result", { call_id: result.heldBackBy, paths: [".cargo"] });
    expect(readlinkSync(join(workspace, ".cargo"))).toBe("conf");
  });

  it("holds back hooks in the folder that git's settings name, and in files that hooks are links to", async () => {
    const setUp = [
      "git init -q . && git config core.hooksPath .conf/hooks && mkdir -p .conf/hooks evil/hooks",
      "echo ok >hook.sh && ln -s ../../hook.sh .conf/hooks/pre-push && echo x >evil/hooks/pre-commit",
    ].join(" && ");
    execFileSync("sh", ["-c", setUp], { cwd: workspace });
    const held = async (text: string) => (await script(text)).result.heldBack?.map(({ path }) => path);
    expect(await held("echo evil >.conf/hooks/pre-commit")).toEqual([".conf/hooks/pre-commit"]);
    expect(await held("rm -r .conf && ln -s evil .conf")).toEqual([".conf"]);
    expect(await held("rm -r .conf/hooks && ln -s ../evil/hooks .conf/hooks")).toEqual([".conf/hooks"]);
    expect(await held("echo evil >hook.sh")).toEqual(["hook.sh"]);
    expect(await held("echo fine >.conf/other")).toBeUndefined();
  });

  it("holds back old forms of remotes that run a program, and commits others", async () => {
    execFileSync("git", ["init", "-q", workspace], { env: gitEnv() });
    const folders = ".git/remotes .git/branches new/.git/remotes";
    const { result } = await script(`
      mkdir -p ${folders}; git init -q new; echo x >new/file
      echo 'URL: ext::sh -c "touch ran"' | tee .git/remotes/evil >new/.git/remotes/evil
      echo 'ext::sh -c "touch ran"' >.git/branches/evil; echo 'URL: ./new' >.git/remotes/fine`);
    expect(result.heldBack?.map(({ path }) => path).toSorted()).toEqual([
      ".git/branches/evil",
      ".git/remotes/evil",
      "new/.git/remotes/evil",
    ]);
    expect(result.heldBack?.[0]?.reason).toBe(
      'it names ext::sh -c "touch ran", which can make git run a program',
    );
    expect([exists("new/file"), read(".git/remotes/fine")]).toEqual([true, "URL: ./new\n"]);
    const linked = await script(
      "mkdir forms; mv .git/remotes/fine forms; rmdir .git/remotes; ln -s ../forms .git/remotes",
    );
    expect(linked.result.heldBack).toMatchObject([{ path: ".git/remotes" }]);
  });

  it("commits git's own work, and holds back settings and hooks that run programs", async () => {
    const init = await sh("git init -q . && git add . && git commit -qm one && git checkout -qb other");
    expect(init.result).toMatchObject({ exitCode: 0, committed: "all" });
    expect(execFileSync("git", ["log", "--format=%s"], { cwd: workspace, env: gitEnv() }).toString()).toBe(
      "one\n",
    );
    const risky = await script(
      "git commit -q --allow-empty -m two; echo '#!/bin/sh' >.git/hooks/pre-commit; git config core.fsmonitor ./evil",
    );
    expect(risky.result.heldBack?.map(({ path }) => path).toSorted()).toEqual([
      ".git/config",
      ".git/hooks/pre-commit",
    ]);
    expect(exists(".git/hooks/pre-commit")).toBe(false);
    expect(read(".git/config")).not.toContain("fsmonitor");
    expect(execFileSync("git", ["log", "--format=%s"], { cwd: workspace, env: gitEnv() }).toString()).toBe(
      "two\none\n",
    );
    const mixed = await script(
      "git config core.pager ./evil; git config user.name Agent; git init -q new; git -C new config alias.x '!evil'",
    );
    expect(mixed.result.heldBack?.map(({ path }) => path).toSorted()).toEqual([
      ".git/config",
      "new/.git/config",
    ]);
    expect(read(".git/config")).toMatch(/name = "?Agent/);
    expect(read(".git/config") + read("new/.git/config")).not.toMatch(/evil/);
    expect(read("new/.git/config")).toContain("repositoryformatversion");
    await call("commit_result", { call_id: mixed.callId });
    expect(read(".git/config")).toMatch(/pager = .\/evil\n[^]*name = Agent/);
    expect(read("new/.git/config")).toContain("!evil");
    const clone = await sh("git clone -q . sub && git worktree add -q tree other2 -b other2 2>&1; ls sub");
    expect(clone.result).toMatchObject({ exitCode: 0 });
    expect(exists("sub/.git/config")).toBe(true);
  });

  it("never commits special files, set-user-ID programs and forbidden paths", async () => {
    const answer = await script(
      "mkfifo pipe; cp /bin/true su; chmod u+s su; mkdir -p dir; mkfifo dir/pipe; echo x >dir/file; mkdir -p secret; echo s >secret/s",
    );
    const held = answer.result.heldBack?.map(({ path }) => path).toSorted() ?? [];
    expect(held).toEqual(["dir/pipe", "pipe", "secret"]);
    expect([exists("pipe"), exists("dir/file"), exists("secret/s")]).toEqual([false, true, false]);
    expect(lstatSync(join(workspace, "su")).mode & 0o6000).toBe(0);
  });

  it("never commits forbidden paths that the line names, and says that nobody can approve them", async () => {
    const answer = await sh("mkdir -p secret && echo x >secret/x; mkfifo pipe");
    expect(answer.result.heldBack).toMatchObject([
      { path: "pipe", final: true },
      { path: "secret", final: true },
    ]);
    expect(answer.content).toMatchObject([{ text: expect.stringContaining("nobody can approve it]") }]);
    const later = await call<CommittedResult>("commit_result", { call_id: answer.callId });
    expect(later.result).toMatchObject({ paths: [], notApplied: [{ path: "pipe" }, { path: "secret" }] });
    expect(later.content).toMatchObject([{ text: expect.stringMatching(/^Nothing was applied/) }]);
    expect(existsSync(join(workspace, "secret"))).toBe(false);
  });

  it("commits what a person saw, but not over what somebody else wrote since", async () => {
    write("c.txt", "c\n");
    const dry = await sh("echo new >>b.txt; echo new >>c.txt", { dry_run: true });
    write("c.txt", "before\n");
    meanwhile = () => writeLater("b.txt", "others\n");
    const { result } = await call<CommittedResult>("commit_result", { call_id: dry.callId });
    expect(result).toMatchObject({
      paths: ["c.txt"],
      notApplied: [{ path: "b.txt", reason: "somebody else changed it meanwhile" }],
      left: 1,
    });
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("others\n");
    meanwhile = () => {};
    await call("commit_result", { call_id: dry.callId });
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("b\nnew\n");
  });

  it("changes nothing in a dry run, and commits it later", async () => {
    const before = snapshot(workspace);
    const answer = await sh("echo x >>src/a.ts; echo new >n", { dry_run: true });
    expect(answer.result).toMatchObject({ committed: "none", dryRun: true });
    expect(textOf(answer)).toMatch(/^\[dry run: nothing is in the workspace; commit_result/);
    expect(snapshot(workspace)).toEqual(before);
    await call("commit_result", { call_id: answer.callId, paths: ["n"] });
    expect([exists("n"), read("src/a.ts")]).toEqual([true, "one\ntwo\n"]);
    await call("commit_result", { call_id: answer.callId });
    expect(read("src/a.ts")).toBe("one\ntwo\nx\n");
    const again = await sh("echo y >>src/a.ts", { dry_run: true });
    await call("discard_result", { call_id: again.callId });
    await expect(call("commit_result", { call_id: again.callId })).rejects.toThrow("No held back changes");
  });

  it("says what a limited commit left in the layer", async () => {
    const answer = await sh("echo 1 >one; echo 2 >two", { dry_run: true });
    const [layer] = await tenon.layers.list({ callId: answer.callId });
    expect(await tenon.layers.commit(layer?.id ?? "", ["one"])).toMatchObject({ committed: "part" });
    expect(await tenon.layers.commit(layer?.id ?? "", ["two"])).toMatchObject({ committed: "all" });
    expect(await tenon.layers.list({ callId: answer.callId })).toEqual([]);
  });

  it("keeps hard links between names that the command made, of files that stay, too", async () => {
    const answer = await sh("ln b.txt other; echo x >one; ln one two; mkdir d; ln one d/three");
    expect(answer.result.changes?.map(({ path }) => path).toSorted()).toEqual([
      "d/three",
      "one",
      "other",
      "two",
    ]);
    const inode = (path: string): number => lstatSync(join(workspace, path)).ino;
    expect(inode("other")).toBe(inode("b.txt"));
    expect([inode("two"), inode("d/three")]).toEqual([inode("one"), inode("one")]);
    await call("undo_edit", { call_id: answer.callId });
    expect([exists("one"), exists("other"), lstatSync(join(workspace, "b.txt")).nlink]).toEqual([
      false,
      false,
      1,
    ]);
  });

  it("commits links that lead in circles", async () => {
    const answer = await sh("ln -s loop loop; mkdir d; ln -s . d/self; ln -s ../loop/x d/through");
    expect(answer.result).toMatchObject({ committed: "all", exitCode: 0 });
    expect(lstatSync(join(workspace, "loop")).isSymbolicLink()).toBe(true);
    const replaced = await sh("rm loop; mkdir -p loop/in; echo x >loop/in/file");
    expect(replaced.result).toMatchObject({ committed: "all", exitCode: 0 });
    expect(read("loop/in/file")).toBe("x\n");
  });

  it("commits nothing after the time limit", async () => {
    const before = snapshot(workspace);
    const answer = await sh("echo x >>src/a.ts; sleep 60", { timeout: 1500 });
    expect(answer.result).toMatchObject({ timedOut: true, committed: "none" });
    expect(snapshot(workspace)).toEqual(before);
    await call("commit_result", { call_id: answer.callId });
    expect(read("src/a.ts")).toBe("one\ntwo\nx\n");
  });

  it("keeps the earlier version where somebody else changed the same file", async () => {
    const running = sh("sleep 0.6; echo command >>src/a.ts; echo c >c.txt");
    await new Promise((done) => setTimeout(done, 300));
    writeFileSync(join(workspace, "src/a.ts"), "theirs\n");
    const answer = await running;
    expect(answer.result).toMatchObject({
      committed: "part",
      conflicts: [{ path: "src/a.ts", diff: expect.stringContaining("+command") }],
    });
    expect(read("src/a.ts")).toBe("theirs\n");
    expect(read("c.txt")).toBe("c\n");
    expect(textOf(answer)).toMatch(/^\[conflict, not in the workspace: src\/a\.ts/);
  });

  it("keeps what a job has open", async () => {
    await sh("exec 3>>log; echo start >&3; sleep 30", { background: true });
    await expect.poll(() => exists("log"), { timeout: 20_000 }).toBe(true);
    const answer = await sh("echo replaced >log.new; mv log.new log; echo d >d.txt");
    expect(answer.result.conflicts).toMatchObject([{ path: "log", reason: "a background job has it open" }]);
    expect(read("log")).toBe("start\n");
    expect(read("d.txt")).toBe("d\n");
    for (const { jobId } of (await call<{ jobs: { jobId: string }[] }>("shell_jobs", {})).result.jobs) {
      await call("shell_kill", { job_id: jobId });
    }
  });

  it("removes the whole content of the workspace and brings it back", async () => {
    chmodSync(join(workspace, "src"), 0o750);
    const before = snapshot(workspace);
    const answer = await sh("rm -rf -- * && ls -A | wc -l");
    expect(answer.result.stdout.trim()).toBe("0");
    expect(readdirSync(workspace)).toEqual([]);
    await call("undo_edit", { call_id: answer.callId });
    expect(snapshot(workspace)).toEqual(before);
    expect(lstatSync(join(workspace, "src")).mode & 0o777).toBe(0o750);
  });
});

describe("a command that exceeds the limit of its layer", () => {
  it("is told whether it was stopped or only not committed", async () => {
    const config = {
      stateDir: join(root, "small-state"),
      mode: "auto" as const,
      sandbox: { layers: { maxEntries: 50 } },
    };
    const small = createTenon({
      workspace,
      config,
      home: root,
      env: { PATH: process.env["PATH"], HOME: root },
    });
    const run = async (command: string): Promise<ShellResult> =>
      (await small.call({ name: "shell_exec", arguments: { command } })).result as ShellResult;
    const many = "seq -f many%g 100 | xargs touch";
    const limit = "it changed more than 50 files and folders (sandbox.layers.maxEntries).";
    // Unless it was measured just before its end.
    const short = await run(many);
    expect(short.committed).toBe("none");
    expect(short.notes).toEqual([
      `${short.exitCode === 0 ? "None of its changes were committed" : "The command was stopped"}: ${limit}`,
    ]);
    const long = await run(`${many}; sleep 60`);
    expect(long).toMatchObject({
      exitCode: null,
      committed: "none",
      notes: [`The command was stopped: ${limit}`],
    });
    expect(readdirSync(workspace).filter((name) => name.startsWith("many"))).toEqual([]);
    await small.close();
  });
});

describe("folders that are nested too deeply for one path", () => {
  const descend = `import os
def go(): os.path.isdir(name) or os.mkdir(name); os.chdir(name)
name = "d" * 250
for _ in range(20): go()
`;

  it("are committed as a whole, and nothing is committed if something inside them is changed", async () => {
    try {
      const first = await script(`python3 -c '${descend}open("file", "w").write("x")'`);
      expect(first.result).toMatchObject({ exitCode: 0, committed: "all", notes: [] });
      const depth = (): number => execFileSync("find", [workspace]).toString().split("\n").length;
      const all = depth();
      expect(all).toBeGreaterThan(20);
      const second = await script(`echo new >b.txt; python3 -c '${descend}open("file", "a").write("y")'`);
      expect(second.result.notes.join()).toMatch(/nested so deeply .*, so nothing of what it changed/);
      expect(read("b.txt")).toBe("b\n");
      await call("undo_edit", { call_id: first.callId });
      expect(depth()).toBe(all - 21);
      expect((await sh("echo next >b.txt")).result.committed).toBe("all");
    } finally {
      execFileSync("rm", ["-rf", "--", ...readdirSync(workspace).map((name) => join(workspace, name))]);
    }
  });
});

describe("a file with several names", () => {
  it("says which of them keep the old content", async () => {
    linkSync(join(workspace, "b.txt"), join(workspace, "other"));
    linkSync(join(workspace, "src/a.ts"), join(workspace, "same"));
    const { result } = await sh("echo new >b.txt; echo x | tee src/a.ts >same");
    expect(result).toMatchObject({ committed: "all" });
    expect(result.notes).toEqual([
      "Other names (hard links) of these files keep the old content: b.txt. The command wrote to a copy.",
    ]);
    expect([read("b.txt"), read("other"), read("same")]).toEqual(["new\n", "b\n", "x\n"]);
  });
});

describe("an error of the file system", () => {
  const inState = (name: string): string =>
    execFileSync("find", [join(root, "state"), "-name", name, "-type", "d"], { encoding: "utf8" }).trim();

  it("during a commit costs neither the output nor the changes", async () => {
    await sh("echo first >first");
    const kept = inState("kept");
    renameSync(kept, `${kept}.aside`);
    writeFileSync(kept, "not a folder");
    const answer = await script("echo printed; echo c >src/a.ts; rm b.txt");
    expect(answer.result).toMatchObject({ stdout: "printed\n", exitCode: 0, committed: "none" });
    const [note = ""] = answer.result.notes;
    expect(note).toMatch(/^Nothing of what the command changed is in the workspace, because .*kept/);
    expect(note).toContain(`commit_result {"call_id":"${answer.callId}"}`);
    expect([read("src/a.ts"), read("b.txt")]).toEqual(["one\ntwo\n", "b\n"]);
    rmSync(kept);
    renameSync(`${kept}.aside`, kept);
    await call("commit_result", { call_id: answer.callId });
    expect([read("src/a.ts"), exists("b.txt")]).toEqual(["c\n", false]);
  });

  it("says that the workspace is gone, not that the state is, and commits once it is back", async () => {
    // Of this one, neither the state nor the journal was used before.
    const gone = join(root, "gone");
    mkdirSync(gone);
    const own = createTenon({
      workspace: gone,
      config: { stateDir: join(root, "gone-state"), mode: "auto" },
      env: { PATH: process.env["PATH"], HOME: root },
      home: root,
      interact: { approve: () => true },
    });
    try {
      for (const file of ["new", "newer"]) {
        const command = `touch ${file}; sleep 0.4; echo x >${file}`;
        const running = own.call("shell_exec", { command });
        const find = `find '${root}/gone-state' -name ${file} 2>&1 || true`;
        await expect
          .poll(() => execFileSync("sh", ["-c", find], { encoding: "utf8" }))
          .toMatch(/^\/.*\/new(?:er)?$/m);
        renameSync(gone, `${gone}.aside`);
        const { callId, result } = await running;
        renameSync(`${gone}.aside`, gone);
        expect(result).toMatchObject({ committed: "none", exitCode: 0 });
        expect(result?.notes).toEqual([
          `Nothing of what the command changed is in the workspace, because ${gone} was deleted or moved while the command ran. It is kept: commit_result {"call_id":"${callId}"} commits it once that folder is there again.`,
        ]);
        const committed = await own.call("commit_result", { call_id: callId });
        expect(committed.result ?? committed.error).toMatchObject({ paths: [file], left: 0 });
        expect(readFileSync(join(gone, file), "utf8")).toBe("x\n");
      }
    } finally {
      await own.close();
    }
  });

  it("after a commit takes nothing back, and is told", async () => {
    await sh("echo first >first");
    const layers = inState("layers");
    const found = (): string[] => readdirSync(layers).filter((name) => name.startsWith("layer_"));
    const known = new Set(found());
    const running = script("sleep 0.5; echo c >src/a.ts");
    const newOnes = (): string[] => found().filter((name) => !known.has(name));
    await expect.poll(newOnes).toHaveLength(1);
    // The name that the layer gets before it is removed is taken.
    mkdirSync(join(layers, `removed-${newOnes()[0]}`, "x"), { recursive: true });
    const { result } = await running;
    expect(result).toMatchObject({ committed: "all", exitCode: 0 });
    expect(result.notes.join()).toMatch(/^The files of the layer .* could not be removed: ENOTEMPTY/);
    expect(read("src/a.ts")).toBe("c\n");
  });
});

function gitEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: root };
}
