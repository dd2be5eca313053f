import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatGitConfig, keyOf, parseGitConfig } from "./git-config.js";
import { type ChangeVerdict, judgeChange, type PathRole } from "./judge-change.js";
import { randomCases } from "../../../../test/setup/random-cases.js";

const file = (text: string) => ({ kind: "file" as const, bytes: Buffer.from(text) });
const space = { isInside: (path: string) => path.startsWith("/w/") };

function judge(role: PathRole, after: string | undefined, before?: string): ChangeVerdict {
  return judgeChange(
    {
      path: "/w/a/.git/x/config",
      role,
      rule: "rule",
      before: before === undefined ? undefined : file(before),
      after: after === undefined ? undefined : file(after),
    },
    space,
  );
}

const fresh =
  "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";

describe("the judgement of git's settings", () => {
  it.each([
    fresh,
    `${fresh}[user]\n\tname = A B\n\temail = a@example.org\n`,
    `${fresh}[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`,
    `[remote "o"]\n\turl = git@example.org:x/y.git\n\turl = ../bare.git\n\turl = file:///srv/x\n\turl = ssh://git@example.org:22/x\n`,
    `[submodule "libs/x"]\n\turl = ../x\n\tactive = true\n\tupdate = rebase\n[core]\n\tworktree = ../../sub\n`,
    "[core]\n\tfsmonitor = false\n[push]\n\tautoSetupRemote\n[pull] rebase = true\n",
  ])("lets harmless settings pass: %j", (text) => {
    expect(judge("settings", text)).toEqual({ held: false });
  });

  it.each([
    ["[core]\n\tfsmonitor = ./x", "core.fsmonitor"],
    ["[core] fsmonitor = ./x", "core.fsmonitor"],
    ["[CORE]\n\tHooksPath = h", "core.hookspath"],
    ["[core]\n\tsshCommand = x", "core.sshcommand"],
    ["[core]\n\tpager = x", "core.pager"],
    ["[core]\n\teditor = x", "core.editor"],
    ["[core]\n\taskPass = x", "core.askpass"],
    ["[core]\n\tgitProxy = x", "core.gitproxy"],
    ["[core]\n\tworktree = /home/me/.ssh", "core.worktree"],
    ["[include]\n\tpath = ../x", "include.path"],
    ['[includeIf "gitdir:/"]\n\tpath = ../x', "includeif.gitdir:/.path"],
    ['[diff "x"]\n\tcommand = x', "diff.x.command"],
    ['[diff "x"]\n\ttextconv = x', "diff.x.textconv"],
    ["[diff]\n\texternal = x", "diff.external"],
    ['[filter "x"]\n\tclean = x', "filter.x.clean"],
    ['[merge "x"]\n\tdriver = x', "merge.x.driver"],
    ['[mergetool "x"]\n\tcmd = x', "mergetool.x.cmd"],
    ["[alias]\n\tst = !x", "alias.st"],
    ["[credential]\n\thelper = !x", "credential.helper"],
    ["[gpg]\n\tprogram = x", "gpg.program"],
    ['[gpg "ssh"]\n\tdefaultKeyCommand = x', "gpg.ssh.defaultkeycommand"],
    ["[sequence]\n\teditor = x", "sequence.editor"],
    ['[url "ext::sh -c x"]\n\tinsteadOf = https://', "url.ext::sh -c x.insteadof"],
    ["[protocol]\n\tallow = always", "protocol.allow"],
    ['[remote "o"]\n\turl = ext::sh -c x', "remote.o.url"],
    ['[remote "o"]\n\turl = ssh://-oProxyCommand=x/y', "remote.o.url"],
    ['[remote "o"]\n\turl = -oProxyCommand=x:y', "remote.o.url"],
    ['[remote "o"]\n\tuploadpack = x', "remote.o.uploadpack"],
    ['[remote "o"]\n\tvcs = x', "remote.o.vcs"],
    ['[branch "m"]\n\tremote = "ext::sh -c x"', "branch.m.remote"],
    ['[branch "m"]\n\tmergeOptions = -s x', "branch.m.mergeoptions"],
    ['[submodule "s"]\n\tupdate = !x', "submodule.s.update"],
    ["[init]\n\ttemplateDir = x", "init.templatedir"],
    ["[uploadpack]\n\tpackObjectsHook = x", "uploadpack.packobjectshook"],
    ["[core]\n\tbare = \\\nfalse\n\tfsmonitor = \\\n./x", "core.fsmonitor"],
    ["\uFEFF[core]\r\n\tfsmonitor = ./x\r\n", "core.fsmonitor"],
    ["[hook]\n\tcommand = x", "hook.command"],
    ["[some]\n\tfuture = x", "some.future"],
  ])("holds back %j", (text, key) => {
    const verdict = judge("settings", `${fresh}${text}\n`.replace(/^([^]*)\uFEFF([^]*)$/, "\uFEFF$2"));
    expect(verdict).toMatchObject({ held: true, reason: expect.stringContaining(`sets ${key}`) });
  });

  it("keeps the harmless part and what the person had set", () => {
    const before = `${fresh}[core]\n\thooksPath = .husky\n`;
    const after = `${fresh}[core]\n\thooksPath = evil\n[user]\n\tname = "A # B"\n[alias]\n\tx = !y\n`;
    const verdict = judge("settings", after, before);
    expect(verdict).toMatchObject({ held: true, reason: expect.stringContaining("core.hookspath, alias.x") });
    const instead = parseGitConfig(String(verdict.held && Buffer.from(verdict.instead ?? []).toString()));
    expect(instead?.map((each) => `${keyOf(each)}=${each.value}`)).toEqual([
      "core.repositoryformatversion=0",
      "core.filemode=true",
      "core.bare=false",
      "core.logallrefupdates=true",
      "user.name=A # B",
      "core.hookspath=.husky",
    ]);
  });

  it("lets harmless changes beside dangerous settings of the person's own pass", () => {
    const own = "[alias]\n\tx = !y\n";
    expect(judge("settings", `${own}${fresh}`, own)).toEqual({ held: false });
    expect(judge("settings", fresh, `${own}${fresh}`)).toMatchObject({ held: true });
    expect(judge("settings", undefined, fresh)).toMatchObject({ held: true });
  });

  it.each([
    "[core",
    "[core]\n\tx y",
    "key = 1",
    '[core]\n\tname = "open\n',
    '[a.b "c"]\n\tx = 1',
    "[core]\n\tx = \\q",
    "[core]\nbare = 1\0",
  ])("holds back what it cannot read: %j", (text) => {
    expect(judge("settings", text)).toMatchObject({
      held: true,
      reason: expect.stringContaining("with certainty"),
    });
  });
});

