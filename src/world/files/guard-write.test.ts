import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
} from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  codeOf,
  createTestFixture,
  SECRET,
  type TestFiles,
  type TestFixture,
} from "../../../test/attack/fixture.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe.each(["descriptor", "portable"] as const)("writing, held by %s", (kind) => {
  let fixture: TestFixture;
  let guard: TestFiles;
  const show = (name: string): string => readFileSync(path.join(fixture.ws, name), "utf8");
  const names = (name = "."): string[] => readdirSync(path.join(fixture.ws, name)).sort();
  beforeEach(async () => {
    fixture = createTestFixture(kind);
    guard = await fixture.files();
  });
  afterEach(() => fixture.dispose());

  it("creates a file and its parents, replaces it, and leaves no temp file", async () => {
    const first = await guard.replaceFile("a/b/c.txt", bytes("one"));
    expect(first).toMatchObject({ type: "file", size: 3 });
    expect(guard.stat("a/b/c.txt")?.identity).toBe(first.identity);
    const second = await guard.replaceFile("a/b/c.txt", bytes("second"));
    expect(show("a/b/c.txt")).toBe("second");
    expect(guard.stat("a/b/c.txt")?.identity).toBe(second.identity);
    expect(names("a/b")).toEqual(["c.txt"]);
    const made = await guard.replaceFile("new", bytes("x"), { create: true });
    expect(guard.stat("new")?.identity).toBe(made.identity);
  });

  it("flushes to the disk when told to", async () => {
    const synced = fixture.guard({}, { sync: true });
    await synced.makeDirectory("e/f");
    await synced.removeTree("e/f");
    expect(names("e")).toEqual([]);
  });

  it("writes any bytes of any size exactly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (data) => {
        await guard.replaceFile("any", data);
        expect(Buffer.compare(await guard.read("any"), data)).toBe(0);
      }),
      { numRuns: 30 },
    );
    const large = Buffer.alloc(1024 * 1024, "large");
    await guard.replaceFile("large", large);
    expect(Buffer.compare(await guard.read("large"), large)).toBe(0);
  });

  it("keeps mode and owner, drops set-id bits, takes a given mode", async () => {
    const file = fixture.put("script", "x");
    // Only root can give a file away; anyone else keeps what is his.
    const owner = process.getuid?.() === 0 ? [1234, 4321] : [statSync(file).uid, statSync(file).gid];
    chownSync(file, owner[0] ?? 0, owner[1] ?? 0);
    chmodSync(file, 0o4751);
    await guard.replaceFile("script", bytes("y"));
    const stat = statSync(file);
    expect(stat.mode & 0o7777).toBe(0o751);
    expect([stat.uid, stat.gid]).toEqual(owner);
    await guard.replaceFile("secret", bytes("y"), { mode: 0o600 });
    expect(statSync(path.join(fixture.ws, "secret")).mode & 0o777).toBe(0o600);
    await guard.replaceFile("plain", bytes("y"));
    expect(statSync(path.join(fixture.ws, "plain")).mode & 0o777).toBe(0o666 & ~process.umask());
    await guard.copyFile("script", "copied");
    expect(statSync(path.join(fixture.ws, "copied")).mode & 0o777).toBe(0o751);
  });

  it("never writes through a hard link", async () => {
    const secret = path.join(fixture.outside, "secret.txt");
    linkSync(secret, path.join(fixture.ws, "hard"));
    linkSync(secret, path.join(fixture.ws, "hard2"));
    linkSync(secret, path.join(fixture.ws, "hard3"));
    await guard.replaceFile("hard", bytes("changed"));
    await guard.appendFile("hard2", bytes(" more"));
    fixture.put("source", "copied");
    await guard.copyFile("source", "hard3", { overwrite: true });
    expect([show("hard"), show("hard2"), show("hard3")]).toEqual(["changed", `${SECRET} more`, "copied"]);
  });

  it("writes through links that stay inside and leaves the link", async () => {
    fixture.put("real/a", "old");
    fixture.link("alias", "real/a");
    fixture.link("dir", "real");
    fixture.link("dangling", "real/new");
    fixture.link("deep", "not/there/yet");
    await guard.replaceFile("alias", bytes("new"));
    await guard.replaceFile("dir/b", bytes("b"));
    await guard.replaceFile("dangling", bytes("c"));
    await guard.replaceFile("deep/file", bytes("d"));
    expect([show("real/a"), show("real/b"), show("real/new"), show("not/there/yet/file")]).toEqual([
      "new",
      "b",
      "c",
      "d",
    ]);
    expect(readlinkSync(path.join(fixture.ws, "alias"))).toBe("real/a");
  });

  it("refuses to write, append, copy, create or make anything through links that leave", async () => {
    fixture.put("source", "x");
    fixture.link("out", fixture.outside);
    fixture.link("file", "../outside/secret.txt");
    fixture.link("dangling", path.join(fixture.outside, "created"));
    fixture.link("dangling-dir", "../outside/new/dir");
    for (const name of [
      "out/secret.txt",
      "out/created",
      "file",
      "dangling",
      "dangling-dir/x",
      "out/sub/new/x",
    ]) {
      const attempts = [
        () => guard.replaceFile(name, bytes("x")),
        () => guard.replaceFile(name, bytes("x"), { create: true }),
        () => guard.appendFile(name, bytes("x")),
        () => guard.copyFile("source", name, { overwrite: true }),
        () => guard.makeDirectory(name),
      ];
      for (const attempt of attempts) expect([name, await codeOf(attempt)]).toEqual([name, "PATH_SYMLINK"]);
    }
    expect(await codeOf(() => guard.copyFile("file", "stolen"))).toBe("PATH_SYMLINK");
    expect(existsSync(path.join(fixture.ws, "stolen"))).toBe(false);
  });

  it("refuses to create or touch protected and forbidden places, under any spelling", async () => {
    const strict = await fixture.files({
      protectedGlobs: [".git/**", ".bashrc"],
      forbiddenPaths: ["**/*.key"],
    });
    mkdirSync(path.join(fixture.ws, ".git/hooks"), { recursive: true });
    fixture.link("hooks", ".git/hooks");
    fixture.put("a", "x");
    for (const name of [
      ".git/hooks/pre-commit",
      ".git/config",
      "hooks/pre-commit",
      ".GIT/config",
      "sub/.git/config",
      ".bashrc",
      "x/y.key",
    ]) {
      expect([name, await codeOf(() => strict.replaceFile(name, bytes("x")))]).toEqual([
        name,
        "PATH_FORBIDDEN",
      ]);
      expect(await codeOf(() => strict.appendFile(name, bytes("x")))).toBe("PATH_FORBIDDEN");
      expect(await codeOf(() => strict.rename("a", name, { overwrite: true }))).toBe("PATH_FORBIDDEN");
      expect(await codeOf(() => strict.copyFile("a", name))).toBe("PATH_FORBIDDEN");
      expect(await codeOf(() => strict.makeDirectory(name))).toBe("PATH_FORBIDDEN");
    }
    expect(names(".git/hooks")).toEqual([]);
    expect(existsSync(path.join(fixture.ws, "sub"))).toBe(false);
  });

  it("creates only where nothing is, and replaces only what it knows", async () => {
    fixture.put("a", "old");
    fixture.link("dangling", "b");
    expect(await codeOf(() => guard.replaceFile("a", bytes("x"), { create: true }))).toBe("FILE_CONFLICT");
    const known = guard.stat("a")?.identity ?? "";
    fixture.put("a", "new");
    expect(await codeOf(() => guard.replaceFile("a", bytes("x"), { ifIdentity: known }))).toBe(
      "FILE_CONFLICT",
    );
    expect(await codeOf(() => guard.replaceFile("none", bytes("x"), { ifIdentity: known }))).toBe(
      "FILE_CONFLICT",
    );
    expect(show("a")).toBe("new");
    await guard.replaceFile("a", bytes("mine"), { ifIdentity: guard.stat("a")?.identity ?? "" });
    expect(show("a")).toBe("mine");
    expect(names()).toEqual(["a", "dangling"]);
  });

  it("sees a change between preparing a file and putting it in place", async () => {
    fixture.put("a", "old");
    const meanwhile = { change: (): void => {} };
    const failpoint = (step: string): void => {
      if (step === "committing") meanwhile.change();
    };
    const files = await fixture.files({}, { failpoint });
    meanwhile.change = () => void fixture.put("a", "other");
    const known = { ifIdentity: files.stat("a")?.identity ?? "" };
    expect(await codeOf(() => files.replaceFile("a", bytes("new"), known))).toBe("FILE_CONFLICT");
    meanwhile.change = () => void fixture.put("b", "theirs");
    expect(await codeOf(() => files.replaceFile("b", bytes("new"), { create: true }))).toBe("FILE_CONFLICT");
    meanwhile.change = () => void fixture.put("a", "longer than other");
    expect(await codeOf(() => files.appendFile("a", bytes("more")))).toBe("FILE_CONFLICT");
    expect([show("a"), show("b")]).toEqual(["longer than other", "theirs"]);
    expect(names()).toEqual(["a", "b"]);
  });

  it("does not put a file into a directory that was moved away", async () => {
    fixture.put("d/a", "old");
    const failpoint = (step: string): void => {
      if (step === "committing") renameSync(path.join(fixture.ws, "d"), path.join(fixture.ws, "elsewhere"));
    };
    const files = await fixture.files({}, { failpoint });
    // What was prepared went away with the directory, so the journal cannot say that all is as before.
    expect(await codeOf(() => files.replaceFile("d/a", bytes("new")))).toBe("CALL_INTERRUPTED");
    expect(show("elsewhere/a")).toBe("old");
    expect(existsSync(path.join(fixture.ws, "d"))).toBe(false);
  });

  it("appends in one step, to a new file too, and loses nothing to others", async () => {
    await guard.appendFile("log", bytes("one\n"));
    await guard.appendFile("log", bytes("two\n"));
    expect(show("log")).toBe("one\ntwo\n");
    await Promise.all(["a", "b", "c"].map((line) => guard.appendFile("log", bytes(line))));
    expect(show("log").slice("one\ntwo\n".length).split("").sort()).toEqual(["a", "b", "c"]);
  });

  it("keeps the size limit on every way of writing content, but copies files of any size", async () => {
    const small = await fixture.files({}, { maxFileSize: 10 });
    fixture.put("big", "x".repeat(11));
    fixture.put("eight", "x".repeat(8));
    const full = bytes("x".repeat(11));
    expect(await codeOf(() => small.replaceFile("a", full))).toBe("FILE_TOO_LARGE");
    expect(await codeOf(() => small.appendFile("eight", bytes("xxx")))).toBe("FILE_TOO_LARGE");
    expect(await codeOf(() => small.appendFile("new", full))).toBe("FILE_TOO_LARGE");
    await small.copyFile("big", "copy");
    await small.appendFile("eight", bytes("xx"));
    expect(names()).toEqual(["big", "copy", "eight"]);
  });

  it("makes directories with their parents, and says whether it had to", async () => {
    expect(await guard.makeDirectory("a/b/c")).toEqual({ created: true });
    expect(await guard.makeDirectory("a/b/c")).toEqual({ created: false });
    expect(await guard.makeDirectory(".")).toEqual({ created: false });
    fixture.put("file", "x");
    expect(await codeOf(() => guard.makeDirectory("file"))).toBe("FILE_CONFLICT");
    expect(await codeOf(() => guard.makeDirectory("file/below"))).toBe("FILE_IO");
    fixture.link("alias", "a");
    expect(await guard.makeDirectory("alias/x/y")).toEqual({ created: true });
    expect(lstatSync(path.join(fixture.ws, "a/x/y")).isDirectory()).toBe(true);
  });

  it("refuses names that nobody could show or open again", async () => {
    for (const name of ["a\nb", "a\0b", "a\u001bb", "x".repeat(256), "\ud800"]) {
      expect(await codeOf(() => guard.replaceFile(name, bytes("x")))).toBe("PATH_INVALID");
      expect(await codeOf(() => guard.makeDirectory(name))).toBe("PATH_INVALID");
    }
    expect(await codeOf(() => guard.replaceFile("d/".repeat(2045) + "x", bytes("x")))).toBe("PATH_INVALID");
    fixture.put("a", "x");
    expect(await codeOf(() => guard.rename("a", "b\nc"))).toBe("PATH_INVALID");
    expect(await codeOf(() => guard.replaceFile("x".repeat(250), bytes("x")))).toBe("no error");
  });
});
