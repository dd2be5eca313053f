import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  codeOf,
  collect,
  createTestFixture,
  SECRET,
  type TestFiles,
  type TestFixture,
} from "../../../test/attack/fixture.js";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

describe.each(["descriptor", "portable"] as const)("reading, held by %s", (kind) => {
  let fixture: TestFixture;
  let guard: TestFiles;
  beforeEach(async () => {
    fixture = createTestFixture(kind);
    guard = await fixture.files();
  });
  afterEach(() => fixture.dispose());

  it("reads a file by relative and absolute path, whole and in part", async () => {
    fixture.put("src/a.txt", "hello world");
    expect(text(await guard.read("src/a.txt"))).toBe("hello world");
    expect(text(await guard.read(path.join(fixture.ws, "src/a.txt")))).toBe("hello world");
    expect(text(await guard.read("src/../src/./a.txt", { offset: 6 }))).toBe("world");
    expect(text(await guard.read("src/a.txt", { offset: 0, length: 5 }))).toBe("hello");
    expect(text(await guard.read("src/a.txt", { offset: 99 }))).toBe("");
    expect(text(await guard.read("src/a.txt", { length: 0 }))).toBe("");
  });

  it("reads large files whole and byte-exact", async () => {
    const content = Buffer.alloc(900_000, "0123456789");
    fixture.put("large", content);
    expect(Buffer.compare(await guard.read("large"), content)).toBe(0);
  });

  it("refuses more than the limit, but reads ranges of a file of any size", async () => {
    fixture.put("sparse", "start");
    truncateSync(path.join(fixture.ws, "sparse"), 10 * 1024 ** 3);
    expect(await codeOf(() => guard.read("sparse"))).toBe("FILE_TOO_LARGE");
    expect(await codeOf(() => guard.read("sparse", { offset: 1 }))).toBe("FILE_TOO_LARGE");
    expect(text(await guard.read("sparse", { length: 5 }))).toBe("start");
    expect((await guard.read("sparse", { offset: 9 * 1024 ** 3, length: 4096 })).length).toBe(4096);
    expect((await guard.read("sparse", { offset: 10 * 1024 ** 3 - 3 })).length).toBe(3);
    fixture.put("exact", Buffer.alloc(1024 * 1024));
    expect((await guard.read("exact")).length).toBe(1024 * 1024);
    fixture.put("over", Buffer.alloc(1024 * 1024 + 1));
    expect(await codeOf(() => guard.read("over"))).toBe("FILE_TOO_LARGE");
  });

  it.each([-1, 1.5, Number.NaN, Infinity, 2 ** 60])("refuses the offset %d", async (offset) => {
    fixture.put("a", "x");
    expect(await codeOf(() => guard.read("a", { offset }))).toBe("VALUE_INVALID");
  });

  it("refuses FIFOs, sockets and devices at once", async () => {
    execFileSync("mkfifo", [path.join(fixture.ws, "fifo")]);
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(path.join(fixture.ws, "sock"), resolve));
    fixture.link("linked", "fifo");
    const names = ["fifo", "sock", "linked"];
    if (process.getuid?.() === 0) {
      execFileSync("mknod", [path.join(fixture.ws, "null"), "c", "1", "3"]);
      execFileSync("mknod", [path.join(fixture.ws, "zero"), "c", "1", "5"]);
      names.push("null", "zero");
    }
    for (const name of names) {
      expect(await codeOf(() => guard.read(name))).toBe("PATH_INVALID");
      expect(await codeOf(() => guard.openRead(name))).toBe("PATH_INVALID");
      expect(guard.check(name)).toMatchObject({ allowed: false, code: "PATH_INVALID" });
      expect(guard.stat(name)?.type).toBe("other");
      expect(await codeOf(() => guard.replaceFile(name, Buffer.from("x")))).toBe("PATH_INVALID");
      expect(await codeOf(() => guard.appendFile(name, Buffer.from("x")))).toBe("PATH_INVALID");
      expect(await codeOf(() => guard.copyFile(name, "copy"))).toBe("PATH_INVALID");
    }
    server.close();
  });

  it("tells what is missing from what is no file", async () => {
    fixture.put("dir/file", "x");
    expect(await codeOf(() => guard.read("missing"))).toBe("RESOURCE_NOT_FOUND");
    expect(await codeOf(() => guard.read("no/such/dir"))).toBe("RESOURCE_NOT_FOUND");
    expect(await codeOf(() => guard.read("dir"))).toBe("FILE_IO");
    expect(await codeOf(() => guard.read("dir/file/below"))).toBe("FILE_IO");
    expect(guard.stat("missing")).toBeNull();
    expect(guard.stat("dir/file/below")).toBeNull();
    fixture.link("dangling", "nowhere");
    expect(guard.stat("dangling")).toBeNull();
    expect(guard.stat("dangling", { follow: false })?.type).toBe("symlink");
    await expect(guard.read("missing")).rejects.toThrow('not found: "missing"');
  });

  it("shows identity, times and mode", () => {
    const file = fixture.put("a", "12345");
    const { mtimeMs } = statSync(file);
    const stat = guard.stat("a");
    expect(stat).toMatchObject({ type: "file", size: 5, mode: 0o644 });
    expect(stat?.modified).toBeCloseTo(mtimeMs, 0);
    expect(guard.stat("a")?.identity).toBe(stat?.identity);
    writeFileSync(file, "54321");
    expect(guard.stat("a")?.identity).not.toBe(stat?.identity);
    expect(guard.stat(".")?.type).toBe("directory");
  });

  it("keeps an open file open while it is replaced", () => {
    const file = fixture.put("a", "first");
    const open = guard.openRead("a");
    renameSync(fixture.put("b", "second"), file);
    const buffer = Buffer.alloc(10);
    expect(open.readInto(buffer, 0)).toBe(5);
    expect(buffer.toString("utf8", 0, 5)).toBe("first");
    expect(open.path).toBe("a");
    open.close();
    open.close();
  });

  it("reads names that look like the kernel's mark of a deleted file", async () => {
    fixture.put("x (deleted)", "here");
    fixture.put("x", "there");
    expect(text(await guard.read("x (deleted)"))).toBe("here");
    expect(text(await guard.read("x"))).toBe("there");
  });

  it("lists a directory, links unfollowed, odd names escaped", async () => {
    fixture.put("d/file", "x");
    mkdirSync(path.join(fixture.ws, "d/sub"));
    fixture.link("d/out", fixture.outside);
    writeFileSync(Buffer.concat([Buffer.from(`${fixture.ws}/d/bad`), Buffer.from([0xff, 0x0a])]), "x");
    const entries = await collect(guard.list("d"));
    expect(entries.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "bad\\xff\\x0a", path: "d/bad\\xff\\x0a", type: "file" },
      { name: "file", path: "d/file", type: "file" },
      { name: "out", path: "d/out", type: "symlink" },
      { name: "sub", path: "d/sub", type: "directory" },
    ]);
    expect((await collect(guard.list("."))).map((entry) => entry.path)).toEqual(["d"]);
    expect(await codeOf(() => collect(guard.list("d/file")))).toBe("FILE_IO");
    expect(await codeOf(() => collect(guard.list("none")))).toBe("RESOURCE_NOT_FOUND");
  });

  it("streams a large directory and can be left early", async () => {
    for (let index = 0; index < 2000; index += 1) fixture.put(`many/${index}`);
    let seen = 0;
    for await (const entry of guard.list("many")) {
      expect(entry.type).toBe("file");
      seen += 1;
      if (seen === 10) break;
    }
    expect(seen).toBe(10);
    expect(await collect(guard.list("many"))).toHaveLength(2000);
  });

  it("reads a hard link to an outside file only as its own file", async () => {
    linkSync(path.join(fixture.outside, "secret.txt"), path.join(fixture.ws, "hard"));
    await guard.replaceFile("hard", Buffer.from("mine"));
    expect(text(await guard.read("hard"))).toBe("mine");
    expect(statSync(path.join(fixture.outside, "secret.txt")).size).toBe(SECRET.length);
  });
});
