import { appendFileSync, chmodSync, existsSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileGround, type FileGround } from "./file-ground.js";

let ground: FileGround;
beforeEach(() => {
  ground = openFileGround();
});
afterEach(() => ground.close());

describe("edit_file", () => {
  it("replaces a text that was read, and shows what it did", async () => {
    ground.put("a.txt", "one\ntwo\nthree\n");
    await ground.ok("read_file", { path: "a.txt" });
    const result = await ground.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "zwei" });
    expect(ground.text("a.txt")).toBe("one\nzwei\nthree\n");
    expect(result).toEqual({
      path: "a.txt",
      replacements: 1,
      oldStrLen: 3,
      newStrLen: 4,
      contextSnippet: "1\tone\n2\tzwei\n3\tthree",
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n",
      created: false,
      matched: "exact",
    });
  });

  it("creates a file that is not there, directories included, and one that is empty", async () => {
    const made = await ground.ok("edit_file", { path: "a/b.txt", old_str: "", new_str: "new\n" });
    expect(made).toMatchObject({
      created: true,
      diff: expect.stringContaining("--- /dev/null\n+++ b/a/b.txt"),
    });
    ground.put("empty", "");
    expect(await ground.ok("edit_file", { path: "empty", old_str: "", new_str: "x" })).toMatchObject({
      created: false,
    });
    expect([ground.text("a/b.txt"), ground.text("empty")]).toEqual(["new\n", "x"]);
  });

  it("needs no second read after its own edits", async () => {
    ground.put("a.txt", "one\ntwo\nthree\n");
    await ground.ok("read_file", { path: "a.txt" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "1\n1b" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "1b\ntwo", new_str: "2" });
    await ground.ok("write_file", { path: "a.txt", content: "whole" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "whole", new_str: "part" });
    expect(ground.text("a.txt")).toBe("part\n");
  });

  it("keeps the mode", async () => {
    ground.put("run.sh", "#!/bin/sh\necho hi\n");
    chmodSync(ground.path("run.sh"), 0o755);
    await ground.ok("read_file", { path: "run.sh" });
    await ground.ok("edit_file", { path: "run.sh", old_str: "hi", new_str: "ho" });
    expect(statSync(ground.path("run.sh")).mode & 0o777).toBe(0o755);
  });
});

describe("write_file", () => {
  it("appends to a file that others appended to since it was read, and to its last line", async () => {
    for (const [name, read, others] of [
      ["whole.log", "one\ntwo\n", "three\n"],
      ["open.log", "one\ntw", "o\nthree\n"],
    ] as const) {
      ground.put(name, read);
      await ground.ok("read_file", { path: name });
      appendFileSync(ground.path(name), others);
      await ground.ok("write_file", { path: name, content: "four\n", mode: "append" });
      expect(ground.text(name)).toBe("one\ntwo\nthree\nfour\n");
    }
    ground.put("changed.log", "one\ntwo\n");
    await ground.ok("read_file", { path: "changed.log" });
    ground.put("changed.log", "ONE\ntwo\nthree\n");
    const error = await ground.refused("write_file", {
      path: "changed.log",
      content: "four\n",
      mode: "append",
    });
    expect(error.details).toMatchObject({ errorCode: 7 });
  });

  it("creates, overwrites what was read, and appends", async () => {
    expect(await ground.ok("write_file", { path: "d/a.txt", content: "x" })).toEqual({
      path: "d/a.txt",
      mode: "overwrite",
      bytesWritten: 2,
      lineCount: 1,
      created: true,
      overwritten: false,
    });
    expect(await ground.ok("file_write", { path: "d/a.txt", content: "y\nz" })).toMatchObject({
      overwritten: true,
      created: false,
      lineCount: 2,
    });
    await ground.ok("write_file", { path: "d/a.txt", content: "end", mode: "append" });
    expect(ground.text("d/a.txt")).toBe("y\nz\nend");
    await ground.ok("edit_file", { path: "d/a.txt", old_str: "end", new_str: "END" });
    expect(ground.text("d/a.txt")).toBe("y\nz\nEND");
  });

  it("takes the line ends, the mark and the encoding that the file had", async () => {
    ground.put("crlf.txt", "\uFEFFa\r\nb\r\n");
    await ground.ok("read_file", { path: "crlf.txt" });
    await ground.ok("write_file", { path: "crlf.txt", content: "c\nd" });
    expect(ground.text("crlf.txt")).toBe("\uFEFFc\r\nd\r\n");
    ground.put("latin", Buffer.from("caf\u00e9 na\u00efve d\u00e9j\u00e0 vu\n", "latin1"));
    await ground.ok("read_file", { path: "latin" });
    await ground.ok("write_file", { path: "latin", content: "\u00e9t\u00e9" });
    expect(ground.bytes("latin")).toEqual(Buffer.from("\u00e9t\u00e9\n", "latin1"));
    const error = await ground.refused("write_file", { path: "latin", content: "\u4f60\u597d" });
    expect(error).toMatchObject({ code: "EDIT_NOT_EXACT", message: expect.stringContaining('"utf8"') });
    await ground.ok("write_file", { path: "latin", content: "\u4f60\u597d", encoding: "utf8" });
    expect(ground.text("latin")).toBe("\u4f60\u597d\n");
  });

  it("takes Base64 as it is, and refuses what is none", async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    await ground.ok("write_file", { path: "b", content: bytes.toString("base64"), encoding: "base64" });
    expect(ground.bytes("b")).toEqual(bytes);
    expect(
      await ground.refused("write_file", { path: "c", content: "%%%", encoding: "base64" }),
    ).toMatchObject({
      code: "VALUE_INVALID",
    });
    expect(existsSync(ground.path("c"))).toBe(false);
  });

  it("leaves the end without a newline where that is wanted", async () => {
    await ground.ok("write_file", { path: "a", content: "x", final_newline: false });
    expect(ground.text("a")).toBe("x");
  });
});

