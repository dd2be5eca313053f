import { appendFileSync, chmodSync, existsSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

describe("edit_file", () => {
  it("replaces a text that was read, and shows what it did", async () => {
    fixture.put("a.txt", "one\ntwo\nthree\n");
    await fixture.ok("read_file", { path: "a.txt" });
    const result = await fixture.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "zwei" });
    expect(fixture.text("a.txt")).toBe("one\nzwei\nthree\n");
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
    const made = await fixture.ok("edit_file", { path: "a/b.txt", old_str: "", new_str: "new\n" });
    expect(made).toMatchObject({
      created: true,
      diff: expect.stringContaining("--- /dev/null\n+++ b/a/b.txt"),
    });
    fixture.put("empty", "");
    expect(await fixture.ok("edit_file", { path: "empty", old_str: "", new_str: "x" })).toMatchObject({
      created: false,
    });
    expect([fixture.text("a/b.txt"), fixture.text("empty")]).toEqual(["new\n", "x"]);
  });

  it("needs no second read after its own edits", async () => {
    fixture.put("a.txt", "one\ntwo\nthree\n");
    await fixture.ok("read_file", { path: "a.txt" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "1\n1b" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "1b\ntwo", new_str: "2" });
    await fixture.ok("write_file", { path: "a.txt", content: "whole" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "whole", new_str: "part" });
    expect(fixture.text("a.txt")).toBe("part\n");
  });

  it("keeps the mode", async () => {
    fixture.put("run.sh", "#!/bin/sh\necho hi\n");
    chmodSync(fixture.path("run.sh"), 0o755);
    await fixture.ok("read_file", { path: "run.sh" });
    await fixture.ok("edit_file", { path: "run.sh", old_str: "hi", new_str: "ho" });
    expect(statSync(fixture.path("run.sh")).mode & 0o777).toBe(0o755);
  });
});

describe("write_file", () => {
  it("appends to a file that others appended to since it was read, and to its last line", async () => {
    for (const [name, read, others] of [
      ["whole.log", "one\ntwo\n", "three\n"],
      ["open.log", "one\ntw", "o\nthree\n"],
    ] as const) {
      fixture.put(name, read);
      await fixture.ok("read_file", { path: name });
      appendFileSync(fixture.path(name), others);
      await fixture.ok("write_file", { path: name, content: "four\n", mode: "append" });
      expect(fixture.text(name)).toBe("one\ntwo\nthree\nfour\n");
    }
    fixture.put("changed.log", "one\ntwo\n");
    await fixture.ok("read_file", { path: "changed.log" });
    fixture.put("changed.log", "ONE\ntwo\nthree\n");
    const error = await fixture.refused("write_file", {
      path: "changed.log",
      content: "four\n",
      mode: "append",
    });
    expect(error.details).toMatchObject({ errorCode: 7 });
  });

  it("creates, overwrites what was read, and appends", async () => {
    expect(await fixture.ok("write_file", { path: "d/a.txt", content: "x" })).toEqual({
      path: "d/a.txt",
      mode: "overwrite",
      bytesWritten: 2,
      lineCount: 1,
      created: true,
      overwritten: false,
    });
    expect(await fixture.ok("file_write", { path: "d/a.txt", content: "y\nz" })).toMatchObject({
      overwritten: true,
      created: false,
      lineCount: 2,
    });
    await fixture.ok("write_file", { path: "d/a.txt", content: "end", mode: "append" });
    expect(fixture.text("d/a.txt")).toBe("y\nz\nend");
    await fixture.ok("edit_file", { path: "d/a.txt", old_str: "end", new_str: "END" });
    expect(fixture.text("d/a.txt")).toBe("y\nz\nEND");
  });

  it("takes the line ends, the mark and the encoding that the file had", async () => {
    fixture.put("crlf.txt", "\uFEFFa\r\nb\r\n");
    await fixture.ok("read_file", { path: "crlf.txt" });
    await fixture.ok("write_file", { path: "crlf.txt", content: "c\nd" });
    expect(fixture.text("crlf.txt")).toBe("\uFEFFc\r\nd\r\n");
    fixture.put("latin", Buffer.from("caf\u00e9 na\u00efve d\u00e9j\u00e0 vu\n", "latin1"));
    await fixture.ok("read_file", { path: "latin" });
    await fixture.ok("write_file", { path: "latin", content: "\u00e9t\u00e9" });
    expect(fixture.bytes("latin")).toEqual(Buffer.from("\u00e9t\u00e9\n", "latin1"));
    const error = await fixture.refused("write_file", { path: "latin", content: "\u4f60\u597d" });
    expect(error).toMatchObject({ code: "EDIT_NOT_EXACT", message: expect.stringContaining('"utf8"') });
    await fixture.ok("write_file", { path: "latin", content: "\u4f60\u597d", encoding: "utf8" });
    expect(fixture.text("latin")).toBe("\u4f60\u597d\n");
  });

  it("takes Base64 as it is, and refuses what is none", async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    await fixture.ok("write_file", { path: "b", content: bytes.toString("base64"), encoding: "base64" });
    expect(fixture.bytes("b")).toEqual(bytes);
    expect(
      await fixture.refused("write_file", { path: "c", content: "%%%", encoding: "base64" }),
    ).toMatchObject({
      code: "VALUE_INVALID",
    });
    expect(existsSync(fixture.path("c"))).toBe(false);
  });

  it("leaves the end without a newline where that is wanted", async () => {
    await fixture.ok("write_file", { path: "a", content: "x", final_newline: false });
    expect(fixture.text("a")).toBe("x");
  });
});

