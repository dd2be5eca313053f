import { describe, expect, it } from "vitest";
import { play, users } from "./fixtures/layer-scenes.js";

/** A repository with a branch, a hook and a setting that names a program, and others to clone from. */
const setUp = `exec >/dev/null 2>&1
export GIT_CONFIG_GLOBAL=/dev/null
identity() { git -C "$1" config user.name a; git -C "$1" config user.email a@example.org; git -C "$1" config protocol.file.allow always; }
git init -q -b main . && identity . && mkdir -p src/deep && echo one >src/a && echo c >src/deep/c
printf 'repo.git\nmodule\nremote-work\n' >.git/info/exclude
git add -A && git commit -qm one
git checkout -q -b topic && echo topic >topic && git add -A && git commit -qm topic && git checkout -q main
echo two >two && git add -A && git commit -qm two
git clone -q --bare --no-hardlinks . repo.git
git init -q -b main module && identity module && echo m >module/m && git -C module add -A && git -C module commit -qm m
printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
git config core.editor true`;

const ok =
  "git fsck --no-progress --no-dangling >/dev/null 2>&1 && git status --short --ignore-submodules=all -uno";

/** What a program does with git, what is seen afterwards, and what is held back. */
const uses: readonly (readonly [string, string, string, string, readonly string[], "direct"?])[] = [
  [
    "commits, branches, stashes and tags",
    "echo x >>src/a && git commit -qam x && git branch other && git checkout -q topic && git branch -q -D other && git branch -m topic renamed && git switch -q -c new main~1 && echo x >>src/a && git stash -q && echo y >new && git add new && git stash -q && git stash pop -q stash@{1} && git tag -a v1 -m v1",
    `${ok} && git branch --format='%(refname:short)' && git stash list | wc -l && git tag && git log main --format=%s`,
    " M src/a\nmain\nnew\nrenamed\n1\nv1\nx\ntwo\none\n",
    [],
  ],
  [
    "merges, rebases, cherry-picks, reverts and resets",
    "git merge -q topic -m merged && git checkout -q -b again topic && git rebase -q main~1 && git checkout -q -b picked main~1 && git cherry-pick topic >/dev/null && git revert --no-edit HEAD >/dev/null && git reset -q --hard HEAD~1 && git checkout -q topic && echo b >two && git add two && git commit -qm b && ! git merge -q main >/dev/null 2>&1; echo both >two && git add two && git commit -qm both",
    `${ok} && cat two && git log -2 --format=%s again && git log -1 --format=%s picked && git rev-list --count main`,
    "both\ntopic\ntwo\ntopic\n4\n",
    [],
  ],
  [
    "stops in a rebase",
    "git checkout -q -b clash topic && echo b >two && git add two && git commit -qm b && git rebase -q main 2>/dev/null || true",
    "git status --short -uno && cat .git/rebase-merge/git-rebase-todo && head -1 .git/rebase-merge/message",
    "AA two\nb\n",
    [],
  ],
  [
    "packs",
    "git repack -qad && git pack-refs --all && git gc -q --prune=now && git reflog expire --expire=now --all",
    `${ok} && git log --format=%s && git count-objects | cut -d' ' -f1`,
    "two\none\n0\n",
    [],
  ],
  [
    "clones, fetches, pulls and pushes",
    "git clone -q repo.git work && git -C work config user.email a@example.org && git -C work config user.name a && git -C work commit -q --allow-empty -m pushed && git -C work push -q && git remote add origin ./repo.git && git fetch -q && git pull -q --ff-only origin main && git clone -q --depth 1 file://$PWD/repo.git shallow",
    `${ok} && git log -1 --format=%s && git -C work status --short && ls shallow`,
    "pushed\nsrc\ntwo\n",
    [],
    "direct",
  ],
  [
    "adds and removes worktrees",
    "git worktree add -q ../$(basename $PWD)/tree topic 2>/dev/null && git worktree add -q gone && git worktree remove gone && echo x >tree/x && git -C tree add x && git -C tree commit -qm tree",
    `${ok} && git log -1 --format=%s topic && git worktree list | wc -l && git -C tree status --short`,
    "tree\n2\n",
    [],
  ],
  [
    "adds and removes submodules",
    "git -c protocol.file.allow=always submodule --quiet add ./module sub && git commit -qm sub && git -c protocol.file.allow=always submodule --quiet add ./module libs/x && git commit -qm libs && git submodule --quiet deinit -f libs/x && git rm -qf libs/x && git commit -qm less",
    `${ok} && cat sub/m .gitmodules && git -C sub log --format=%s`,
    'm\n[submodule "sub"]\n\tpath = sub\n\turl = ./module\nm\n',
    [],
    "direct",
  ],
  [
    "compares files with the index without reading them",
    "git diff-index --quiet HEAD && git diff-files && git sparse-checkout set src",
    "ls",
    "module\nrepo.git\nsrc\ntwo\n",
    [],
  ],
  [
    "sets harmless settings and others",
    "git config user.name b && git config pull.rebase true && git config core.pager less && git config alias.x '!sh'",
    "git config user.name && git config pull.rebase && git config core.editor && ! git config core.pager",
    "b\ntrue\ntrue\n",
    [".git/config"],
  ],
  [
    "changes hooks",
    "echo exit 1 >>.git/hooks/pre-commit && echo x >.git/hooks/post-commit && git commit -q --allow-empty -n -m hooks && rm -rf .git/hooks/*.sample",
    "ls .git/hooks && grep -c exit .git/hooks/pre-commit && git log -1 --format=%s",
    "pre-commit\n1\nhooks\n",
    [".git/hooks/post-commit", ".git/hooks/pre-commit"],
  ],
  ["removes a repository in the work tree", "rm -rf module repo.git", `${ok} && ls`, "src\ntwo\n", []],
  ["removes objects", "rm -rf .git/objects .git/logs", "ls .git | grep -c -e objects -e logs", "0\n", []],
  ["removes the repository alone", "rm -rf .git", "git log --format=%s", "two\none\n", [".git"]],
  [
    "empties the repository",
    "rm -rf .git/[A-Zhi-r]*; mkdir .git/x",
    "git log --format=%s; ls -d .git/x",
    "two\none\n",
    [
      ".git/COMMIT_EDITMSG",
      ".git/HEAD",
      ".git/hooks",
      ".git/index",
      ".git/info",
      ".git/logs",
      ".git/objects",
      ".git/refs",
      ".git/x",
    ],
  ],
  [
    "creates the repository again",
    "rm -rf .git && git init -q -b fresh && git config user.email b@example.org && git config user.name b && git add src && git commit -qm fresh && echo x >.git/hooks/post-commit",
    "git log --format='%s %an' && git config core.editor && git status --short -uno && ls .git/hooks | grep -v sample",
    "fresh b\ntrue\npre-commit\n",
    [".git/config", ".git/hooks/post-commit", ".git/hooks/pre-commit"],
  ],
  [
    "makes a repository in a folder of its own",
    "git init -q inner && cd inner && echo x >x && git add x && echo x >.git/hooks/post-commit && git config core.sshCommand evil && git -c user.name=a -c user.email=a@example.org commit -qm x",
    "cd inner && git log --format=%s && git status --short && git config --get-regexp ssh; ls .git/hooks | grep -v sample",
    "x\n",
    ["inner/.git/config", "inner/.git/hooks/post-commit"],
  ],
];

