import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLongRun } from "../../../test/setup/random-cases.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import { snapshot } from "../../world/journal/testing/snapshot.js";
import type { ShellResult } from "./shell-result.js";

let root: string;
let workspace: string;
let tenon: Tenon;
const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-git-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  tenon = createTenon({
    workspace,
    config: { stateDir: join(root, "state"), mode: "auto", sandbox: { enabled: "required" } },
    env: { ...env, HOME: root },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

const name = fc.constantFrom("a", "b", "src/c", "src/deep/d", "new");
const branch = fc.constantFrom("main", "topic", "other");
const submodule = "git -c protocol.file.allow=always submodule --quiet";

/** Lines of everyday work; many of them fail in some states, as they do for people. */
const line: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(name, fc.nat(99)).map(([at, n]) => `mkdir -p src/deep; echo ${n} >>${at}`),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom("git add -A", "git commit -qam x", "git add -A; git commit -qm y"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("git stash -q", "git stash -qu", "git stash pop -q", "git stash drop -q"),
  },
  { weight: 2, arbitrary: branch.map((at) => `git checkout -q ${at} || git checkout -q -b ${at}`) },
  {
    weight: 2,
    arbitrary: branch.map((at) => `git rebase -q ${at} || git rebase --skip || git rebase --abort`),
  },
  branch.map((at) => `git rebase -q ${at}`),
  branch.map((at) => `git merge -q --no-edit ${at} || git merge --abort`),
  branch.map((at) => `git cherry-pick ${at} || git cherry-pick --abort`),
  branch.map((at) => `git branch -D ${at}`),
  fc.constantFrom("git reset -q --hard HEAD~1", "git clean -qfd", "git gc -q", "git pack-refs --all"),
  fc.tuple(name, name).map(([from, to]) => `git mv -f ${from} ${to}x`),
  name.map((at) => `git rm -qf ${at}`),
  fc.constantFrom("one", "two").map((at) => `git worktree add -q trees/${at}`),
  fc.constantFrom("one", "two").map((at) => `echo w >>trees/${at}/a && git -C trees/${at} commit -qam w`),
  fc.constantFrom("one", "two").map((at) => `git worktree remove --force trees/${at}`),
  fc.constantFrom("one", "two").map((at) => `${submodule} add ./module subs/${at} && git commit -qm sub`),
  fc
    .constantFrom("one", "two")
    .map((at) => `git submodule --quiet deinit -f subs/${at} && git rm -qf subs/${at}`),
);
const commands = fc.array(fc.array(line, { minLength: 2, maxLength: 8 }), { minLength: 2, maxLength: 4 });
/** What a person does meanwhile; the first two rewrite the index only. */
const meanwhile = fc.constantFrom(
  "git update-index --refresh",
  "git add -A",
  "git stash -q",
  "echo mine >>a && git commit -qam mine",
  "git checkout -q --detach",
);

describe("any work with git", () => {
  it("is undone exactly, by call and by task", { timeout: 1_200_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (scripts) => {
        plant();
        const states: { callId: string; before: Record<string, string> }[] = [];
        for (const lines of scripts) {
          const before = contents();
          states.push({ callId: await run(lines), before });
        }
        for (const { callId, before } of states.toReversed()) {
          const { error } = await tenon.call({ name: "undo_edit", arguments: { call_id: callId } });
          expect(error?.message ?? nothing).toMatch(nothing);
          expect(contents()).toEqual(before);
        }
        const before = contents();
        const taskId = `task-${(tasks += 1)}`;
        const task = tenon.createSession({ taskId });
        for (const lines of scripts) await run(lines, task);
        const { error } = await task.call({ name: "undo_edit", arguments: { task_id: taskId } });
        await task.close();
        expect(error?.message ?? nothing).toMatch(nothing);
        expect(contents()).toEqual(before);
      }),
      { numRuns: isLongRun ? 60 : 2, endOnFailure: true },
    );
  });

  it("is undone or refused as a whole after a person worked in it, too", { timeout: 1_200_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(commands, meanwhile, async (scripts, own) => {
        plant();
        const calls: string[] = [];
        for (const lines of scripts) calls.push(await run(lines));
        git(own);
        for (const callId of calls.toReversed()) {
          const before = contents();
          const { error } = await tenon.call({ name: "undo_edit", arguments: { call_id: callId } });
          if (error === undefined) continue;
          expect(error.message).toMatch(/^(?:Nothing to undo|Cannot undo: )/);
          expect(contents()).toEqual(before);
        }
      }),
      { numRuns: isLongRun ? 60 : 2, endOnFailure: true },
    );
  });
});

let tasks = 0;
/** Some scripts change nothing. */
const nothing = "Nothing to undo";

/** Run lines as one command; returns the id of the call. */
async function run(lines: readonly string[], caller: Pick<Tenon, "call"> = tenon): Promise<string> {
  // The line itself says nothing about what it changes.
  writeFileSync(join(root, "work", ".git", "script.sh"), `exec 2>/dev/null >&2\n${lines.join("\n")}\n:`);
  const { callId, result, error } = await caller.call({
    name: "shell_exec",
    arguments: { command: "sh .git/script.sh", timeout: 120_000 },
  });
  expect(error).toBeUndefined();
  const { conflicts, exitCode, notes } = result as ShellResult;
  expect({ conflicts, exitCode, notes }).toEqual({ conflicts: undefined, exitCode: 0, notes: [] });
  return callId;
}

/** Without the script, which every run replaces. */
function contents(): Record<string, string> {
  const { ".git/script.sh": _, ...found } = snapshot(workspace);
  return found;
}

function git(script: string): void {
  execFileSync("sh", ["-c", `{ ${script}; } >/dev/null 2>&1 || :`], {
    cwd: workspace,
    env: { ...env, ...config },
  });
}

const config = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function plant(): void {
  execFileSync("rm", ["-rf", "--", ...readdirSync(workspace).map((each) => join(workspace, each))]);
  git(`git init -q -b main . && git config user.name a && git config user.email a@example.org &&
    printf 'module\\n' >.git/info/exclude && mkdir -p src/deep && echo a >a && echo c >src/c && git add -A && git commit -qm one &&
    git checkout -q -b topic && echo t >b && echo t >>src/c && git add -A && git commit -qm topic && git checkout -q main &&
    echo m >>src/c && git commit -qam main &&
    git init -q -b main module && git -C module config user.name a && git -C module config user.email a@example.org &&
    echo m >module/m && git -C module add -A && git -C module commit -qm m`);
}
