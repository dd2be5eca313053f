import { describe, expect, it } from "vitest";
import { gitFileRole } from "./git-file.js";

describe("gitFileRole", () => {
  it.each([
    ["src/a.ts", undefined],
    ["config", undefined],
    ["hooks/pre-commit", undefined],
    [".gitmodules", "modules"],
    ["sub/.GitModules", "modules"],
    [".git", "git-file"],
    ["sub/.git", "git-file"],
    [".git/config", "settings"],
    [".GIT/Config", "settings"],
    ["sub/.git/config", "settings"],
    [".git/modules/a/config", "settings"],
    [".git/config.worktree", "settings"],
    [".git/worktrees/a/config.worktree", "settings"],
    [".git/myconfig", "data"],
    [".git/refs/heads/config", "data"],
    [".git/logs/hooks/x", "data"],
    [".git/hooks/pre-commit", "hook"],
    [".git/hooks/pre-commit.sample", "data"],
    [".git/modules/a/hooks/x", "hook"],
    [".git/worktrees/a/commondir", "commondir"],
    [".git/info/attributes", "attributes"],
    [".git/attributes", "data"],
    [".git/objects/info/alternates", "alternates"],
    [".git/info/alternates", "data"],
    [".git/remotes/origin", "remote"],
    [".git/modules/a/remotes/origin", "remote"],
    [".git/branches/origin", "branch"],
    [".git/branches/a/b", "data"],
    [".git/refs/remotes/origin", "data"],
    [".git/modules/a/refs/remotes/origin", "data"],
    [".git/modules/a/logs/refs/heads/branches/b", "data"],
    [".git/rebase-merge/git-rebase-todo", "todo"],
    [".git/worktrees/a/rebase-merge/git-rebase-todo", "todo"],
    [".git/rebase-merge/strategy", "strategy"],
    [".git/sequencer/opts", "sequencer"],
    [".git/opts", "data"],
    [".git/objects/ab/cd", "data"],
    [".git/x/.git/config", "settings"],
  ])("%s: %s", (path, role) => {
    expect(gitFileRole(path)).toBe(role);
  });
});