describe.each(users())("git on a layer as %s", (_, prefix) => {
  it("works in its everyday uses, which are undone exactly", { timeout: 240_000 }, () => {
    const steps = uses.map(([, command, look, , , how]) => ({
      direct: how === "direct",
      command: `export GIT_CONFIG_GLOBAL=/dev/null\n${command}`,
      look: `export GIT_OPTIONAL_LOCKS=0; { ${look}; } 2>/dev/null || true`,
    }));
    const told = play(prefix, { setUp, steps });
    const found = uses.map(([name], at) => ({ name, ...told[at] }));
    expect(found).toMatchObject(
      uses.map(([name, , , seen, held]) => ({
        name,
        exitCode: 0,
        held,
        seen,
        again: seen,
        isUndone: true,
        notes: [],
      })),
    );
  });

  it("moves a folder in a script by running it again, from the same state", () => {
    const step = { command: "mkdir made && git mv src made/", look: "ls made/src 2>&1 || true" };
    const [first, again] = play(prefix, { setUp, steps: [step, step] });
    expect(first).toMatchObject({ committed: "none", isUndone: true });
    expect(first?.seen).toContain("No such file");
    expect(first?.notes.join()).toMatch(
      /EXDEV\), so nothing of it was committed\. Run the same command again/,
    );
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again?.seen).not.toContain("No such file");
  });

  it("says how to clone where git is told to make hard links", () => {
    const step = (command: string) => ({ command, look: "ls work/two || true", direct: true });
    const told = play(prefix, {
      setUp,
      steps: [step("git clone -q --local . work"), step("git clone -q . work")],
    });
    expect(told[0]).toMatchObject({ exitCode: 128, isUndone: true });
    expect(told[0]?.notes.join()).toContain("Run git clone without --local");
    expect(told[1]).toMatchObject({ exitCode: 0, seen: "work/two\n", notes: [], isUndone: true });
  });
});
