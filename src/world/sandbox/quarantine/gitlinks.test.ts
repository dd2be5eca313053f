import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitlinksIn } from "./gitlinks.js";

let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tenon-gitlinks-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  }).trim();
}

/** An index with these paths: those that end in `/` stand for repositories. */
function indexOf(paths: readonly string[], version: number, format = "sha1"): Buffer {
  git("init", "-q", `--object-format=${format}`);
  const blob = git("hash-object", "-w", "/dev/null");
  for (const path of paths) {
    const [mode, name] = path.endsWith("/") ? ["160000", path.slice(0, -1)] : ["100644", path];
    git(
      "update-index",
      "--add",
      "--cacheinfo",
      `${mode},${mode === "160000" ? blob.replace(/^./, "1") : blob},${name}`,
    );
  }
  git("update-index", `--index-version=${version}`);
  return readFileSync(join(folder, ".git/index"));
}

const paths = [
  "a",
  "dir/file",
  "dir/module/",
  "dir/module-and-more",
  "other/",
  "x".repeat(300),
  "y/".padEnd(200, "z").concat("/"),
  "ünïcode/",
];
const links = paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));

describe("the repositories in an index", () => {
  it.each([2, 4])("of version %i are found", (version) => {
    expect(gitlinksIn(indexOf(paths, version), 20).toSorted()).toEqual(links.toSorted());
  });

  it("of version 3, with entries that are only meant to be added, are found", () => {
    indexOf(paths, 2);
    execFileSync("touch", ["new"], { cwd: folder });
    git("add", "--intent-to-add", "new");
    const index = readFileSync(join(folder, ".git/index"));
    expect(index.readUInt32BE(4)).toBe(3);
    expect(gitlinksIn(index, 20).toSorted()).toEqual(links.toSorted());
  });

  it.each([2, 4])("with hashes of 32 bytes are found (version %i)", (version) => {
    expect(gitlinksIn(indexOf(paths, version, "sha256"), 32).toSorted()).toEqual(links.toSorted());
  });

  it("of an index that is cut off are those before the cut, without a failure", () => {
    const index = indexOf(paths, 2);
    for (let length = 0; length <= index.length; length++)
      expect(links).toEqual(expect.arrayContaining(gitlinksIn(index.subarray(0, length), 20)));
  });

  it("of what is not an index are none", () => {
    expect(gitlinksIn(Buffer.from("DIRX0000000000000000"), 20)).toEqual([]);
    expect(gitlinksIn(Buffer.from("DIRC"), 20)).toEqual([]);
    expect(gitlinksIn(Buffer.alloc(0), 20)).toEqual([]);
  });
});
