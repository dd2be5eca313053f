import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { carefulPathGlobs, protectedPathGlobs } from "../../../policy/built-in-rules.js";
import { type Fixture, type FixtureOptions, openFixture } from "../sandbox.fixture.js";

const lists = { protectedPaths: [...protectedPathGlobs], carefulPaths: [...carefulPathGlobs] };
const fixtures: Fixture[] = [];
let fixture: Fixture;

const open = async (options: FixtureOptions = {}): Promise<Fixture> => {
  const made = await openFixture({ ...lists, ...options });
  fixtures.push(made);
  return made;
};
beforeEach(async () => {
  fixture = await open();
});
afterEach(async () => {
  await Promise.all(fixtures.splice(0).map((each) => each.close()));
});

const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always", ...args],
    {
      cwd,
      encoding: "utf8",
    },
  );
const paths = async (of = fixture): Promise<string[]> =>
  (await of.sandbox.quarantine.list()).map(({ path }) => path.slice(of.root.length + 1)).toSorted();

describe("what a run left whose process was killed", () => {
  const dir = () => join(fixture.stateDir, "quarantine");
  /** The record of a run whose process was killed, and what the run would have left. */
  const abandon = async (): Promise<string> => {
    const npmrc = join(fixture.workspace, ".npmrc");
    writeFileSync(npmrc, "old\n");
    const wrapped = await fixture.wrap({ argv: ["/bin/true"] });
    const [name = ""] = readdirSync(join(dir(), "runs"));
    const record = join(dir(), "runs", name);
    const text = readFileSync(record, "utf8");
    await wrapped.finish();
    writeFileSync(npmrc, "evil\n");
    mkdirSync(join(fixture.workspace, ".vscode"));
    writeFileSync(join(fixture.workspace, ".vscode/tasks.json"), "x");
    writeFileSync(record, text);
    return record;
  };
  /** As the next start does. */
  const startAgain = async (): Promise<Fixture> => {
    const next = await open({ workspace: fixture.workspace, quarantineDir: dir() });
    await next.sandbox.ready();
    return next;
  };

  it("is judged by the next start", async () => {
    await abandon();
    const next = await startAgain();
    expect(readFileSync(join(fixture.workspace, ".npmrc"), "utf8")).toBe("old\n");
    expect(existsSync(join(fixture.workspace, ".vscode"))).toBe(false);
    expect(await next.sandbox.quarantine.list()).toHaveLength(2);
    expect(readdirSync(join(dir(), "runs"))).toEqual([]);
  });

  it("is left alone where it was changed long after that", async () => {
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(await abandon(), hourAgo, hourAgo);
    await startAgain();
    expect(readFileSync(join(fixture.workspace, ".npmrc"), "utf8")).toBe("evil\n");
  });
});