describe("the parser of git's settings", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tenon-git-config-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What git itself reads; undefined where it refuses the file. */
  const byGit = (text: string): string[] | undefined => {
    const path = join(folder, "config");
    writeFileSync(path, text);
    try {
      const out = execFileSync("git", ["config", "--file", path, "--no-includes", "--null", "--list"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      return out
        .split("\0")
        .slice(0, -1)
        .map((each) => (each.includes("\n") ? each : `${each}\ntrue`));
    } catch {
      return undefined;
    }
  };

  it("never reads fewer settings than git does, whatever the text", () => {
    const piece = fc.constantFrom(
      "[core]",
      '[a "b"]',
      '[a "b\\"c"]',
      "[a.B]",
      "\n",
      "\r\n",
      "\t",
      " ",
      "fsmonitor",
      "bare",
      "=",
      " = ",
      "x",
      '"',
      "\\",
      "\\n",
      "\\\n",
      "#",
      ";",
      "!y",
      "-",
      ".",
      "1",
      "[",
      "]",
      "é",
      "\u00a0",
      "\r",
      "\v",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `[core]\n${pieces.join("")}`;
        const own = parseGitConfig(text);
        const git = byGit(text);
        // Where either refuses, nothing runs or everything is held back.
        if (own === undefined || git === undefined) return;
        expect(own.map((each) => keyOf(each))).toEqual(git.map((each) => each.slice(0, each.indexOf("\n"))));
      }),
      { numRuns: randomCases(150) },
    );
  });

  it("writes what git reads back the same", () => {
    const settings = [
      { section: "remote", subsection: 'o"\\x y', name: "url", value: ' a\tb\n#c;"d"\\ ' },
      { section: "user", subsection: undefined, name: "name", value: "" },
    ];
    const text = formatGitConfig(settings);
    expect(byGit(text)).toEqual(['remote.o"\\x y.url\n a\tb\n#c;"d"\\ ', "user.name\n"]);
    expect(parseGitConfig(text)).toEqual(settings);
  });
});