describe("files of all kinds", () => {
  it("with a line longer than is shown can be edited and overwritten once they were read", async () => {
    const line = `${"x".repeat(3000)}MIDDLE${"y".repeat(3000)}`;
    ground.put("min.js", `first\n${line}\nlast\n`);
    await ground.ok("read_file", { path: "min.js" });
    await ground.ok("edit_file", { path: "min.js", old_str: "MIDDLE", new_str: "middle" });
    expect(ground.text("min.js")).toBe(`first\n${line.replace("MIDDLE", "middle")}\nlast\n`);
    await ground.ok("write_file", { path: "min.js", content: "short" });
  });

  it("without text are overwritten by bytes once they were read as bytes", async () => {
    const bytes = Buffer.from([0, 1, 2, 0, 255, 254, 253, 0]);
    ground.put("b.bin", bytes);
    const write = { path: "b.bin", content: Buffer.from([9, 0, 9]).toString("base64"), encoding: "base64" };
    expect(await ground.refused("write_file", write)).toMatchObject({ code: "EDIT_NOT_READ" });
    await ground.ok("read_file", { path: "b.bin", encoding: "base64" });
    ground.put("b.bin", Buffer.from([0, 1, 2, 0, 255, 254, 253, 1]));
    expect(await ground.refused("write_file", write)).toMatchObject({ code: "EDIT_STALE" });
    ground.put("b.bin", bytes);
    await ground.ok("write_file", write);
    await ground.ok("write_file", { ...write, content: "" });
    expect(ground.bytes("b.bin")).toHaveLength(0);
  });

  it("read as bytes, texts count as read", async () => {
    ground.put("a.txt", "one\ntwo\n");
    await ground.ok("read_file", { path: "a.txt", encoding: "base64" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "2" });
    expect(ground.text("a.txt")).toBe("one\n2\n");
  });

  it("are edited in the encoding that they were read in", async () => {
    const sjis = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x0a]);
    ground.put("j.txt", sjis);
    const read = await ground.ok("read_file", { path: "j.txt", encoding: "shift_jis" });
    expect(read["content"]).toBe("\u30c6\u30b9\u30c8\n");
    await ground.ok("edit_file", { path: "j.txt", old_str: "\u30b9", new_str: "\u30b9\u30b9" });
    expect(ground.bytes("j.txt")).toEqual(
      Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x58, 0x83, 0x67, 0x0a]),
    );
  });

  it("beyond the limit are refused, and nothing is written", async () => {
    await ground.reopen({ config: { files: { maxFileSize: 100 } } });
    const error = await ground.refused("write_file", { path: "a", content: "x".repeat(200) });
    expect(error).toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(existsSync(ground.path("a"))).toBe(false);
  });
});

