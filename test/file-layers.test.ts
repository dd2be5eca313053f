import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

const edit = (path: string, old_str: string, new_str = "new"): object => ({ path, old_str, new_str });
const binary = Buffer.from([0, 1, 2, 3, 0, 255, 254, 0, 1]);
const read = (path: string, more: object = {}): Promise<object> => fixture.ok("read_file", { path, ...more });

/** What stands before a change: its code, and how to bring it about. */
interface Case {
  readonly what: string;
  readonly code: number;
  readonly type: string;
  readonly run: () => Promise<[tool: string, args: object]>;
}

const validation = "ToolValidationError";
const execution = "ToolExecutionError";
const security = "ToolSecurityError";

const cases: readonly Case[] = [
  {
    what: "1: old_str and new_str are the same",
    code: 1,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      return ["edit_file", edit("a.txt", "one", "one")];
    },
  },
  {
    what: "1 before 2: the same, and outside",
    code: 1,
    type: validation,
    run: async () => ["edit_file", edit("../outside.txt", "x", "x")],
  },
  {
    what: "1 before 3: both empty, and the file is not",
    code: 1,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      return ["edit_file", edit("a.txt", "", "")];
    },
  },
  {
    what: "1 before 5: the same, and no file",
    code: 1,
    type: validation,
    run: async () => ["edit_file", edit("none.txt", "x", "x")],
  },
  {
    what: "1 before 6 and 7: the same, in an unread binary file",
    code: 1,
    type: validation,
    run: async () => {
      fixture.put("b.bin", binary);
      return ["edit_file", edit("b.bin", "x", "x")];
    },
  },
  {
    what: "1: a diff without a change",
    code: 1,
    type: validation,
    run: async () => ["apply_diff", { diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n one\n" }],
  },
  {
    what: "2: the path lies outside",
    code: 2,
    type: security,
    run: async () => ["edit_file", edit("../outside.txt", "x")],
  },
  {
    what: "2 before 3: outside, and not empty",
    code: 2,
    type: security,
    run: async () => {
      writeFileSync(join(fixture.root, "outside.txt"), "text\n");
      return ["edit_file", edit("../outside.txt", "", "x")];
    },
  },
  {
    what: "2 before 5: outside, and missing",
    code: 2,
    type: security,
    run: async () => ["delete_file", { path: "/nowhere/file" }],
  },
  {
    what: "2: a NUL in the path",
    code: 2,
    type: security,
    run: async () => ["write_file", { path: "a\0b", content: "" }],
  },
  {
    what: "2: one file of a diff lies outside",
    code: 2,
    type: security,
    run: async () => ["apply_diff", { diff: "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n" }],
  },
  {
    what: "3: a new file where one is",
    code: 3,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      return ["edit_file", edit("a.txt", "")];
    },
  },
  {
    what: "3 before 6 and 7: a new file where an unread binary one is",
    code: 3,
    type: validation,
    run: async () => {
      fixture.put("b.bin", binary);
      return ["edit_file", edit("b.bin", "")];
    },
  },
  {
    what: "3: a diff's new file where one is",
    code: 3,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      return ["apply_diff", { diff: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n" }];
    },
  },
  {
    what: "4: a new file below a file",
    code: 2,
    type: security,
    run: async () => {
      fixture.put("file", "x");
      return ["edit_file", edit("file/new.txt", "")];
    },
  },
  {
    what: "4: write_file below a file",
    code: 2,
    type: security,
    run: async () => {
      fixture.put("file", "x");
      return ["write_file", { path: "file/sub/new.txt", content: "x" }];
    },
  },
  {
    what: "5: no such file",
    code: 4,
    type: "ToolResourceNotFoundError",
    run: async () => ["edit_file", edit("none.txt", "x")],
  },
  {
    what: "5: nothing to delete",
    code: 4,
    type: "ToolResourceNotFoundError",
    run: async () => ["delete_file", { path: "none" }],
  },
  {
    what: "5: nothing to move",
    code: 4,
    type: "ToolResourceNotFoundError",
    run: async () => ["move_file", { from: "none", to: "b" }],
  },
  {
    what: "5: nothing to copy",
    code: 4,
    type: "ToolResourceNotFoundError",
    run: async () => ["copy_file", { from: "none", to: "b" }],
  },
  {
    what: "5: a diff of a file that is not there",
    code: 4,
    type: "ToolResourceNotFoundError",
    run: async () => ["apply_diff", { diff: "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n" }],
  },
  {
    what: "6: a binary file",
    code: 5,
    type: validation,
    run: async () => {
      fixture.put("b.bin", binary);
      return ["edit_file", edit("b.bin", "x")];
    },
  },
  {
    what: "6: a directory",
    code: 5,
    type: validation,
    run: async () => {
      mkdirSync(fixture.path("dir"));
      return ["edit_file", edit("dir", "x")];
    },
  },
  {
    what: "6 before 7: text over an unread binary file",
    code: 5,
    type: validation,
    run: async () => {
      fixture.put("b.bin", binary);
      return ["write_file", { path: "b.bin", content: "x" }];
    },
  },
  {
    what: "7: not read",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\n");
      return ["edit_file", edit("a.txt", "one")];
    },
  },
  {
    what: "7 before 9: not read, and not found",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\n");
      return ["edit_file", edit("a.txt", "absent")];
    },
  },
  {
    what: "7 before 9: not read, and found twice",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\none\n");
      return ["edit_file", edit("a.txt", "one")];
    },
  },
  {
    what: "7: other lines were read",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\nfour\n");
      await read("a.txt", { start_line: 1, end_line: 2 });
      return ["edit_file", edit("a.txt", "four")];
    },
  },
  {
    what: "7: one of the places of replace_all was not read",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "x\ntwo\nthree\nx\n");
      await read("a.txt", { start_line: 1, end_line: 2 });
      return ["edit_file", { ...edit("a.txt", "x"), replace_all: true }];
    },
  },
  {
    what: "7: only a part was read before all is overwritten",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\n");
      await read("a.txt", { start_line: 1, end_line: 2 });
      return ["write_file", { path: "a.txt", content: "x" }];
    },
  },
  {
    what: "7: a diff of lines that were not read",
    code: 6,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\nfour\n");
      await read("a.txt", { start_line: 1, end_line: 1 });
      return ["apply_diff", { diff: "--- a/a.txt\n+++ b/a.txt\n@@ -4 +4 @@\n-four\n+4\n" }];
    },
  },
  {
    what: "8: the lines were changed since",
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\n");
      await read("a.txt");
      fixture.put("a.txt", "one\ntwo!\nthree\n");
      return ["edit_file", edit("a.txt", "two")];
    },
  },
  {
    what: "8 before 9: changed since, so that old_str is gone",
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\n");
      await read("a.txt");
      fixture.put("a.txt", "one\n2\nthree\n");
      return ["edit_file", edit("a.txt", "two")];
    },
  },
  {
    what: "8 before 9: changed since, so that old_str is there twice",
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\ntwo\nthree\n");
      await read("a.txt");
      fixture.put("a.txt", "one\ntwo two\nthree\n");
      return ["edit_file", edit("a.txt", "two")];
    },
  },
  {
    what: "8: where the text was seen it is gone, and elsewhere it is still",
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "f() {\n  return null;\n}\ng() {\n  return null;\n}\n");
      await read("a.txt");
      fixture.put("a.txt", "f() {\n  return 0;\n}\ng() {\n  return null;\n}\n");
      return ["edit_file", edit("a.txt", "  return null;")];
    },
  },
  {
    what: "8: all is overwritten, and something came to it",
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      fixture.put("a.txt", "one\ntwo\n");
      return ["write_file", { path: "a.txt", content: "x" }];
    },
  },
  ...(["append", "delete", "move", "copy", "diff"] as const).map((how): Case => ({
    what: `8: ${how} of a file that was read and changed since`,
    code: 7,
    type: execution,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      fixture.put("a.txt", "two\n");
      const calls = {
        append: ["write_file", { path: "a.txt", content: "x", mode: "append" }],
        delete: ["delete_file", { path: "a.txt" }],
        move: ["move_file", { from: "a.txt", to: "b.txt" }],
        copy: ["copy_file", { from: "a.txt", to: "b.txt" }],
        diff: ["apply_diff", { diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n" }],
      } as const;
      return [...calls[how]];
    },
  })),
  {
    what: "9: not found",
    code: 8,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      return ["edit_file", edit("a.txt", "absent")];
    },
  },
  {
    what: "9: found twice",
    code: 9,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\none\n");
      await read("a.txt");
      return ["edit_file", edit("a.txt", "one")];
    },
  },
  {
    what: "9: a hunk that stands nowhere",
    code: 8,
    type: validation,
    run: async () => {
      fixture.put("a.txt", "one\n");
      await read("a.txt");
      return ["apply_diff", { diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-uno\n+1\n" }];
    },
  },
];

describe("each layer", () => {
  it.each(cases)("$what → $code", async ({ run, code, type }) => {
    const [tool, args] = await run();
    const error = await fixture.refused(tool, args);
    expect(error).toMatchObject({ type, details: { errorCode: code } });
    expect(error.hint ?? "").not.toBe("");
  });

  it.each(cases)("$what → $code, and nobody is asked", async ({ run, code }) => {
    const [tool, args] = await run();
    let asked = 0;
    await fixture.close();
    fixture = openFileFixture({
      config: { mode: "ask" },
      interact: { approve: () => ((asked += 1), false) },
    });
    // Reading needs no consent, so the same way leads there.
    const [again, same] = await run();
    expect([again, same]).toEqual([tool, args]);
    const error = await fixture.refused(again, same);
    expect(error.details).toMatchObject({ errorCode: code });
    expect(asked).toBe(0);
  });

  it("says the words that models know", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    expect((await fixture.refused("edit_file", edit("a.txt", "one"))).message).toContain(
      "has not been read yet",
    );
    await read("a.txt");
    fixture.put("a.txt", "1\ntwo\n");
    const stale = await fixture.refused("edit_file", edit("a.txt", "one"));
    expect(stale.message).toContain("has been modified since read");
    expect(stale.message).toContain("-one\n+1");
    await read("a.txt");
    expect((await fixture.refused("edit_file", edit("a.txt", "six"))).message).toContain("not found");
    expect((await fixture.refused("edit_file", edit("none", "six"))).message).toContain("not found");
  });
});

