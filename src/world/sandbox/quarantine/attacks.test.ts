import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { carefulPathGlobs, protectedPathGlobs } from "../../../policy/built-in-rules.js";
import { type Fixture, openFixture } from "../sandbox.fixture.js";

/** What a person does in a repository after a command; planted programs must not run by any of it. */
const personsDay = [
  "git status",
  "git diff",
  "git log -1",
  "git commit -q --allow-empty -m next",
  "git checkout -q -b later",
  "git submodule update --init",
  "git checkout -q -",
  "git rebase --continue",
].join("; ");

interface Attack {
  readonly what: string;
  /** Run inside, in the person's repository. `$EVIL` is a program of the work tree that leaves a mark. */
  readonly plant: string;
  /** What the person had set up before. */
  readonly before?: string;
  /** What else the person does afterwards. */
  readonly after?: string;
}

/** Two branches that do not merge by themselves. */
const twoSides =
  "git checkout -q -b side; echo b > a.txt; git commit -qam b; echo c > c.txt; git add c.txt; git commit -qm c; git checkout -q main; echo d > a.txt; git commit -qam d; git checkout -q side";
/** Git starts `git-merge-x/evil` for the strategy `x/evil`; the conflict is solved, so that it can go on. */
const mergeProgram = "mkdir git-merge-x; cp $EVIL git-merge-x/evil; echo e > a.txt; git add a.txt";