describe("files of all kinds", () => {
  it("with a line longer than is shown can be edited and overwritten once they were read", async () => {
    const line = `${"x".repeat(3000)}MIDDLE${"y".repeat(3000)}`;
    fixture.put("min.js", `first\n${line}\nlast\n`);
    await fixture.ok("read_file", { path: "min.js" });
    await fixture.ok("edit_file", { path: "min.js", old_str: "MIDDLE", new_str: "middle" });
    expect(fixture.text("min.js")).toBe(`first\n${line.replace("MIDDLE", "middle")}\nlast\n`);
    await fixture.ok("write_file", { path: "min.js", content: "short" });
  });

  it("without text are overwritten by bytes once they were read as bytes", async () => {
    const bytes = Buffer.from([0, 1, 2, 0, 255, 254, 253, 0]);
    fixture.put("b.bin", bytes);
    const write = { path: "b.bin", content: Buffer.from([9, 0, 9]).toString("base64"), encoding: "base64" };
    expect(await fixture.refused("write_file", write)).toMatchObject({ code: "EDIT_NOT_READ" });
    await fixture.ok("read_file", { path: "b.bin", encoding: "base64" });
    fixture.put("b.bin", Buffer.from([0, 1, 2, 0, 255, 254, 253, 1]));
    expect(await fixture.refused("write_file", write)).toMatchObject({ code: "EDIT_STALE" });
    fixture.put("b.bin", bytes);
    await fixture.ok("write_file", write);
    await fixture.ok("write_file", { ...write, content: "" });
    expect(fixture.bytes("b.bin")).toHaveLength(0);
  });

  it("read as bytes, texts count as read", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await fixture.ok("read_file", { path: "a.txt", encoding: "base64" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "2" });
    expect(fixture.text("a.txt")).toBe("one\n2\n");
  });

  it.each([
    // An escape sequence of ISO-2022-JP that the edit brings, or completes.
    ["plain\nwords\n", "plain", "\u001B$B5.\u001B(B"],
    ["\u001Bplain\nwords\n", "plain", "$B5.\u001B(B"],
    // Good sequences that told that a broken byte is a fault in UTF-8.
    [
      Buffer.concat([Buffer.from("plain caf\u00E9 caf\u00E9\nwords \u00E9"), Buffer.from([0xe9, 10])]),
      "caf\u00E9 caf\u00E9",
      "x",
    ],
  ])(
    "keep their encoding where an edit makes them look like another: %j",
    async (content, old_str, new_str) => {
      fixture.put("a.txt", content);
      await fixture.ok("read_file", { path: "a.txt" });
      await fixture.ok("edit_file", { path: "a.txt", old_str, new_str });
      await fixture.ok("edit_file", { path: "a.txt", old_str: "words", new_str: "w\u00F6rter" });
      expect(fixture.text("a.txt")).toContain("w\u00F6rter");
    },
  );

  it("are edited in the encoding that they were read in", async () => {
    const sjis = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x0a]);
    fixture.put("j.txt", sjis);
    const read = await fixture.ok("read_file", { path: "j.txt", encoding: "shift_jis" });
    expect(read["content"]).toBe("\u30c6\u30b9\u30c8\n");
    await fixture.ok("edit_file", { path: "j.txt", old_str: "\u30b9", new_str: "\u30b9\u30b9" });
    expect(fixture.bytes("j.txt")).toEqual(
      Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x58, 0x83, 0x67, 0x0a]),
    );
  });

  it("beyond the limit are refused, and nothing is written", async () => {
    await fixture.reopen({ config: { files: { maxFileSize: 100 } } });
    const error = await fixture.refused("write_file", { path: "a", content: "x".repeat(200) });
    expect(error).toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(existsSync(fixture.path("a"))).toBe(false);
  });
});

