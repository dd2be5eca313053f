import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, createTestFixture, type TestFiles, type TestFixture } from "../../../test/attack/fixture.js";

describe.each(["descriptor", "portable"] as const)("moving and deleting, held by %s", (kind) => {
  let fixture: TestFixture;
  let guard: TestFiles;
  const at = (name: string): string => path.join(fixture.ws, name);
  const show = (name: string): string => readFileSync(at(name), "utf8");
  const names = (name = "."): string[] => readdirSync(at(name)).sort();
  beforeEach(async () => {
    fixture = createTestFixture(kind);
    guard = await fixture.files();
  });
  afterEach(() => fixture.dispose());

  it("moves files and directories, making parents", async () => {
    fixture.put("a", "x");
    fixture.put("d/e/f", "y");
    await guard.rename("a", "new/place/b");
    await guard.rename("d", "new/d");
    expect([show("new/place/b"), show("new/d/e/f")]).toEqual(["x", "y"]);
    expect(names()).toEqual(["new"]);
    await guard.rename("new", "new");
    expect(names()).toEqual(["new"]);
  });

  it("replaces nothing unless told to", async () => {
    fixture.put("a", "a");
    fixture.put("b", "b");
    fixture.put("d/x", "x");
    mkdirSync(at("empty"));
    fixture.link("dangling", "nowhere");
    for (const to of ["b", "d", "empty", "dangling"]) {
      expect([to, await codeOf(() => guard.rename("a", to))]).toEqual([to, "FILE_CONFLICT"]);
      expect([to, await codeOf(() => guard.rename("d", to))]).toEqual([
        to,
        to === "d" ? "no error" : "FILE_CONFLICT",
      ]);
    }
    expect(await codeOf(() => guard.copyFile("a", "b"))).toBe("FILE_CONFLICT");
    expect([show("a"), show("b")]).toEqual(["a", "b"]);
    await guard.rename("a", "b", { overwrite: true });
    expect(show("b")).toBe("a");
    expect(existsSync(at("a"))).toBe(false);
    expect(await codeOf(() => guard.rename("b", "d", { overwrite: true }))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.rename("empty", "d", { overwrite: true }))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.rename("d", "d/below"))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.rename("none", "c"))).toBe("RESOURCE_NOT_FOUND");
  });

  it("moves one of two names of a file for real", async () => {
    fixture.put("a", "x");
    linkSync(at("a"), at("b"));
    await guard.rename("a", "b", { overwrite: true });
    expect(names()).toEqual(["b"]);
  });

  it("moves and deletes a link itself, never what it leads to", async () => {
    fixture.link("out", path.join(fixture.outside, "secret.txt"));
    fixture.link("dir", fixture.outside);
    await guard.rename("out", "moved");
    expect(readlinkSync(at("moved"))).toBe(path.join(fixture.outside, "secret.txt"));
    await guard.unlink("moved");
    await guard.removeTree("dir");
    expect(names()).toEqual([]);
  });

  it("refuses to move or delete through links that leave", async () => {
    fixture.put("a", "x");
    fixture.link("out", fixture.outside);
    for (const attempt of [
      () => guard.rename("out/secret.txt", "stolen"),
      () => guard.rename("a", "out/planted"),
      () => guard.rename("a", "out/secret.txt", { overwrite: true }),
      () => guard.unlink("out/secret.txt"),
      () => guard.removeTree("out/sub"),
    ]) {
      expect(await codeOf(attempt)).toBe("PATH_SYMLINK");
    }
    expect(await codeOf(() => guard.rename("a", "../stolen"))).toBe("PATH_TRAVERSAL");
    expect(await codeOf(() => guard.rename("../outside/secret.txt", "b"))).toBe("PATH_TRAVERSAL");
    expect(await codeOf(() => guard.unlink(path.join(fixture.outside, "secret.txt")))).toBe("PATH_OUTSIDE");
  });

  it("does not delete or move the workspace itself", async () => {
    for (const name of [".", fixture.ws, "a/.."]) {
      expect(await codeOf(() => guard.removeTree(name))).toBe("PATH_FORBIDDEN");
      expect(await codeOf(() => guard.rename(name, "x"))).toBe("PATH_FORBIDDEN");
    }
    const wide = await fixture.files({ allowedPaths: [fixture.base] });
    expect(await codeOf(() => wide.removeTree(fixture.ws))).toBe("PATH_FORBIDDEN");
    expect(await codeOf(() => wide.rename(fixture.ws, path.join(fixture.base, "x")))).toBe("PATH_FORBIDDEN");
  });

  it("tells a file from a directory", async () => {
    fixture.put("d/x", "x");
    expect(await codeOf(() => guard.unlink("d"))).toBe("FILE_CONFLICT");
    await guard.removeTree("d/x");
    expect(names("d")).toEqual([]);
    expect(await codeOf(() => guard.unlink("d/x"))).toBe("RESOURCE_NOT_FOUND");
    expect(await codeOf(() => guard.removeTree("none"))).toBe("RESOURCE_NOT_FOUND");
  });

  it("deletes only what still has its identity", async () => {
    fixture.put("a", "old");
    const ifIdentity = guard.stat("a")?.identity ?? "";
    fixture.put("a", "newer");
    expect(await codeOf(() => guard.unlink("a", { ifIdentity }))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.deleteTree("a", { ifIdentity }))).toBe("FILE_CONFLICT");
    await guard.unlink("a", { ifIdentity: guard.stat("a")?.identity ?? "" });
    expect(names()).toEqual([]);
  });

  it("deletes a tree with links, odd names, FIFOs and many entries, and nothing else", async () => {
    fixture.put("keep/me", "x");
    for (let index = 0; index < 600; index += 1) fixture.put(`t/many/${index}`);
    fixture.link("t/out", fixture.outside);
    fixture.link("t/keep", "../keep");
    fixture.link("t/many/loop", "..");
    execFileSync("mkfifo", [at("t/fifo")]);
    if (kind === "descriptor") {
      const odd = Buffer.concat([Buffer.from(`${at("t")}/bad\n`), Buffer.from([0xff, 0xfe])]);
      mkdirSync(odd);
      writeFileSync(Buffer.concat([odd, Buffer.from("/\xfffile", "latin1")]), "x");
    }
    await guard.removeTree("t");
    expect(names()).toEqual(["keep"]);
    expect(show("keep/me")).toBe("x");
  });

  it("keeps the whole tree where something below is protected or forbidden", async () => {
    const strict = await fixture.files({
      protectedGlobs: [".git/**"],
      forbiddenPaths: ["*.key"],
      stateDir: at("z/state"),
    });
    fixture.put("a/repo/.git/config", "x");
    fixture.put("a/other", "x");
    fixture.put("b/deep/my.key", "x");
    fixture.put("b/deep/other", "x");
    mkdirSync(at("z/state"), { recursive: true });
    for (const name of ["a", "a/repo", "b", "b/deep", "z"]) {
      expect([name, await codeOf(() => strict.removeTree(name))]).toEqual([name, "PATH_FORBIDDEN"]);
      expect([name, await codeOf(() => strict.rename(name, "moved"))]).toEqual([name, "PATH_FORBIDDEN"]);
    }
    expect([show("a/other"), show("b/deep/other")]).toEqual(["x", "x"]);
    await strict.removeTree("a/other");
  });

  it("does not move a directory so that something in it becomes protected", async () => {
    const strict = await fixture.files({ protectedGlobs: ["config/hooks/**"] });
    fixture.put("a/hooks/run", "x");
    expect(await codeOf(() => strict.rename("a", "config"))).toBe("PATH_FORBIDDEN");
    expect(show("a/hooks/run")).toBe("x");
  });

  it("stops deleting when it is cancelled", async () => {
    fixture.put("t/a", "x");
    expect(await codeOf(() => guard.deleteTree("t", { signal: AbortSignal.abort() }))).toBe("CANCELLED");
    expect(show("t/a")).toBe("x");
  });

  it("keeps special files out of copies", async () => {
    mkdirSync(at("d"));
    expect(await codeOf(() => guard.copyFile("d", "e"))).toBe("FILE_IO");
    fixture.put("a", "x");
    expect((await guard.copyFile("a", "e/f")).size).toBe(1);
    expect(lstatSync(at("e/f")).nlink).toBe(1);
  });
});

describe("a very deep tree", () => {
  it("is deleted by descriptor, 3000 levels down", async () => {
    const fixture = createTestFixture("descriptor");
    const script = `process.chdir(process.argv[1]); const fs = require("fs");
      for (let i = 0; i < 3000; i++) { fs.mkdirSync("dd"); process.chdir("dd"); fs.writeFileSync("f", ""); }`;
    execFileSync(process.execPath, ["-e", script, fixture.ws]);
    const guard = fixture.guard({ protectedGlobs: [".git/**"] });
    await guard.removeTree("dd");
    expect(readdirSync(fixture.ws)).toEqual([]);
    await fixture.dispose();
  });
});
