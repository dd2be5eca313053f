import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/release.mjs");
const changelog =
  "# Changelog\n\n## Unreleased\n\n- A new thing.\n- Another.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n";
let repo: string;

beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), "tenon-release-"));
  const manifest = {
    name: "x",
    version: "0.1.0",
    scripts: { check: "node check.cjs", docs: "node docs.cjs" },
  };
  const dependency = { "node_modules/y": { version: "0.1.0" } };
  const lock = { name: "x", version: "0.1.0", packages: { "": { version: "0.1.0" }, ...dependency } };
  write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  write("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
  write("CHANGELOG.md", changelog);
  write("check.cjs", "");
  write("docs.cjs", "");
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
});

afterEach(() => rmSync(repo, { recursive: true, force: true }));

describe("npm run release", () => {
  it("sets the version, dates the changes, commits and tags", () => {
    expect(release("minor").status).toBe(0);
    expect(JSON.parse(read("package.json"))).toMatchObject({ version: "0.2.0" });
    expect(JSON.parse(read("package-lock.json"))).toMatchObject({
      version: "0.2.0",
      packages: { "": { version: "0.2.0" }, "node_modules/y": { version: "0.1.0" } },
    });
    const today = new Date().toISOString().slice(0, 10);
    expect(read("CHANGELOG.md")).toBe(
      `# Changelog\n\n## Unreleased\n\n## 0.2.0 (${today})\n\n- A new thing.\n- Another.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n`,
    );
    expect(git("log", "--format=%s")).toBe("Release 0.2.0\nBegin\n");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag", "--list", "--format=%(refname:short) %(contents)")).toContain("v0.2.0 Tenon 0.2.0");
    expect(git("tag", "--list", "--format=%(contents)")).toContain("- Another.");
  });

  it("changes nothing in a dry run", () => {
    write("check.cjs", "process.exit(1)");
    git("commit", "--quiet", "--all", "--message", "Break");
    const { status, stdout } = release("2.0.0", "--dry-run");
    expect([status, stdout]).toEqual([0, expect.stringContaining("0.1.0 -> 2.0.0")]);
    expect(stdout).toContain("- A new thing.");
    expectUntouched();
  });

  it.each([
    ["a change that is not committed", () => write("new.txt", ""), /Commit or stash.*new\.txt/s],
    ["a failing check", () => commit("check.cjs", "process.exit(1)"), /npm run check failed/],
    ["docs that do not build", () => commit("docs.cjs", "process.exit(1)"), /npm run docs failed/],
    [
      "a check that changes files",
      () => commit("check.cjs", "fs.writeFileSync('left.txt', '')"),
      /left\.txt/,
    ],
    [
      "nothing to release",
      () => commit("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- x\n"),
      /nothing under/,
    ],
    ["a changelog without the heading", () => commit("CHANGELOG.md", "# Changelog\n"), /no heading/],
    ["a tag that exists", () => git("tag", "v0.2.0"), /tag v0\.2\.0 exists/],
  ])("refuses %s", (_, prepare, reason) => {
    prepare();
    const before = git("log", "--format=%H");
    const { status, stderr } = release("minor");
    expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
    expect(git("log", "--format=%H")).toBe(before);
    expect(JSON.parse(read("package.json"))).toMatchObject({ version: "0.1.0" });
  });

  it("puts the files back where the commit is refused", () => {
    symlinkSync("/bin/false", join(repo, ".git/hooks/pre-commit"));
    expect(release("patch").status).toBe(1);
    expectUntouched();
  });

  it.each([
    [["sideways"], /major, minor, patch or a version, got "sideways"/],
    [["0.1.0"], /0\.1\.0 is not newer than 0\.1\.0/],
    [[], /Say which/],
  ])("refuses the arguments %j", (args, reason) => {
    const { status, stderr } = release(...args);
    expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
    expectUntouched();
  });
});

function expectUntouched(): void {
  expect(git("status", "--porcelain")).toBe("");
  expect(git("tag", "--list")).toBe("");
  expect(JSON.parse(read("package.json"))).toMatchObject({ version: "0.1.0" });
}

function release(...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { cwd: repo, encoding: "utf8", env: plainEnv() });
}

function commit(name: string, text: string): void {
  write(name, text);
  git("commit", "--quiet", "--all", "--message", "Change");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repo, encoding: "utf8", env: plainEnv() });
}

/** Without the developer's own git settings, such as signing. */
function plainEnv(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
}

function read(name: string): string {
  return readFileSync(join(repo, name), "utf8");
}

function write(name: string, text: string): void {
  writeFileSync(join(repo, name), text);
}
