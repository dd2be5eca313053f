import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTenon } from "../runtime/create-tenon.js";
import type { Tenon } from "../runtime/tenon.js";

let root: string;
let workspace: string;
let tenon: Tenon;
let asked: string[] = [];

const open = (config: object = {}): Tenon =>
  createTenon({
    workspace,
    config: {
      stateDir: join(root, "state"),
      mode: "auto",
      files: { forbiddenPaths: ["**/hidden"] },
      policy: {
        rules: [
          { decision: "deny", path: "**/salaries" },
          { decision: "ask", path: "ops/**", access: "write" },
          { decision: "deny", path: "team/*/private/**" },
          { decision: "deny", path: "team/*/frozen/**", access: "write" },
        ],
      },
      ...config,
    },
    env: { PATH: process.env["PATH"], HOME: root },
    home: root,
    interact: {
      approve({ toolName }) {
        asked.push(toolName);
        return false;
      },
    },
  });

const git = (...words: string[]): void => {
  execFileSync("git", words, { cwd: workspace, env: { PATH: process.env["PATH"], HOME: root } });
};

const put = (path: string, content = "old\n"): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
};

/** Put something at a path, and a link that leads to it. */
const link = (path: string, target: string, file = ""): void => {
  put(join(dirname(path), target, file));
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  symlinkSync(target, join(workspace, path));
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-other-names-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  asked = [];
  git("init", "-q", ".");
  tenon = open();
});
afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true });
});

const call = (name: string, input: object) => tenon.call({ name, arguments: input });
const contentOf = (path: string): string | undefined =>
  existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), "utf8") : undefined;

const places: readonly (readonly [what: string, path: string, denied: boolean, prepare: () => void])[] = [
  ["the target of a careful link", "realrc", false, () => link(".npmrc", "realrc")],
  [
    "the target of a careful link elsewhere",
    "shared/rc",
    false,
    () => link("pkg/a/.npmrc", "../../shared/rc"),
  ],
  [
    "a careful path below the target of a link",
    "ci/workflows/x.yml",
    false,
    () => link(".github", "ci", "x"),
  ],
  ["what a careful link will lead to", "later", false, () => symlinkSync("later", join(workspace, ".envrc"))],
  [
    "the target of a link to a careful link",
    "real2",
    false,
    () => {
      link("middle", "real2");
      symlinkSync("middle", join(workspace, ".yarnrc"));
    },
  ],
  [
    "a careful path through two folders that are links",
    "deep/x.yml",
    false,
    () => {
      link("ci/workflows", "../deep", "y");
      symlinkSync("ci", join(workspace, ".github"));
    },
  ],
  ["the target of a protected link", "editor/tasks.json", true, () => link(".vscode", "editor", "x")],
  [
    "the folder of core.hooksPath",
    "tools/hooks/pre-commit",
    true,
    () => git("config", "core.hooksPath", "tools/hooks"),
  ],
  [
    "a hook in a work tree that is the folder of hooks",
    "pre-commit",
    true,
    () => git("config", "core.hooksPath", "."),
  ],
  [
    "the target of a hook",
    "scripts/check.sh",
    true,
    () => {
      link(".git/hooks/pre-commit", "../../scripts/check.sh");
    },
  ],
  [
    "the target of a hook in the folder of core.hooksPath",
    "scripts/run.sh",
    true,
    () => {
      git("config", "core.hooksPath", "tools/hooks");
      link("tools/hooks/pre-push", "../../scripts/run.sh");
    },
  ],
  ["settings that git includes", "team.inc", true, () => git("config", "include.path", "../team.inc")],
  [
    "hooks that included settings name",
    "h/pre-commit",
    true,
    () => {
      put("team.inc", "[core]\n\thooksPath = h\n");
      git("config", "include.path", "../team.inc");
    },
  ],
  [
    "the settings of a bare repository",
    "data.git/config",
    true,
    () => git("init", "-q", "--bare", "data.git"),
  ],
  [
    "a git folder elsewhere",
    "gits/sub/config",
    true,
    () => {
      mkdirSync(join(workspace, "gits"));
      git("init", "-q", "--separate-git-dir", "gits/sub", "sub");
    },
  ],
  ["the target of a forbidden link", "data", true, () => link("x/hidden", "../data")],
  ["the target of a link that a rule denies", "pay", true, () => link("salaries", "pay")],
  ["the target of a link that a rule asks about", "o/x", false, () => link("ops", "o", "y")],
];

