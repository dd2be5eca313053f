import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, createTestFixture, type TestFiles, type TestFixture } from "../../../test/attack/fixture.js";
import { asOrdinaryUser, nobody } from "../testing/as-ordinary-user.js";
import { quotePath, systemFailure } from "./file-errors.js";

const data = Buffer.from("x");

/** Mount a file system of the given kind, or say loudly that this machine does not let us. */
function mounted(directory: string, options: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "ignore" });
    return true;
  } catch {
    process.stderr.write(`\nCANNOT MOUNT HERE: a tmpfs (${options}) is tested by its error code only\n`);
    return false;
  }
}

describe("errors of the system", () => {
  let fixture: TestFixture;
  let guard: TestFiles;
  beforeEach(async () => {
    fixture = createTestFixture();
    guard = await fixture.files();
  });
  afterEach(() => fixture.dispose());

  it.each([
    ["ENOENT", "RESOURCE_NOT_FOUND"],
    ["ENAMETOOLONG", "PATH_INVALID"],
    ["ELOOP", "PATH_SYMLINK"],
    ["EEXIST", "FILE_CONFLICT"],
    ["ENOTEMPTY", "FILE_CONFLICT"],
    ["ESTALE", "FILE_CONFLICT"],
    ["EACCES", "FILE_IO"],
    ["EPERM", "FILE_IO"],
    ["EROFS", "FILE_IO"],
    ["ENOSPC", "FILE_IO"],
    ["EMFILE", "FILE_IO"],
    ["ENOTDIR", "FILE_IO"],
    ["EISDIR", "FILE_IO"],
    ["EXDEV", "FILE_IO"],
    ["ESOMETHINGNEW", "FILE_IO"],
  ])("%s becomes %s and names the caller's path", (errno, code) => {
    const error = systemFailure("my/path", errno);
    expect(error.code).toBe(code);
    expect(error.message).toContain('"my/path"');
  });

  it("keeps hostile paths on one short line", () => {
    expect(quotePath("a\nb\u001b[2J")).toBe('"a\\nb\\u001b[2J"');
    expect(quotePath("x".repeat(5000)).length).toBeLessThan(210);
  });

  it("says permission denied where the user may not", async () => {
    chmodSync(fixture.base, 0o755);
    const secret = fixture.put("locked", "x");
    fixture.put("dir/file", "x");
    fixture.put("readonly", "x");
    for (const name of ["", "dir"]) chownSync(path.join(fixture.ws, name), nobody, nobody);
    // The journal writes its own state as the same user.
    execFileSync("chown", ["-R", `${nobody}:${nobody}`, fixture.stateDir]);
    chmodSync(secret, 0o000);
    chmodSync(path.join(fixture.ws, "dir"), 0o500);
    chmodSync(path.join(fixture.ws, "readonly"), 0o444);
    const codes = await asOrdinaryUser(async () => ({
      read: await codeOf(() => guard.read("locked")),
      replace: await codeOf(() => guard.replaceFile("readonly", data)),
      append: await codeOf(() => guard.appendFile("readonly", data)),
      create: await codeOf(() => guard.replaceFile("dir/new", data)),
      unlink: await codeOf(() => guard.unlink("dir/file")),
      move: await codeOf(() => guard.rename("dir/file", "moved")),
      mkdir: await codeOf(() => guard.makeDirectory("dir/sub")),
      tree: await codeOf(() => guard.removeTree("dir")),
      fine: await codeOf(() => guard.replaceFile("own", data)),
    }));
    // Whether a file may be written is asked for the real user, which stays root here.
    const readonly = process.getuid?.() === 0 ? "no error" : "FILE_IO";
    expect(codes).toEqual({
      read: "FILE_IO",
      replace: readonly,
      append: readonly,
      create: "FILE_IO",
      unlink: "FILE_IO",
      move: "FILE_IO",
      mkdir: "FILE_IO",
      tree: "FILE_IO",
      fine: "no error",
    });
    if (readonly !== "no error") expect(readFileSync(path.join(fixture.ws, "readonly"), "utf8")).toBe("x");
    chmodSync(path.join(fixture.ws, "dir"), 0o000);
    expect(await asOrdinaryUser(() => codeOf(() => guard.read("dir/file")))).toBe("FILE_IO");
  });

  it("leaves the old file and no rubbish behind on a full disk", async () => {
    const disk = path.join(fixture.ws, "disk");
    mkdirSync(disk);
    const real = mounted(disk, "size=64k");
    try {
      await guard.replaceFile("disk/a", Buffer.from("old"));
      const full = real ? await codeOf(() => guard.replaceFile("disk/a", Buffer.alloc(200_000))) : "FILE_IO";
      expect(full).toBe("FILE_IO");
      expect(readFileSync(path.join(disk, "a"), "utf8")).toBe("old");
      expect(readdirSync(disk)).toEqual(["a"]);
    } finally {
      if (real) execFileSync("umount", [disk]);
    }
  });

  it("refuses changes of a read-only file system, and does not delete what is mounted below a tree", async () => {
    const disk = path.join(fixture.ws, "tree/disk");
    mkdirSync(disk, { recursive: true });
    fixture.put("tree/file", "x");
    fixture.put("file", "x");
    const real = mounted(disk, "ro");
    try {
      const code = (step: () => unknown): Promise<string> =>
        real ? codeOf(step) : Promise.resolve("FILE_IO");
      expect(await code(() => guard.replaceFile("tree/disk/a", data))).toBe("FILE_IO");
      expect(await code(() => guard.makeDirectory("tree/disk/d"))).toBe("FILE_IO");
      expect(await code(() => guard.rename("file", "tree/disk/f"))).toBe("FILE_IO");
      const kept = real ? await codeOf(() => guard.removeTree("tree")) : "FILE_CONFLICT";
      expect(kept).toBe("FILE_CONFLICT");
      expect(readFileSync(path.join(fixture.ws, "tree/file"), "utf8")).toBe("x");
    } finally {
      if (real) execFileSync("umount", [disk]);
    }
  });

  it("moves files and directories across file systems", async () => {
    const disk = path.join(fixture.ws, "disk");
    mkdirSync(disk);
    const real = mounted(disk, "size=1m");
    try {
      fixture.put("a", "moved");
      fixture.put("b", "taken");
      fixture.put("dir/x", "x");
      await guard.rename("a", "disk/a");
      expect(readFileSync(path.join(disk, "a"), "utf8")).toBe("moved");
      expect(guard.stat("a")).toBeNull();
      expect(await codeOf(() => guard.rename("b", "disk/a"))).toBe("FILE_CONFLICT");
      await guard.rename("dir", "disk/dir");
      expect(readFileSync(path.join(disk, "dir/x"), "utf8")).toBe("x");
      expect(guard.stat("dir")).toBeNull();
      expect(readdirSync(disk).sort()).toEqual(["a", "dir"]);
    } finally {
      if (real) execFileSync("umount", [disk]);
    }
  });

  it("says so when too many files are open, and leaks none", () => {
    const script = path.join(import.meta.dirname, "../../../test/attack/exhaust-descriptors.mjs");
    const output = execFileSync(
      "sh",
      ["-c", `ulimit -n 100; exec "${process.execPath}" "${script}" "${fixture.ws}"`],
      {
        encoding: "utf8",
      },
    );
    expect(JSON.parse(output)).toEqual({
      codes: ["FILE_IO", "FILE_IO", "FILE_IO"],
      retryable: true,
      after: "no error",
    });
  });
});
