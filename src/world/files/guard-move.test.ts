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
import { codeOf, createTestGround, type TestGround } from "../../../test/attack/ground.js";
import type { Guard } from "./guard-types.js";

describe.each(["descriptor", "portable"] as const)("moving and deleting, held by %s", (kind) => {
  let ground: TestGround;
  let guard: Guard;
  const at = (name: string): string => path.join(ground.ws, name);
  const show = (name: string): string => readFileSync(at(name), "utf8");
  const names = (name = "."): string[] => readdirSync(at(name)).sort();
  beforeEach(() => {
    ground = createTestGround(kind);
    guard = ground.guard();
  });
  afterEach(() => ground.dispose());

  it("moves files and directories, making parents", async () => {
    ground.put("a", "x");
    ground.put("d/e/f", "y");
    await guard.rename("a", "new/place/b");
    await guard.rename("d", "new/d");
    expect([show("new/place/b"), show("new/d/e/f")]).toEqual(["x", "y"]);
    expect(names()).toEqual(["new"]);
    await guard.rename("new", "new");
    expect(names()).toEqual(["new"]);
  });

  it("replaces nothing unless told to", async () => {
    ground.put("a", "a");
    ground.put("b", "b");
    ground.put("d/x", "x");
    mkdirSync(at("empty"));
    ground.link("dangling", "nowhere");
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
    ground.put("a", "x");
    linkSync(at("a"), at("b"));
    await guard.rename("a", "b", { overwrite: true });
    expect(names()).toEqual(["b"]);
  });

  it("moves and deletes a link itself, never what it leads to", async () => {
    ground.link("out", path.join(ground.outside, "secret.txt"));
    ground.link("dir", ground.outside);
    await guard.rename("out", "moved");
    expect(readlinkSync(at("moved"))).toBe(path.join(ground.outside, "secret.txt"));
    await guard.unlink("moved");
    await guard.removeTree("dir");
    expect(names()).toEqual([]);
  });

  it("refuses to move or delete through links that leave", async () => {
    ground.put("a", "x");
    ground.link("out", ground.outside);
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
    expect(await codeOf(() => guard.unlink(path.join(ground.outside, "secret.txt")))).toBe("PATH_OUTSIDE");
  });

  it("does not delete or move the workspace itself", async () => {
    for (const name of [".", ground.ws, "a/.."]) {
      expect(await codeOf(() => guard.removeTree(name))).toBe("PATH_FORBIDDEN");
      expect(await codeOf(() => guard.rename(name, "x"))).toBe("PATH_FORBIDDEN");
    }
    const wide = ground.guard({ allowedPaths: [ground.base] });
    expect(await codeOf(() => wide.removeTree(ground.ws))).toBe("PATH_FORBIDDEN");
    expect(await codeOf(() => wide.rename(ground.ws, path.join(ground.base, "x")))).toBe("PATH_FORBIDDEN");
  });

  it("tells a file from a directory", async () => {
    ground.put("d/x", "x");
    expect(await codeOf(() => guard.unlink("d"))).toBe("FILE_IO");
    await guard.removeTree("d/x");
    expect(names("d")).toEqual([]);
    expect(await codeOf(() => guard.unlink("d/x"))).toBe("RESOURCE_NOT_FOUND");
    expect(await codeOf(() => guard.removeTree("none"))).toBe("RESOURCE_NOT_FOUND");
  });

  it("deletes only what still has its identity", async () => {
    ground.put("a", "old");
    const ifIdentity = guard.stat("a")?.identity ?? "";
    ground.put("a", "newer");
    expect(await codeOf(() => guard.unlink("a", { ifIdentity }))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.removeTree("a", { ifIdentity }))).toBe("FILE_CONFLICT");
    await guard.unlink("a", { ifIdentity: guard.stat("a")?.identity ?? "" });
    expect(names()).toEqual([]);
  });

  it("deletes a tree with links, odd names, FIFOs and many entries, and nothing else", async () => {
    ground.put("keep/me", "x");
    for (let index = 0; index < 600; index += 1) ground.put(`t/many/${index}`);
    ground.link("t/out", ground.outside);
    ground.link("t/keep", "../keep");
    ground.link("t/many/loop", "..");
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
    const strict = ground.guard({
      protectedGlobs: [".git/**"],
      forbiddenPaths: ["*.key"],
      stateDir: at("z/state"),
    });
    ground.put("a/repo/.git/config", "x");
    ground.put("a/other", "x");
    ground.put("b/deep/my.key", "x");
    ground.put("b/deep/other", "x");
    mkdirSync(at("z/state"), { recursive: true });
    for (const name of ["a", "a/repo", "b", "b/deep", "z"]) {
      expect([name, await codeOf(() => strict.removeTree(name))]).toEqual([name, "PATH_FORBIDDEN"]);
      expect([name, await codeOf(() => strict.rename(name, "moved"))]).toEqual([name, "PATH_FORBIDDEN"]);
    }
    expect([show("a/other"), show("b/deep/other")]).toEqual(["x", "x"]);
    await strict.removeTree("a/other");
  });

  it("does not move a directory so that something in it becomes protected", async () => {
    const strict = ground.guard({ protectedGlobs: ["config/hooks/**"] });
    ground.put("a/hooks/run", "x");
    expect(await codeOf(() => strict.rename("a", "config"))).toBe("PATH_FORBIDDEN");
    expect(show("a/hooks/run")).toBe("x");
  });

  it("stops deleting when it is cancelled", async () => {
    ground.put("t/a", "x");
    expect(await codeOf(() => guard.removeTree("t", { signal: AbortSignal.abort() }))).toBe("CANCELLED");
    expect(show("t/a")).toBe("x");
  });

  it("keeps special files out of copies", async () => {
    mkdirSync(at("d"));
    expect(await codeOf(() => guard.copyFile("d", "e"))).toBe("FILE_IO");
    ground.put("a", "x");
    expect((await guard.copyFile("a", "e/f")).size).toBe(1);
    expect(lstatSync(at("e/f")).nlink).toBe(1);
  });
});

describe("a very deep tree", () => {
  it("is deleted by descriptor, 3000 levels down", async () => {
    const ground = createTestGround("descriptor");
    const script = `process.chdir(process.argv[1]); const fs = require("fs");
      for (let i = 0; i < 3000; i++) { fs.mkdirSync("dd"); process.chdir("dd"); fs.writeFileSync("f", ""); }`;
    execFileSync(process.execPath, ["-e", script, ground.ws]);
    const guard = ground.guard({ protectedGlobs: [".git/**"] });
    await guard.removeTree("dd");
    expect(readdirSync(ground.ws)).toEqual([]);
    ground.dispose();
  });
});