const attacks: readonly Attack[] = [
  {
    what: "a nested repository with core.fsmonitor and a gitlink",
    plant:
      "git init -q sub && cd sub && git commit -q --allow-empty -m x && git config core.fsmonitor $EVIL && cd .. && git add sub",
  },
  {
    what: "one below a folder of dependencies",
    plant:
      "git init -q node_modules/x && cd node_modules/x && git commit -q --allow-empty -m x && git config core.fsmonitor $EVIL && cd ../.. && git add -f node_modules/x",
  },
  {
    what: "one that is prepared elsewhere and renamed",
    plant:
      "mkdir -p node_modules/p && git init -q node_modules/p/sub && cd node_modules/p/sub && git commit -q --allow-empty -m x && git config core.fsmonitor $EVIL && cd ../../.. && mv node_modules/p/sub deep && git add deep",
  },
  {
    what: "a file of the work tree that include.path names",
    before: "git config include.path ../local.gitconfig",
    plant: 'printf "[core]\\n\\tfsmonitor = %s\\n" "$EVIL" > local.gitconfig',
  },
  {
    what: "a change of such a file",
    before: "git config include.path ../local.gitconfig; printf '[user]\\n\\tname = P\\n' > local.gitconfig",
    plant: 'git config -f local.gitconfig core.fsmonitor "$EVIL"',
  },
  { what: "core.fsmonitor", plant: "git config core.fsmonitor $EVIL" },
  {
    what: "core.fsmonitor, written by python",
    plant: `python3 -c 'import os; open(".git/config","a").write("[core]\\n\\tfsmonitor = "+os.environ["EVIL"]+"\\n")'`,
  },
  { what: "core.hooksPath", plant: "mkdir h && cp $EVIL h/pre-commit && git config core.hooksPath h" },
  { what: "a hook", plant: "cp $EVIL .git/hooks/pre-commit" },
  {
    what: "a hook by a link in the place of the folder",
    plant: "mkdir h && cp $EVIL h/pre-commit && rm -rf .git/hooks && ln -s ../h .git/hooks",
  },
  {
    what: "a hook in the folder that core.hooksPath names",
    before: "mkdir own && git config core.hooksPath own",
    plant: "cp $EVIL own/pre-commit || (mv own gone && mkdir own && cp $EVIL own/pre-commit)",
  },
  {
    what: "a hook of a nested repository, by rename and copy back",
    before: "git init -q app && cp /bin/true app/.git/hooks/pre-commit",
    plant: "mv app app2; cp -r app2 app; rm -f app/.git/hooks/pre-commit; cp $EVIL app/.git/hooks/pre-commit",
    after: "cd app && git commit -q --allow-empty -m x",
  },
  {
    what: "a bare repository in a folder",
    plant:
      "git init -q --bare docs && git -C docs config core.fsmonitor $EVIL && git -C docs config core.bare false && git -C docs config core.worktree ..",
    after: "cd docs && git status",
  },
  {
    what: "a file .git that leads to a folder of dependencies",
    plant:
      "git init -q --bare node_modules/g && git -C node_modules/g config core.bare false && git -C node_modules/g config core.fsmonitor $EVIL && mkdir lib && echo 'gitdir: ../node_modules/g' > lib/.git",
    after: "cd lib && git status",
  },
  {
    what: "a link .git",
    plant:
      "git init -q --bare node_modules/g && git -C node_modules/g config core.bare false && git -C node_modules/g config core.fsmonitor $EVIL && mkdir lib && ln -s ../node_modules/g lib/.git",
    after: "cd lib && git status",
  },
  {
    what: "commondir",
    plant:
      "cp -r .git other && git config -f other/config core.fsmonitor $EVIL && rm other/HEAD && echo ../other > .git/commondir",
  },
  {
    what: "settings of the work tree",
    plant: "git config extensions.worktreeConfig true && git config --worktree core.fsmonitor $EVIL",
  },
  {
    what: "an update command of a submodule",
    before:
      "git init -q ../m; git -C ../m commit -q --allow-empty -m m; git -c protocol.file.allow=always submodule --quiet add ../m m; git commit -qm m; git -C m commit -q --allow-empty -m n; git submodule --quiet deinit -f m",
    plant: 'git config submodule.m.url ../m; git config submodule.m.update "!$EVIL"',
    after: "git -c protocol.file.allow=always submodule update --init --force m",
  },
  {
    what: "settings of a submodule's git folder",
    before:
      "git init -q ../m2; git -C ../m2 commit -q --allow-empty -m m; git -c protocol.file.allow=always submodule --quiet add ../m2 m2; git commit -qm m2",
    plant: "git -C m2 config core.fsmonitor $EVIL",
  },
  {
    what: "a merge program for the rest of a rebase",
    plant: `${twoSides}; git rebase -q main; ${mergeProgram}; echo x/evil > .git/rebase-merge/strategy`,
  },
  {
    what: "a merge program for the rest of a cherry-pick",
    plant: `${twoSides}; git checkout -q main; git cherry-pick main..side; ${mergeProgram}; printf "[options]\\n\\tstrategy = x/evil\\n" >> .git/sequencer/opts`,
    after: "git cherry-pick --continue",
  },
  {
    what: "commands in the steps of a rebase",
    plant:
      'git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR="sh -c \'printf \\"break\\nexec $EVIL\\n\\" > \\$0\'" git rebase -q -i HEAD~1',
  },
  {
    what: "a filter",
    plant: "git config filter.x.clean $EVIL; echo '*.txt filter=x' > .gitattributes; echo changed > a.txt",
  },
  {
    what: "a filter by attributes of the git folder behind a link",
    before:
      'git config filter.x.clean "sh ./clean.sh"; echo "cat" > clean.sh; git add clean.sh; git commit -qm clean',
    plant:
      "mkdir inf; echo 'a.txt filter=evil' > inf/attributes; rm -rf .git/info; ln -s ../inf .git/info; git config filter.evil.clean $EVIL; echo changed > a.txt",
  },
];

