import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.js";
import { randomCases } from "../../test/setup/random-cases.js";

let root: string;
let workspace: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-reads-")));
  workspace = join(root, "work");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  writeFileSync(join(root, "outside"), "OUTSIDE\n");
  writeFileSync(join(workspace, "f1"), "a b\nc d\n1\n2\n");
  writeFileSync(join(workspace, "f2"), "c d\na b\n");
  writeFileSync(join(workspace, "sub", "x.ts"), "foo\n");
  const git =
    "git init -q; git add -A; git -c user.name=x -c user.email=x@x commit -qm one; git tag t1; echo more >> f1";
  spawnSync("sh", ["-c", git], { cwd: workspace });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** All that lies in the workspace; git may refresh its index. */
function snapshot(folder = workspace): string {
  return readdirSync(folder)
    .sort()
    .filter((name) => name !== "index")
    .map((name) => {
      const path = join(folder, name);
      const { mode } = lstatSync(path);
      const content = lstatSync(path).isDirectory() ? snapshot(path) : readFileSync(path, "latin1");
      return `${name} ${mode} ${content}`;
    })
    .join("\n");
}

const programs =
  "ls cat head tail wc grep rg find sort uniq cut tr diff cmp comm nl tac fold paste column od xxd strings base64 md5sum stat file du tree realpath date id seq sed awk test printf echo ps set".split(
    " ",
  );
const subcommands =
  "status log diff show blame branch tag remote rev-parse ls-files cat-file describe grep stash config reflog worktree symbolic-ref rev-list".split(
    " ",
  );
const program = fc.oneof(
  fc.constantFrom(...programs),
  fc.constantFrom(...subcommands).map((verb) => `git ${verb}`),
);
const letters = fc.string({
  unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ012".split("")),
  minLength: 1,
  maxLength: 2,
});
const word = fc.oneof(
  { arbitrary: letters.map((text) => `-${text}`), weight: 3 },
  {
    arbitrary: fc.constantFrom(
      ..."f1 f2 sub out ../outside - -- 1 p HEAD t1 . -o --output=out --output -l -n newname {print} s/a/b/ 'w out' 's/a/b/w out' '1e touch out' -delete -exec touch ; $(touch out)".match(
        /'[^']*'|\S+/g,
      )!,
    ),
    weight: 7,
  },
);
const line = fc
  .tuple(program, fc.array(word, { maxLength: 4 }))
  .map(([name, words]) => [name, ...words.map(quote)].join(" "));

function quote(text: string): string {
  return /^[\w./=-]+$|^'/.test(text) ? text : `'${text}'`;
}

describe("a line that is said to only read", () => {
  it("changes nothing and shows nothing from outside, whatever its options", { timeout: 300_000 }, () => {
    const before = snapshot();
    const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_PAGER: "cat" };
    let said = 0;
    const cases = randomCases(600);
    fc.assert(
      fc.property(line, (text) => {
        if (!analyseCommand(text, { workspace }).readOnly) return;
        said += 1;
        const { stdout } = spawnSync("timeout", ["5", "bash", "-c", text], {
          cwd: workspace,
          env,
          stdio: ["ignore", "pipe", "ignore"],
        });
        expect(snapshot()).toBe(before);
        expect(stdout.toString("latin1")).not.toContain("OUTSIDE");
      }),
      { numRuns: cases },
    );
    // About two in five are: enough of them were run.
    expect(said).toBeGreaterThan(cases / 6);
  });
});