describe("freshness", () => {
  it("is not lost by a mere touch", async () => {
    fixture.put("a.txt", "one\n");
    await read("a.txt");
    utimesSync(fixture.path("a.txt"), new Date(), new Date(Date.now() + 60_000));
    expect(await fixture.ok("edit_file", edit("a.txt", "one"))).toMatchObject({ replacements: 1 });
  });

  it("is lost by a change that leaves time and size as they were", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await read("a.txt");
    const { atime, mtime } = statSync(fixture.path("a.txt"));
    fixture.put("a.txt", "one\nTWO\n");
    utimesSync(fixture.path("a.txt"), atime, mtime);
    expect(await fixture.refused("edit_file", edit("a.txt", "two"))).toMatchObject({ code: "EDIT_STALE" });
    expect(await fixture.refused("write_file", { path: "a.txt", content: "x" })).toMatchObject({
      code: "EDIT_STALE",
    });
  });

  it("of the edited lines is enough: others may be changed, above and below", async () => {
    fixture.put("a.txt", "one\ntwo\nthree\nfour\n");
    await read("a.txt");
    fixture.put("a.txt", "zero\nnull\none\ntwo\nthree\n4\n5\n");
    await fixture.ok("edit_file", edit("a.txt", "two", "2"));
    expect(fixture.text("a.txt")).toBe("zero\nnull\none\n2\nthree\n4\n5\n");
    // What the other one wrote was never seen here.
    expect(await fixture.refused("edit_file", edit("a.txt", "null"))).toMatchObject({
      details: { errorCode: 6 },
    });
    await fixture.ok("edit_file", edit("a.txt", "three", "3"));
  });

  it("holds for a range that moved because of a change above it", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`);
    fixture.put("a.txt", `${lines.join("\n")}\n`);
    await read("a.txt", { start_line: 100, end_line: 110 });
    fixture.put("a.txt", `${["new", "newer", ...lines].join("\n")}\n`);
    await fixture.ok("edit_file", edit("a.txt", "line 105", "line 105!"));
    expect(await fixture.refused("edit_file", edit("a.txt", "line 205"))).toMatchObject({
      code: "EDIT_NOT_READ",
    });
  });

  it("is demanded for all places of all files of a diff at once", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `f${at}.txt`);
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}\n`);
    for (const name of names) fixture.put(name, "one\ntwo\n");
    fixture.put("long.txt", lines.join(""));
    const small = names.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n`);
    const hunkAt = (line: number) =>
      `@@ -${line},2 +${line},2 @@\n line ${line}\n-line ${line + 1}\n+line ${line + 1}!\n`;
    const diff = `${small.join("")}--- a/long.txt\n+++ b/long.txt\n${hunkAt(100)}${hunkAt(15_000)}`;
    const error = await fixture.refused("apply_diff", { diff });
    expect(error).toMatchObject({ code: "EDIT_NOT_READ", details: { errorCode: 6 } });
    expect(error.message).toContain('26 files have not been read yet in this session: "f0.txt"');
    expect(error.hint).toContain('"long.txt", lines 100-101, lines 15000-15001');
    const { files } = error.details as {
      files: { path: string; places: { startLine: number; endLine: number }[] }[];
    };
    for (const { path, places } of files) {
      if (places.length === 0) await read(path);
      for (const { startLine, endLine } of places)
        await read(path, { start_line: startLine, end_line: endLine });
    }
    await fixture.ok("apply_diff", { diff });
    expect(fixture.text("f24.txt")).toBe("one\n2\n");
  });

  it("is each session's own", async () => {
    fixture.put("a.txt", "one\n");
    await read("a.txt");
    const other = fixture.tenon.createSession();
    const answer = await other.call({ name: "edit_file", arguments: edit("a.txt", "one") });
    expect(answer).toFailWith("EDIT_NOT_READ");
    await other.call({ name: "read_file", arguments: { path: "a.txt" } });
    await other.call({ name: "edit_file", arguments: edit("a.txt", "one", "eins") });
    expect(await fixture.refused("edit_file", edit("a.txt", "one"))).toMatchObject({ code: "EDIT_STALE" });
  });

  it("is found by whatever name the file is called", async () => {
    fixture.put("a.txt", "one\n");
    await read(fixture.path("a.txt"));
    expect(await fixture.ok("edit_file", edit("./x/../a.txt", "one"))).toMatchObject({ replacements: 1 });
  });

  it("needs nothing for an empty file", async () => {
    fixture.put("a.txt", "");
    expect(await fixture.ok("write_file", { path: "a.txt", content: "x" })).toMatchObject({
      overwritten: true,
    });
  });

  it("comes back by reading again, in one step", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await read("a.txt");
    for (const text of ["1\ntwo\n", "uno\ntwo\n", "eins\ntwo\n"]) {
      fixture.put("a.txt", text);
      const old = text.split("\n")[0] ?? "";
      expect(await fixture.refused("edit_file", edit("a.txt", old, "x"))).toMatchObject({
        code: "EDIT_STALE",
      });
      await read("a.txt");
      await fixture.ok("edit_file", edit("a.txt", old, "x"));
    }
  });
});