describe("delete, move, copy and make", () => {
  it("do what they say, and each can be undone", async () => {
    fixture.put("a.txt", "a\n");
    expect(await fixture.ok("make_directory", { path: "x/y" })).toEqual({ path: "x/y", created: true });
    expect(await fixture.ok("make_directory", { path: "x/y" })).toMatchObject({ created: false });
    expect(await fixture.ok("copy_file", { from: "a.txt", to: "x/b.txt" })).toMatchObject({ success: true });
    expect(await fixture.ok("move_file", { from: "a.txt", to: "x/y/c.txt" })).toMatchObject({
      success: true,
    });
    expect(await fixture.ok("delete_file", { path: "x/b.txt" })).toMatchObject({ deleted: true });
    expect(existsSync(fixture.path("a.txt"))).toBe(false);
    for (let left = 4; left > 0; left -= 1) await fixture.ok("undo_edit");
    expect(fixture.text("a.txt")).toBe("a\n");
    expect(existsSync(fixture.path("x"))).toBe(false);
    expect(await fixture.refused("undo_edit")).toMatchObject({ type: "ToolResourceNotFoundError" });
  });

  it("refuse to replace or to delete more than was said", async () => {
    fixture.put("a", "a");
    fixture.put("b", "b");
    await fixture.ok("make_directory", { path: "d/e" });
    for (const name of ["move_file", "copy_file"]) {
      expect(await fixture.refused(name, { from: "a", to: "b" })).toMatchObject({ code: "FILE_CONFLICT" });
    }
    expect(await fixture.refused("delete_file", { path: "d" })).toMatchObject({ code: "FILE_CONFLICT" });
    await fixture.ok("move_file", { from: "a", to: "b", overwrite: true });
    await fixture.ok("delete_file", { path: "d", recursive: true });
    expect(fixture.text("b")).toBe("a");
  });

  it("carry what was read along", async () => {
    fixture.put("a.txt", "one\n");
    await fixture.ok("read_file", { path: "a.txt" });
    await fixture.ok("copy_file", { from: "a.txt", to: "c.txt" });
    await fixture.ok("move_file", { from: "a.txt", to: "b.txt" });
    await fixture.ok("edit_file", { path: "b.txt", old_str: "one", new_str: "two" });
    await fixture.ok("edit_file", { path: "c.txt", old_str: "one", new_str: "three" });
    await fixture.ok("delete_file", { path: "c.txt" });
    fixture.put("c.txt", "one\n");
    expect(await fixture.refused("edit_file", { path: "c.txt", old_str: "one", new_str: "x" })).toMatchObject(
      {
        code: "EDIT_NOT_READ",
      },
    );
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
    fixture.put("edit.txt", "one\ntwo\nthree\n");
    fixture.put("gone.txt", "gone\n");
    fixture.put("old.txt", "old\n");
  });
  const readAll = async (): Promise<void> => {
    for (const path of ["edit.txt", "gone.txt", "old.txt"]) await fixture.ok("read_file", { path });
  };

  it("changes, deletes, renames and creates, and one undo takes all of it back", async () => {
    await readAll();
    const result = await fixture.ok("apply_diff", { diff });
    expect(result["files"]).toEqual([
      { path: "edit.txt", action: "modify", hunks: 1, added: 1, removed: 1 },
      { path: "gone.txt", action: "delete", hunks: 1, added: 0, removed: 1 },
      { path: "sub/new.txt", action: "rename", from: "old.txt", hunks: 1, added: 1, removed: 1 },
      { path: "made.sh", action: "create", hunks: 1, added: 1, removed: 0 },
    ]);
    expect([fixture.text("edit.txt"), fixture.text("sub/new.txt"), fixture.text("made.sh")]).toEqual([
      "one\nTWO\nthree\n",
      "new\n",
      "echo made\n",
    ]);
    expect(existsSync(fixture.path("gone.txt")) || existsSync(fixture.path("old.txt"))).toBe(false);
    expect(statSync(fixture.path("made.sh")).mode & 0o777).toBe(0o755);
    await fixture.ok("undo_edit");
    expect([fixture.text("edit.txt"), fixture.text("gone.txt"), fixture.text("old.txt")]).toEqual([
      "one\ntwo\nthree\n",
      "gone\n",
      "old\n",
    ]);
    expect(existsSync(fixture.path("made.sh")) || existsSync(fixture.path("sub"))).toBe(false);
  });

  it("changes nothing where one hunk does not fit, and shows the hunk and the nearest place", async () => {
    await readAll();
    const error = await fixture.refused("apply_diff", { diff: diff.replace(" three", " thrree") });
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_MISSING", details: { errorCode: 8 } });
    expect(error.message).toContain("-two");
    expect([fixture.text("edit.txt"), fixture.text("gone.txt"), fixture.text("old.txt")]).toEqual([
      "one\ntwo\nthree\n",
      "gone\n",
      "old\n",
    ]);
  });

  it("takes two parts for one file as one after the other", async () => {
    await readAll();
    const twice =
      "--- a/edit.txt\n+++ b/edit.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/edit.txt\n+++ b/edit.txt\n@@ -1,2 +1,2 @@\n ONE\n-two\n+TWO\n";
    await fixture.ok("apply_diff", { diff: twice });
    expect(fixture.text("edit.txt")).toBe("ONE\nTWO\nthree\n");
    await fixture.ok("undo_edit");
    expect(fixture.text("edit.txt")).toBe("one\ntwo\nthree\n");
  });

  it("says what is wrong with a text that is no diff", async () => {
    expect(await fixture.refused("apply_diff", { diff: "hello" })).toMatchObject({
      type: "ToolValidationError",
    });
  });
});