const newFile = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;

it.each(places)("judges %s as the path that leads there: %s", async (_what, path, isDenied, prepare) => {
  prepare();
  const before = contentOf(path);
  const isHidden = path === "data";
  const folder = dirname(path) === "." ? undefined : dirname(path);
  put("mine", "mine\n");
  const calls: [string, object][] = [
    ["write_file", { path, content: "x", mode: "append" }],
    ["copy_file", { from: "mine", to: path, overwrite: true }],
    ["move_file", { from: "mine", to: path, overwrite: true }],
    ["shell_exec", { command: `echo x >${path}` }],
    ...(before === undefined
      ? ([["apply_patch", { patch: newFile(path) }]] as [string, object][])
      : ([["delete_file", { path }]] as [string, object][])),
    ...(folder !== undefined && contentOf(path) !== undefined
      ? ([["delete_file", { path: folder, recursive: true }]] as [string, object][])
      : []),
  ];
  for (const [name, input] of calls) {
    const { success, error } = await call(name, input);
    const code = success ? undefined : error?.code;
    // A command does not see what is forbidden, so it fails by itself.
    const refused =
      name === "shell_exec" && isHidden
        ? [undefined]
        : ["ACCESS_DENIED", "PATH_FORBIDDEN", "APPROVAL_DENIED"];
    expect([name, refused.some((each) => each === code)]).toEqual([name, true]);
    expect(contentOf(path)).toBe(before);
  }
  expect(asked).toHaveLength(isDenied ? 0 : calls.length);
  // A command that does not tell what it writes.
  await call("shell_exec", {
    command: `sh -c 'p=$(printf %s ${path}); mkdir -p $(dirname $p); echo x >>$p'`,
  });
  expect(contentOf(path)).toBe(before);
});

it("keeps from reading by its own name what a rule about a link hides", async () => {
  link("x/hidden", "../data");
  link("salaries", "pay");
  put("data", "secret data\n");
  for (const path of ["data", "pay"]) {
    expect(await call("read_file", { path })).toMatchObject({ success: false });
    const { result, error } = await call("grep", { pattern: "secret|old", mode: "files" });
    expect(error).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain(path);
  }
});

it("keeps commands from what a rule names through a link, in the background too", async () => {
  link("team/x", "../store", "private/p");
  put("store/frozen/f");
  const lines = "p=store; cat $p/private/p; echo x >>$p/frozen/f; echo x >>$p/open; echo done";
  put("run.sh", lines);
  const { result } = await call("shell_exec", { command: "sh run.sh" });
  expect(result).toMatchObject({ stdout: "done\n" });
  const job = await call("shell_exec", { command: "sh run.sh", background: true });
  const { jobId } = job.result as { jobId: string };
  const output = await call("shell_output", { job_id: jobId, wait_for: "exit" });
  expect(output.result).toMatchObject({ stdout: "done\n" });
  expect([contentOf("store/frozen/f"), contentOf("store/open")]).toEqual(["old\n", "x\nx\n"]);
});

it("lets a person's rule open a path by its own name", async () => {
  await tenon.close();
  tenon = open({ policy: { rules: [{ decision: "allow", path: ["tools/hooks/**", "realrc"] }] } });
  git("config", "core.hooksPath", "tools/hooks");
  link(".npmrc", "realrc");
  for (const path of ["tools/hooks/pre-commit", "realrc"]) {
    expect(await call("write_file", { path, content: "new", mode: "append" })).toMatchObject({
      success: true,
    });
    expect(contentOf(path)).toContain("new");
  }
  expect(asked).toEqual([]);
});

it("asks nobody about the target of a link that no rule is about", async () => {
  link("code", "src", "a");
  expect(await call("write_file", { path: "src/b", content: "x" })).toMatchObject({ success: true });
  expect(await call("shell_exec", { command: "echo x >src/c" })).toMatchObject({ success: true });
  expect(asked).toEqual([]);
});
