import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOtherNames } from "./other-names.js";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-names-")));
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, content = ""): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const link = (path: string, target: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
};
const namesOf = (path: string, below = false): string[] =>
  createOtherNames(() => [root])
    .of(join(root, path), below)
    .map((name) => name.slice(root.length + 1))
    .sort();

it("names a file by every link that leads to it, also through others", () => {
  put("real/deep/file");
  link("one", "real");
  link("sub/two", "../one/deep");
  link("three", "sub/two/file");
  expect(namesOf("real/deep/file")).toEqual(["one/deep/file", "sub/two/file", "three"]);
  expect(namesOf("real")).toEqual(["one"]);
  expect(namesOf("other")).toEqual([]);
});

it("names what does not exist yet", () => {
  link("sub/link", "../later");
  link("again", "sub/link");
  expect(namesOf("later")).toEqual(["again", "sub/link"]);
  expect(namesOf("later/inside")).toEqual(["again/inside", "sub/link/inside"]);
});

it("names what is below a folder only if asked", () => {
  put("real/deep/file");
  link("one", "real/deep");
  expect(namesOf("real")).toEqual([]);
  expect(namesOf("real", true)).toEqual(["one"]);
});

it("comes to an end with links that lead to each other and to folders above them", () => {
  put("a/file");
  link("a/up", "..");
  link("b/there", "../a");
  link("a/back", "../b");
  link("loop", "loop");
  expect(namesOf("a/file")).toContain("b/there/file");
  for (let count = 0; count < 20; count += 1) link(`x${count}/link`, `../x${(count + 1) % 20}`);
  put("x0/file");
  expect(namesOf("x0/file").length).toBeLessThan(70);
});

it("leaves out links that lead elsewhere, and those of packages", () => {
  put("real");
  link("away", "/etc/hostname");
  link("node_modules/.bin/tool", "../../real");
  expect(namesOf("real")).toEqual([]);
});

it("names hooks and settings as parts of .git, also in git folders with other names, but not their data", () => {
  put(".git/HEAD");
  put(".git/config", "[include]\n\tpath = ../team.inc\n[core]\n\thooksPath = tools/hooks\n");
  put("team.inc", "[core]\n\thooksPath = more\n");
  put("sub/.git", "gitdir: ../gits/sub\n");
  put("gits/sub/config", "[core]\n\thooksPath = own\n");
  put("gits/sub/HEAD");
  for (const part of ["HEAD", "objects/x", "refs/x", "config"]) put(`data/${part}`);
  expect(namesOf("tools/hooks/pre-commit")).toEqual([".git/hooks/pre-commit"]);
  expect(namesOf("more/pre-commit")).toEqual([".git/hooks/pre-commit"]);
  expect(namesOf("team.inc")).toEqual([".git/config"]);
  expect(namesOf("gits/sub/config")).toEqual(["sub/.git/config"]);
  expect(namesOf("sub/own/pre-push")).toEqual(["sub/.git/hooks/pre-push"]);
  expect(namesOf("data/config")).toEqual(["data/.git/config"]);
  expect(namesOf("gits/sub/hooks/pre-commit")).toEqual(["sub/.git/hooks/pre-commit"]);
  expect(namesOf("data/refs/heads/main")).toEqual([]);
  expect(namesOf("gits/sub")).toEqual([]);
});

it("looks again after a while, and at once if it is told to", async () => {
  const names = createOtherNames(() => [root]);
  const file = join(root, "file");
  expect(names.of(file)).toEqual([]);
  link("link", "file");
  expect(names.of(file)).toEqual([]);
  names.renew();
  expect(names.of(file)).toEqual([join(root, "link")]);
  rmSync(join(root, "link"));
  await expect.poll(() => names.of(file), { timeout: 10_000 }).toEqual([]);
});

it("lets other work run while it looks at many folders, and answers from that look", async () => {
  for (let count = 0; count < 3000; count += 1) mkdirSync(join(root, `f${count}`));
  put("real/file");
  link("one", "real");
  const names = createOtherNames(() => [root]);
  let turns = 0;
  const timer = setInterval(() => (turns += 1));
  const looking = names.look();
  expect(names.look()).toBe(looking);
  link("two", "real");
  names.renew();
  await looking;
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(names.look()).toBeUndefined();
  link("three", "real");
  const known = ["one/file", "two/file"].map((name) => join(root, name));
  expect([...names.of(join(root, "real/file"))].sort()).toEqual(known);
});
