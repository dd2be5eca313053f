import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

/** A file without content on the disk, except for its first and last bytes. */
function putSparse(name: string, size: number, ends: readonly [string, string] = ["first", "last"]): void {
  fixture.put(name, ends[0]);
  truncateSync(fixture.path(name), size);
  const fd = openSync(fixture.path(name), "r+");
  writeSync(fd, ends[1], size - ends[1].length);
  closeSync(fd);
}

/** What a descriptor of this process refers to, if it is a file of the fixture. */
function leadsTo(fd: string): string {
  try {
    const target = readlinkSync(`/proc/self/fd/${fd}`);
    return target.includes(fixture.workspace) ? target : "";
  } catch {
    return "";
  }
}

const sizeOf = (name: string): number => statSync(fixture.path(name)).size;

describe("files of any size", () => {
  it("moves, deletes and restores a file beyond every limit of the journal", async () => {
    putSparse("huge.bin", 50 * GiB);
    const { ino } = statSync(fixture.path("huge.bin"));
    await fixture.ok("move_file", { from: "huge.bin", to: "sub/moved.bin" });
    await fixture.ok("delete_file", { path: "sub/moved.bin" });
    expect(existsSync(fixture.path("sub/moved.bin"))).toBe(false);
    // What is too large to be kept with others is still there for a new process.
    await fixture.reopen();
    await fixture.ok("undo_edit", { path: "sub/moved.bin" });
    await fixture.ok("undo_edit", { path: "huge.bin" });
    expect(statSync(fixture.path("huge.bin"))).toMatchObject({ size: 50 * GiB, ino });
  });

  it("keeps the contents of large files apart that are edited at once and one after the other", async () => {
    const names = ["a.txt", "b.txt", "c.txt"];
    const expected = new Map(
      names.map((name) => [
        name,
        Array.from({ length: 30_000 }, (_, at) => `${name} ${at} ${"x".repeat(60)}`),
      ]),
    );
    for (const [name, lines] of expected) fixture.put(name, lines.join("\n"));
    const edit = async (name: string, at: number): Promise<void> => {
      const lines = expected.get(name) ?? [];
      await fixture.ok("read_file", { path: name, start_line: at + 1, end_line: at + 1 });
      const new_str = `${name} changed ${"y".repeat(at % 100)}`;
      await fixture.ok("edit_file", { path: name, old_str: lines[at], new_str });
      lines[at] = new_str;
    };
    for (const at of [1, 29_999, 15_000, 7]) {
      await Promise.all(names.map((name) => edit(name, at)));
      await edit("b.txt", at + 100 > 29_999 ? 0 : at + 100);
    }
    for (const [name, lines] of expected) expect(fixture.text(name) === lines.join("\n")).toBe(true);
    expect(readdirSync("/proc/self/fd").filter((fd) => leadsTo(fd).includes("(deleted)"))).toEqual([]);
  });

  it("undoes a move of a large file only if nobody changed it", async () => {
    putSparse("a.bin", 2 * GiB);
    await fixture.ok("move_file", { from: "a.bin", to: "b.bin" });
    const fd = openSync(fixture.path("b.bin"), "r+");
    writeSync(fd, "other", 1000);
    closeSync(fd);
    expect(await fixture.refused("undo_edit", {})).toMatchObject({ code: "FILE_CONFLICT" });
  });

  it("replaces a large file by a move and brings both back", async () => {
    putSparse("new.bin", 2 * GiB);
    putSparse("old.bin", 3 * GiB);
    await fixture.ok("move_file", { from: "new.bin", to: "old.bin", overwrite: true });
    expect(sizeOf("old.bin")).toBe(2 * GiB);
    await fixture.ok("undo_edit", {});
    expect([sizeOf("new.bin"), sizeOf("old.bin")]).toEqual([2 * GiB, 3 * GiB]);
  });

  it("copies a file over maxFileSize, also onto a large one, and takes it back", async () => {
    putSparse("from.bin", 120 * MiB, ["start", "end"]);
    putSparse("old.bin", 2 * GiB);
    await fixture.ok("copy_file", { from: "from.bin", to: "old.bin", overwrite: true });
    expect(sizeOf("old.bin")).toBe(120 * MiB);
    expect(fixture.bytes("old.bin").equals(fixture.bytes("from.bin"))).toBe(true);
    await fixture.ok("undo_edit", {});
    expect(sizeOf("old.bin")).toBe(2 * GiB);
  });

  it("deletes a directory with gigabytes in it and restores all of it", async () => {
    mkdirSync(fixture.path("data/sub"), { recursive: true });
    writeFileSync(fixture.path("data/sub/note.txt"), "hello\n");
    writeFileSync(fixture.path("data/full.bin"), Buffer.alloc(65 * MiB, 1));
    putSparse("data/huge.bin", 5 * GiB);
    await fixture.ok("delete_file", { path: "data", recursive: true });
    expect(existsSync(fixture.path("data"))).toBe(false);
    await fixture.ok("undo_edit", {});
    expect([fixture.text("data/sub/note.txt"), sizeOf("data/huge.bin")]).toEqual(["hello\n", 5 * GiB]);
  });

  it("keeps the history of other files when one change exceeds the limit", async () => {
    await fixture.reopen({ config: { journal: { maxBytes: 10 * MiB } } });
    fixture.put("small.txt", "one\n");
    await fixture.ok("read_file", { path: "small.txt" });
    await fixture.ok("write_file", { path: "small.txt", content: "two\n" });
    putSparse("huge.bin", GiB);
    await fixture.ok("delete_file", { path: "huge.bin" });
    for (let at = 0; at < 70; at += 1)
      await fixture.ok("write_file", { path: `new-${at}.txt`, content: "x" });
    await fixture.ok("undo_edit", { path: "small.txt" });
    expect(fixture.text("small.txt")).toBe("one\n");
    expect(await fixture.refused("undo_edit", { path: "huge.bin" })).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
  });
});

describe("a text file of two gigabytes", () => {
  it("is read at its end and at a late line, deleted and restored", async () => {
    const size = 2.2 * GiB - ((2.2 * GiB) % 4096);
    fixture.put("huge.log", "first line\n".repeat(10_000));
    truncateSync(fixture.path("huge.log"), size);
    const end = "\nlast but one\nthe last line\n";
    const fd = openSync(fixture.path("huge.log"), "r+");
    writeSync(fd, end, size - end.length);
    closeSync(fd);
    const tail = await fixture.ok("read_file", { path: "huge.log", start_line: -2 });
    expect(tail).toMatchObject({
      content: "last but one\nthe last line\n",
      startLine: 10_002,
      totalLines: 10_003,
    });
    expect(await fixture.ok("read_file", { path: "huge.log", start_line: 10_003 })).toMatchObject({
      content: "the last line\n",
    });
    expect(await fixture.refused("read_file", { path: "huge.log" })).toMatchObject({
      code: "FILE_TOO_LARGE",
    });
    await fixture.ok("delete_file", { path: "huge.log" });
    await fixture.ok("undo_edit", {});
    expect(sizeOf("huge.log")).toBe(size);
  });
});