describe("delete, move, copy and make", () => {
  it("do what they say, and each can be undone", async () => {
    ground.put("a.txt", "a\n");
    expect(await ground.ok("make_directory", { path: "x/y" })).toEqual({ path: "x/y", created: true });
    expect(await ground.ok("make_directory", { path: "x/y" })).toMatchObject({ created: false });
    expect(await ground.ok("copy_file", { from: "a.txt", to: "x/b.txt" })).toMatchObject({ success: true });
    expect(await ground.ok("move_file", { from: "a.txt", to: "x/y/c.txt" })).toMatchObject({ success: true });
    expect(await ground.ok("delete_file", { path: "x/b.txt" })).toMatchObject({ deleted: true });
    expect(existsSync(ground.path("a.txt"))).toBe(false);
    for (let left = 4; left > 0; left -= 1) await ground.ok("undo_edit");
    expect(ground.text("a.txt")).toBe("a\n");
    expect(existsSync(ground.path("x"))).toBe(false);
    expect(await ground.refused("undo_edit")).toMatchObject({ type: "ToolResourceNotFoundError" });
  });

  it("refuse to replace or to delete more than was said", async () => {
    ground.put("a", "a");
    ground.put("b", "b");
    await ground.ok("make_directory", { path: "d/e" });
    for (const name of ["move_file", "copy_file"]) {
      expect(await ground.refused(name, { from: "a", to: "b" })).toMatchObject({ code: "FILE_CONFLICT" });
    }
    expect(await ground.refused("delete_file", { path: "d" })).toMatchObject({ code: "FILE_CONFLICT" });
    await ground.ok("move_file", { from: "a", to: "b", overwrite: true });
    await ground.ok("delete_file", { path: "d", recursive: true });
    expect(ground.text("b")).toBe("a");
  });

  it("carry what was read along", async () => {
    ground.put("a.txt", "one\n");
    await ground.ok("read_file", { path: "a.txt" });
    await ground.ok("copy_file", { from: "a.txt", to: "c.txt" });
    await ground.ok("move_file", { from: "a.txt", to: "b.txt" });
    await ground.ok("edit_file", { path: "b.txt", old_str: "one", new_str: "two" });
    await ground.ok("edit_file", { path: "c.txt", old_str: "one", new_str: "three" });
    await ground.ok("delete_file", { path: "c.txt" });
    ground.put("c.txt", "one\n");
    expect(await ground.refused("edit_file", { path: "c.txt", old_str: "one", new_str: "x" })).toMatchObject({
      code: "EDIT_NOT_READ",
    });
  });
});

describe("apply_diff", () => {
  const diff = [
    "diff --git a/edit.txt b/edit.txt",
    "--- a/edit.txt",
    "+++ b/edit.txt",
    "@@ -1,3 +1,3 @@",
    " one",
    "-two",
    "+TWO",
    " three",
    "diff --git a/gone.txt b/gone.txt",
    "deleted file mode 100644",
    "--- a/gone.txt",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-gone",
    "diff --git a/old.txt b/sub/new.txt",
    "rename from old.txt",
    "rename to sub/new.txt",
    "--- a/old.txt",
    "+++ b/sub/new.txt",
    "@@ -1 +1 @@",
    "-old",
    "+new",
    "diff --git a/made.sh b/made.sh",
    "new file mode 100755",
    "--- /dev/null",
    "+++ b/made.sh",
    "@@ -0,0 +1 @@",
    "+echo made",
    "",
  ].join("\n");
  beforeEach(() => {
    ground.put("edit.txt", "one\ntwo\nthree\n");
    ground.put("gone.txt", "gone\n");
    ground.put("old.txt", "old\n");
  });
  const readAll = async (): Promise<void> => {
    for (const path of ["edit.txt", "gone.txt", "old.txt"]) await ground.ok("read_file", { path });
  };

  it("changes, deletes, renames and creates, and one undo takes all of it back", async () => {
    await readAll();
    const result = await ground.ok("apply_diff", { diff });
    expect(result["files"]).toEqual([
      { path: "edit.txt", action: "modify", hunks: 1, added: 1, removed: 1 },
      { path: "gone.txt", action: "delete", hunks: 1, added: 0, removed: 1 },
      { path: "sub/new.txt", action: "rename", from: "old.txt", hunks: 1, added: 1, removed: 1 },
      { path: "made.sh", action: "create", hunks: 1, added: 1, removed: 0 },
    ]);
    expect([ground.text("edit.txt"), ground.text("sub/new.txt"), ground.text("made.sh")]).toEqual([
      "one\nTWO\nthree\n",
      "new\n",
      "echo made\n",
    ]);
    expect(existsSync(ground.path("gone.txt")) || existsSync(ground.path("old.txt"))).toBe(false);
    expect(statSync(ground.path("made.sh")).mode & 0o777).toBe(0o755);
    await ground.ok("undo_edit");
    expect([ground.text("edit.txt"), ground.text("gone.txt"), ground.text("old.txt")]).toEqual([
      "one\ntwo\nthree\n",
      "gone\n",
      "old\n",
    ]);
    expect(existsSync(ground.path("made.sh")) || existsSync(ground.path("sub"))).toBe(false);
  });

  it("changes nothing where one hunk does not fit, and shows the hunk and the nearest place", async () => {
    await readAll();
    const error = await ground.refused("apply_diff", { diff: diff.replace(" three", " thrree") });
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_MISSING", details: { errorCode: 8 } });
    expect(error.message).toContain("-two");
    expect([ground.text("edit.txt"), ground.text("gone.txt"), ground.text("old.txt")]).toEqual([
      "one\ntwo\nthree\n",
      "gone\n",
      "old\n",
    ]);
  });

  it("takes two parts for one file as one after the other", async () => {
    await readAll();
    const twice =
      "--- a/edit.txt\n+++ b/edit.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/edit.txt\n+++ b/edit.txt\n@@ -1,2 +1,2 @@\n ONE\n-two\n+TWO\n";
    await ground.ok("apply_diff", { diff: twice });
    expect(ground.text("edit.txt")).toBe("ONE\nTWO\nthree\n");
    await ground.ok("undo_edit");
    expect(ground.text("edit.txt")).toBe("one\ntwo\nthree\n");
  });

  it("says what is wrong with a text that is no diff", async () => {
    expect(await ground.refused("apply_diff", { diff: "hello" })).toMatchObject({
      type: "ToolValidationError",
    });
  });
});