describe("programs that a command plants for git", () => {
  let fixture: Fixture;
  let workspace: string;
  let count = 0;
  beforeAll(async () => {
    // Its name has no space, so that a shell takes the path of the program for one word.
    workspace = realpathSync(mkdtempSync(join(tmpdir(), "tenon-planted-")));
    fixture = await openFixture({
      workspace,
      protectedPaths: [...protectedPathGlobs],
      carefulPaths: [...carefulPathGlobs],
    });
    writeFileSync(join(fixture.home, ".gitconfig"), "[user]\n\tname = P\n\temail = p@example.org\n");
  });
  afterAll(async () => {
    await fixture.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const person = (folder: string, script: string, env: Record<string, string> = {}): void => {
    spawnSync("/bin/sh", ["-c", script], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: fixture.home, GIT_EDITOR: "true", ...env },
      timeout: 20_000,
    });
  };
  /** A repository of the person's, with a program that leaves a mark where no command could. */
  const prepare = (folder: string, before = ""): string => {
    const mark = join(fixture.root, `ran-${(count += 1)}`);
    mkdirSync(folder, { recursive: true });
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: folder });
    writeFileSync(join(folder, "a.txt"), "a\n");
    writeFileSync(join(folder, "evil.sh"), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    person(folder, `git add a.txt && git commit -qm first; ${before}`);
    return mark;
  };
  const names = {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };

  it.each(attacks)("do not run: $what", async ({ plant, before, after = "" }) => {
    // Without a wall the attack works: a test of one that does nothing would prove nothing.
    const open = join(fixture.root, `open-${count}/tree`);
    const openMark = prepare(open, before);
    person(open, plant, { EVIL: join(open, "evil.sh"), ...names });
    person(open, `${personsDay}; ${after}`);
    expect(existsSync(openMark)).toBe(true);

    const folder = join(workspace, `tree-${count}`);
    const mark = prepare(folder, before?.replaceAll("../m", "./m0"));
    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: fixture.home,
      EVIL: join(folder, "evil.sh"),
      ...names,
    };
    await fixture.sh(plant, { cwd: folder, env });
    person(folder, `${personsDay}; ${after}`);
    expect(existsSync(mark)).toBe(false);
    rmSync(folder, { recursive: true, force: true });
  });

  it("stay out of careful files, whatever writes them", async () => {
    const folder = join(workspace, "careful");
    mkdirSync(join(folder, ".github/workflows"), { recursive: true });
    writeFileSync(join(folder, ".npmrc"), "old\n");
    writeFileSync(join(folder, ".github/workflows/ci.yml"), "old\n");
    for (const write of [
      `python3 -c 'open(".npmrc","w").write("evil")'`,
      `perl -e 'open(F,">",".npmrc");print F "evil"'`,
      `node -e 'require("fs").writeFileSync(".github/workflows/ci.yml","evil")'`,
      "echo evil > x && cp x .npmrc",
      "echo evil | tee .envrc .npmrc",
      "mkdir -p t/.cargo && echo evil > t/.cargo/config.toml && echo evil > t/.npmrc && tar cf x.tar -C t . && tar xf x.tar && rm -r t",
      "mkdir n && echo evil > n/.npmrc && mkdir -p deep/er && mv n deep/er/n",
      "mkdir c && echo evil > c/config.toml && rmdir .cargo && ln -s c .cargo",
      "rm .npmrc",
    ]) {
      await fixture.sh(write, { cwd: folder });
      expect([write, readFileSync(join(folder, ".npmrc"), "utf8")]).toEqual([write, "old\n"]);
    }
    expect(readFileSync(join(folder, ".github/workflows/ci.yml"), "utf8")).toBe("old\n");
    for (const name of [".envrc", "deep/er/n/.npmrc", ".cargo"])
      expect(existsSync(join(folder, name))).toBe(false);
  });

  it("may lie in folders of dependencies, where nobody opens them", async () => {
    const folder = join(workspace, "deps");
    mkdirSync(folder);
    const places = [
      "node_modules/a/.npmrc",
      "vendor/b/.github/workflows/x.yml",
      ".venv/lib/.envrc",
      "target/doc/.vscode/x",
    ];
    await fixture.sh(places.map((path) => `mkdir -p $(dirname ${path}) && echo x > ${path}`).join(" && "), {
      cwd: folder,
    });
    for (const path of places) expect([path, existsSync(join(folder, path))]).toEqual([path, true]);
  });
});