describe("repositories of every shape", () => {
  const plant = "git config core.fsmonitor ./evil; git config user.name Agent";

  it("a linked work tree, whose git folder lies outside the workspace", async () => {
    git(fixture.workspace, "init", "-q", "-b", "main");
    git(fixture.workspace, "commit", "-q", "--allow-empty", "-m", "first");
    const tree = join(fixture.root, "tree");
    git(fixture.workspace, "worktree", "add", "-q", tree);
    const linked = await open({ workspace: tree });
    await linked.sh(plant, { cwd: tree });
    expect(git(tree, "config", "--get", "--default", "none", "core.fsmonitor")).toBe("none\n");
    expect(git(tree, "config", "user.name")).toBe("T\n");
    expect(readFileSync(join(fixture.workspace, ".git/config"), "utf8")).toContain("Agent");
  });

  it("a submodule as the workspace, with .git as a file", async () => {
    git(fixture.workspace, "init", "-q", "-b", "main");
    git(fixture.root, "init", "-q", "lib");
    git(join(fixture.root, "lib"), "commit", "-q", "--allow-empty", "-m", "lib");
    git(fixture.workspace, "submodule", "--quiet", "add", join(fixture.root, "lib"), "sub");
    const sub = join(fixture.workspace, "sub");
    const inner = await open({ workspace: sub });
    const { code } = await inner.sh(
      `${plant}; git -c user.email=a@example.org commit -q --allow-empty -m x`,
      { cwd: sub },
    );
    expect(code).toBe(0);
    expect(git(sub, "config", "--get", "--default", "none", "core.fsmonitor")).toBe("none\n");
    expect(git(sub, "log", "--format=%s", "-1")).toBe("x\n");
  });

  it("a bare repository as the workspace", async () => {
    git(fixture.workspace, "init", "-q", "--bare", "-b", "main");
    await fixture.sh(`${plant}; printf '#!/bin/sh\\n' > hooks/post-receive`);
    expect(git(fixture.workspace, "config", "--get", "--default", "none", "core.fsmonitor")).toBe("none\n");
    expect(await paths()).toEqual(["work space/config", "work space/hooks/post-receive"]);
  });

  it("a workspace inside of a work tree", async () => {
    git(fixture.workspace, "init", "-q", "-b", "main");
    const inner = join(fixture.workspace, "packages/a");
    mkdirSync(inner, { recursive: true });
    const narrow = await open({ workspace: inner });
    const { code } = await narrow.sh("echo x > f && git init -q nested && echo evil > .npmrc", {
      cwd: inner,
    });
    expect(code).toBe(0);
    expect(existsSync(join(inner, "nested/.git/config"))).toBe(true);
    expect(existsSync(join(inner, ".npmrc"))).toBe(false);
  });

  it("in folders whose names are not valid UTF-8", async () => {
    const { code } = await fixture.sh(
      String.raw`d=$(printf 'x\377'); mkdir "$d" && git init -q "$d/sub" && git -C "$d/sub" config core.fsmonitor ./evil && echo evil > "$d/.npmrc" && echo kept > "$d/file"`,
    );
    expect(code).toBe(0);
    const folder = readdirSync(fixture.workspace).find((name) => name.startsWith("x")) ?? "";
    expect(readFileSync(join(fixture.workspace, folder, "file"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(fixture.workspace, folder, "sub/.git/config"), "utf8")).not.toContain(
      "fsmonitor",
    );
    expect(existsSync(join(fixture.workspace, folder, ".npmrc"))).toBe(false);
  });
});

describe("what is kept", () => {
  it("is bounded in number, the oldest go first", async () => {
    const small = await open({
      settings: { quarantine: { maxItems: 3, maxBytes: 1024 * 1024, maxAgeMs: 3_600_000 } },
    });
    await small.sh("for i in 1 2 3 4 5; do mkdir d$i; echo $i > d$i/.npmrc; done");
    expect(await small.sandbox.quarantine.list()).toHaveLength(3);
    for (const name of ["d1", "d5"]) expect(existsSync(join(small.workspace, name, ".npmrc"))).toBe(false);
  });

  it("lies beside its place under another name where it is too large to keep", async () => {
    await fixture.sh("head -c 9000000 /dev/zero > .npmrc");
    expect(existsSync(join(fixture.workspace, ".npmrc"))).toBe(false);
    const [item] = await fixture.sandbox.quarantine.list();
    expect(item).toMatchObject({ kind: "in-place" });
    await fixture.sandbox.quarantine.restore([item!.id]);
    expect(readFileSync(join(fixture.workspace, ".npmrc"))).toHaveLength(9_000_000);
  });

  it("cannot be reached by commands", async () => {
    await fixture.sh("echo secret > .npmrc");
    const { stdout } = await fixture.sh(`cat '${fixture.stateDir}'/quarantine/*/content`);
    expect(stdout).toBe("");
  });

  it("is put back with links and folders on the way, and refuses a way that became a link", async () => {
    await fixture.sh("mkdir -p a/.vscode && echo x > a/.vscode/tasks.json && ln -s elsewhere .npmrc");
    const items = await fixture.sandbox.quarantine.list();
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(["file", "link"]);
    await fixture.sandbox.quarantine.restore(items.map(({ id }) => id));
    expect(readFileSync(join(fixture.workspace, "a/.vscode/tasks.json"), "utf8")).toBe("x\n");
    await fixture.sh("rm .npmrc; mkdir b c; echo x > b/.npmrc");
    const next = (await fixture.sandbox.quarantine.list()).find(({ path }) => path.endsWith("b/.npmrc"));
    execFileSync("/bin/sh", ["-c", "rmdir b && ln -s c b"], { cwd: fixture.workspace });
    await expect(fixture.sandbox.quarantine.restore([next!.id])).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    expect(readdirSync(join(fixture.workspace, "c"))).toEqual([]);
  });
});