describe("undo_edit and edit_history", () => {
  it("undo by path, call and task, and list what can be undone", async () => {
    await ground.ok("write_file", { path: "a", content: "1" }, { taskId: "t" });
    await ground.ok("write_file", { path: "a", content: "2" }, { taskId: "t" });
    await ground.ok("write_file", { path: "b", content: "3" }, { taskId: "t" });
    const history = (await ground.ok("edit_history", {})) as { changes: readonly { callId: string }[] };
    expect(history).toMatchObject({
      count: 3,
      changes: [{ path: "b", tool: "write_file" }, { path: "a" }, { path: "a" }],
    });
    expect(await ground.ok("edit_history", { path: "a", limit: 1 })).toMatchObject({
      count: 2,
      changes: [{ sizeBefore: 2, sizeAfter: 2 }],
    });
    expect(await ground.ok("undo_edit", { path: "a" })).toMatchObject({
      path: "a",
      restoredContentLen: 2,
      previousContentLen: 2,
      diff: expect.stringContaining("-2\n+1"),
    });
    expect(ground.text("a")).toBe("1\n");
    await ground.ok("undo_edit", { call_id: history.changes[0]?.callId });
    expect(existsSync(ground.path("b"))).toBe(false);
    await ground.ok("undo_edit", { task_id: "t" });
    expect(existsSync(ground.path("a"))).toBe(false);
    expect(await ground.ok("edit_history")).toMatchObject({ count: 0 });
  });

  it("needs no new read after an undo", async () => {
    ground.put("a.txt", "one\ntwo\n");
    await ground.ok("read_file", { path: "a.txt" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "three" });
    await ground.ok("undo_edit", { path: "a.txt" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "four" });
    expect(ground.text("a.txt")).toBe("one\nfour\n");
  });

  it("refuses where someone changed the file since, with the difference", async () => {
    await ground.ok("write_file", { path: "a", content: "1" });
    ground.put("a", "changed\n");
    expect(await ground.refused("undo_edit", { path: "a" })).toMatchObject({
      code: "FILE_CONFLICT",
      details: { diff: expect.stringContaining("+changed") },
    });
  });

  it("forgets what is cleared", async () => {
    await ground.ok("write_file", { path: "a", content: "1" });
    await ground.ok("write_file", { path: "b", content: "1" });
    expect(await ground.ok("edit_history", { path: "a", clear: true })).toMatchObject({ cleared: 1 });
    expect(await ground.refused("undo_edit", { path: "a" })).toMatchObject({
      type: "ToolResourceNotFoundError",
    });
    expect(await ground.ok("edit_history", { clear: true })).toMatchObject({ cleared: 1, count: 0 });
  });
});
