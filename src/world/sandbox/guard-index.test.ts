import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { protectedPathGlobs } from "../../policy/built-in-rules.js";
import { createGuardIndex } from "./guard-index.js";
import { createNameScreen } from "./guarded-names.js";
import { usePlantedFolder } from "./planted-folder.fixture.js";

const folder = usePlantedFolder();
let root: string;
beforeEach(() => {
  ({ root } = folder);
});

const write = (...paths: string[]): void =>
  folder.plant(Object.fromEntries(paths.map((path) => [path, "x"])));

const rules = (hidden: string[], opened: string[] = []) => ({
  workspace: root,
  roots: [root],
  hidden,
  fixed: protectedPathGlobs,
  opened,
});

async function find(hidden: string[], opened?: string[]) {
  const found = await createGuardIndex(rules(hidden, opened)).find();
  const names = (paths: readonly { path: string }[]) =>
    paths.map(({ path }) => path.slice(root.length + 1)).toSorted();
  return {
    hidden: names(found.hidden),
    fixed: names(found.fixed),
    git: found.gitDirs.map((path) => path.slice(root.length + 1)),
  };
}

describe("the search for guarded paths", () => {
  it("finds what is protected at any depth, and git's folders apart", async () => {
    write(
      ".git/config",
      "a/.git/HEAD",
      ".bashrc",
      "a/b/.vscode/tasks.json",
      "tenon.config.ts",
      "src/x.ts",
      "a/.mcp.json",
    );
    expect(await find([])).toEqual({
      hidden: [],
      fixed: [".bashrc", "a/.mcp.json", "a/b/.vscode", "tenon.config.ts"],
      git: [".git", "a/.git"],
    });
  });

  it("finds what is forbidden by name, by place, by glob and folded", async () => {
    write("a/.ENV", "b/keys/x.pem", "c/only/here", "d/only/here", "e/[id]/x", "node_modules/p/.env");
    expect((await find([".env", "**/*.pem", "c/only", "e/[id]", `${root}/d/only`])).hidden).toEqual([
      "a/.ENV",
      "b/keys/x.pem",
      "c/only",
      "d/only",
      "e/[id]",
      "node_modules/p/.env",
    ]);
  });

  it("leaves out what a person opened", async () => {
    write(".vscode/x", ".idea/x");
    expect((await find([], [".vscode"])).fixed).toEqual([".idea"]);
  });

  it("looks behind a link only where it stays inside, and never walks through one", async () => {
    write("real/secret.txt", "other/x");
    symlinkSync("real/secret.txt", join(root, ".env"));
    symlinkSync("/etc/passwd", join(root, ".netrc"));
    symlinkSync(".", join(root, "loop"));
    expect((await find([".env", ".netrc"])).hidden).toEqual(["real/secret.txt"]);
  });

  it("screens by names without ever missing one", () => {
    const screen = createNameScreen([".env", "a/**/b", "*.pem", "{x,y}/z{1,2}", "dir/**", "**"]);
    for (const name of [".env", "b", "k.pem", "z1", "z2", "dir", "anything"]) expect(screen(name)).toBe(true);
    const narrow = createNameScreen([".env", "*.pem"]);
    expect(narrow("index.ts")).toBe(false);
  });
});

describe("the index of guarded paths", () => {
  it("sees at once what is new, changed or gone, at any depth", async () => {
    write("a/b/x", "c/d/y");
    const index = createGuardIndex(rules([".env"]));
    const hidden = async () => (await index.find()).hidden.map(({ path }) => path.slice(root.length + 1));
    expect(await hidden()).toEqual([]);
    // Old enough that the listing is used again.
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await hidden()).toEqual([]);
    write(".env", "a/b/.env");
    expect(await hidden()).toEqual([".env", "a/b/.env"]);
    rmSync(join(root, "a/b/.env"));
    expect(await hidden()).toEqual([".env"]);
    renameSync(join(root, ".env"), join(root, "c/d/.env"));
    expect(await hidden()).toEqual(["c/d/.env"]);
    renameSync(join(root, "c"), join(root, "moved"));
    expect(await hidden()).toEqual(["moved/d/.env"]);
  });

  it("never misses a file that is made right after a search, however fast", async () => {
    write("a/b/x");
    const index = createGuardIndex(rules([".env"]));
    for (let round = 0; round < 200; round += 1) {
      expect((await index.find()).hidden).toHaveLength(0);
      write("a/b/.env");
      expect((await index.find()).hidden).toHaveLength(1);
      rmSync(join(root, "a/b/.env"));
    }
  });
});