describe("undo_edit and edit_history", () => {
  it("undo by path, call and task, and list what can be undone", async () => {
    await fixture.ok("write_file", { path: "a", content: "1" }, { taskId: "t" });
    await fixture.ok("write_file", { path: "a", content: "2" }, { taskId: "t" });
    await fixture.ok("write_file", { path: "b", content: "3" }, { taskId: "t" });
    const history = (await fixture.ok("edit_history", {})) as { changes: readonly { callId: string }[] };
    expect(history).toMatchObject({
      count: 3,
      changes: [{ path: "b", tool: "write_file" }, { path: "a" }, { path: "a" }],
    });
    expect(await fixture.ok("edit_history", { path: "a", limit: 1 })).toMatchObject({
      count: 2,
      changes: [{ sizeBefore: 2, sizeAfter: 2 }],
    });
    expect(await fixture.ok("undo_edit", { path: "a" })).toMatchObject({
      path: "a",
      restoredContentLen: 2,
      previousContentLen: 2,
      diff: expect.stringContaining("-2\n+1"),
    });
    expect(fixture.text("a")).toBe("1\n");
    await fixture.ok("undo_edit", { call_id: history.changes[0]?.callId });
    expect(existsSync(fixture.path("b"))).toBe(false);
    await fixture.ok("undo_edit", { task_id: "t" });
    expect(existsSync(fixture.path("a"))).toBe(false);
    expect(await fixture.ok("edit_history")).toMatchObject({ count: 0 });
  });

  it("needs no new read after an undo", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await fixture.ok("read_file", { path: "a.txt" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "three" });
    await fixture.ok("undo_edit", { path: "a.txt" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "two", new_str: "four" });
    expect(fixture.text("a.txt")).toBe("one\nfour\n");
  });

  it("refuses where someone changed the file since, with the difference", async () => {
    await fixture.ok("write_file", { path: "a", content: "1" });
    fixture.put("a", "changed\n");
    expect(await fixture.refused("undo_edit", { path: "a" })).toMatchObject({
      code: "FILE_CONFLICT",
      details: { diff: expect.stringContaining("+changed") },
    });
  });

  it("forgets what is cleared", async () => {
    await fixture.ok("write_file", { path: "a", content: "1" });
    await fixture.ok("write_file", { path: "b", content: "1" });
    expect(await fixture.ok("edit_history", { path: "a", clear: true })).toMatchObject({ cleared: 1 });
    expect(await fixture.refused("undo_edit", { path: "a" })).toMatchObject({
      type: "ToolResourceNotFoundError",
    });
    expect(await fixture.ok("edit_history", { clear: true })).toMatchObject({ cleared: 1, count: 0 });
  });
});