describe("the judgement of other paths", () => {
  it.each<[PathRole, string, boolean]>([
    ["named", "x", true],
    ["hook", "#!/bin/sh", true],
    ["modules", '[submodule "a"]\n\tpath = a\n\turl = ../a\n', false],
    ["modules", '[submodule "a"]\n\tpath = a\n\turl = ../a\n\tupdate = !x\n', true],
    ["modules", "[core]\n\tbare = true\n", true],
    ["modules", '[submodule "a"]\n\turl = -x\n', true],
    ["attributes", "* text=auto\n*.png binary\n*.rs diff=rust\n*.lock merge=union -diff\n", false],
    ["attributes", "# filter=x\n*.c filter=x\n", true],
    ["attributes", "*.c diff=own\n", true],
    ["attributes", '"a b" merge=own\n', true],
    ["git-file", "gitdir: ../.git/worktrees/a\n", false],
    ["git-file", "gitdir: /w/.git/modules/a\n", false],
    ["git-file", "gitdir: /tmp/evil\n", true],
    ["git-file", "no git file", true],
    ["commondir", "../..\n", true],
    ["commondir", "../evil\n", true],
    ["commondir", "/tmp/evil\n", true],
    ["alternates", "/w/other/.git/objects\n", false],
    ["alternates", "/srv/objects\n", true],
    ["remote", "URL: ../other\nPush: refs/heads/a:refs/heads/-b\nPull: x\nURL:git@host:a.git\n", false],
    ["remote", "not read: ext::sh -c x\n", false],
    ["remote", "URL: ../other\nURL:   ext::sh -c x\n", true],
    ["remote", "Pull: x\nURL: --upload-pack=x\r\n", true],
    ["branch", "https://example.org/a.git#main\next::sh -c x\n", false],
    ["branch", "", false],
    ["branch", "  ext::sh -c x#main\n", true],
    ["branch", "ssh://-oProxyCommand=x/a", true],
    ["todo", "pick 0123 message\n", false],
    ["todo", "pick 0123 exec\nexec make\n", true],
    ["todo", "x make\n", true],
  ])("%s %j", (role, text, isHeld) => {
    expect(judge(role, text).held).toBe(isHeld);
  });

  it("lets a linked work tree share the git folder that it lies in, and no other", () => {
    const change = {
      role: "commondir" as const,
      rule: "r",
      before: undefined,
      path: "/w/.git/worktrees/a/commondir",
    };
    expect(judgeChange({ ...change, after: file("../..\n") }, space).held).toBe(false);
    expect(judgeChange({ ...change, after: file("../../../evil\n") }, space).held).toBe(true);
  });

  it("holds back links, and removals of what is named", () => {
    const link = { kind: "link" as const, target: "evil" };
    const base = { path: "/w/x", rule: "r", before: undefined, after: link };
    for (const role of ["settings", "git-file", "named", "hook", "attributes"] as const)
      expect(judgeChange({ ...base, role }, space).held).toBe(true);
    expect(judge("named", undefined, "x").held).toBe(true);
    expect(judge("attributes", undefined, "x").held).toBe(false);
  });
});
