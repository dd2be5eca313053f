import { chmodSync, linkSync, lstatSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

/** Read, edit, and give back the bytes. */
async function edited(
  content: string | Uint8Array,
  old_str: string,
  new_str: string,
  more: object = {},
): Promise<Buffer> {
  fixture.put("f", content);
  await fixture.ok("read_file", { path: "f" });
  await fixture.ok("edit_file", { path: "f", old_str, new_str, ...more });
  return fixture.bytes("f");
}

describe("what has cost users their code", () => {
  it("dollar signs are dollar signs", async () => {
    const text = "$& $1 $$ $` $' ${x} \\1 \\n";
    expect((await edited("a = b;\n", "b", text)).toString()).toBe(`a = ${text};\n`);
    expect((await edited("b b\n", "b", "$&$&", { replace_all: true })).toString()).toBe("$&$& $&$&\n");
  });

  it("nothing is edited that is only like the text", async () => {
    fixture.put("f", "const total = items.length;\nconst totals = items.length;\n");
    await fixture.ok("read_file", { path: "f" });
    const error = await fixture.refused("edit_file", {
      path: "f",
      old_str: "const total = item.length;",
      new_str: "x",
    });
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_MISSING" });
    expect(error.message).toContain("const total = items.length;");
    expect(fixture.text("f")).toBe("const total = items.length;\nconst totals = items.length;\n");
  });

  it("CRLF files stay CRLF, and LF text finds its lines in them", async () => {
    const result = await edited("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2\n2b");
    expect(result.toString()).toBe("1\r\n2\r\n2b\r\nthree\r\n");
  });

  it("bytes that are no UTF-8 stay as they are", async () => {
    const content = Buffer.concat([
      Buffer.from("head \xe9\xff\xfe tail\n", "latin1"),
      Buffer.from("plain \u00fcber\nend\n"),
    ]);
    const result = await edited(content, "plain", "simple");
    expect(result).toEqual(Buffer.concat([content.subarray(0, 14), Buffer.from("simple \u00fcber\nend\n")]));
  });

  it("Latin-1 files stay Latin-1", async () => {
    const content = Buffer.from(
      "Gr\u00fc\u00dfe aus K\u00f6ln, sch\u00f6ne Gr\u00fc\u00dfe\nund mehr\n",
      "latin1",
    );
    const result = await edited(content, "und mehr", "und f\u00fcr mehr");
    expect(result.toString("latin1")).toBe(
      "Gr\u00fc\u00dfe aus K\u00f6ln, sch\u00f6ne Gr\u00fc\u00dfe\nund f\u00fcr mehr\n",
    );
  });

  it("UTF-16 files stay UTF-16", async () => {
    const content = Buffer.from("\uFEFFone\r\ntwo\r\n", "utf16le");
    expect((await edited(content, "two", "zw\u00f6lf")).toString("utf16le")).toBe(
      "\uFEFFone\r\nzw\u00f6lf\r\n",
    );
  });

  it("the BOM stays, and hides nothing", async () => {
    expect((await edited("\uFEFFone\ntwo\n", "one", "1")).toString()).toBe("\uFEFF1\ntwo\n");
  });

  it("mixed line ends stay mixed", async () => {
    expect((await edited("a\r\nb\nc\r\nd\n", "c", "C")).toString()).toBe("a\r\nb\nC\r\nd\n");
  });

  it("a missing newline at the end stays missing, and one that is there stays", async () => {
    expect((await edited("a\nb", "b", "B")).toString()).toBe("a\nB");
    expect((await edited("a\nb\n", "b", "B")).toString()).toBe("a\nB\n");
  });

  it("parallel edits of one file all survive", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at} end`);
    fixture.put("f", `${lines.join("\n")}\n`);
    await fixture.ok("read_file", { path: "f" });
    const answers = await fixture.tenon.callMany(
      lines.map((line) => ({
        name: "edit_file",
        arguments: { path: "f", old_str: line, new_str: line.toUpperCase() },
      })),
    );
    expect(answers.filter(({ success }) => !success)).toEqual([]);
    expect(fixture.text("f")).toBe(`${lines.map((line) => line.toUpperCase()).join("\n")}\n`);
    for (const _ of lines) await fixture.ok("undo_edit", { path: "f" });
    expect(fixture.text("f")).toBe(`${lines.join("\n")}\n`);
  });

  it("a symbolic link stays one, and what it leads to is edited", async () => {
    fixture.put("real.txt", "one\n");
    symlinkSync("real.txt", fixture.path("link.txt"));
    await fixture.ok("read_file", { path: "link.txt" });
    await fixture.ok("edit_file", { path: "link.txt", old_str: "one", new_str: "two" });
    expect(readlinkSync(fixture.path("link.txt"))).toBe("real.txt");
    expect(fixture.text("real.txt")).toBe("two\n");
    await fixture.ok("edit_file", { path: "real.txt", old_str: "two", new_str: "three" });
    await fixture.ok("delete_file", { path: "link.txt" });
    expect(fixture.text("real.txt")).toBe("three\n");
    await fixture.ok("undo_edit");
    expect(lstatSync(fixture.path("link.txt")).isSymbolicLink()).toBe(true);
  });

  it("a link that leads nowhere can be moved and deleted", async () => {
    symlinkSync("nowhere", fixture.path("dangling"));
    await fixture.ok("move_file", { from: "dangling", to: "moved" });
    expect(readlinkSync(fixture.path("moved"))).toBe("nowhere");
    expect(await fixture.ok("delete_file", { path: "moved" })).toMatchObject({ deleted: true });
  });

  it("another name of the same file keeps its content", async () => {
    fixture.put("a.txt", "one\n");
    linkSync(fixture.path("a.txt"), fixture.path("b.txt"));
    await fixture.ok("read_file", { path: "a.txt" });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    expect([fixture.text("a.txt"), fixture.text("b.txt")]).toEqual(["two\n", "one\n"]);
  });

  it("the mode stays, an executable runs on", async () => {
    fixture.put("run", "#!/bin/sh\n");
    chmodSync(fixture.path("run"), 0o751);
    await fixture.ok("read_file", { path: "run" });
    await fixture.ok("edit_file", { path: "run", old_str: "/bin/sh", new_str: "/bin/bash" });
    await fixture.ok("write_file", { path: "run", content: "#!/bin/sh\n" });
    expect(statSync(fixture.path("run")).mode & 0o777).toBe(0o751);
  });

  it("a read-only file is refused cleanly", async () => {
    fixture.put("f", "one\n");
    chmodSync(fixture.path("f"), 0o444);
    await fixture.ok("read_file", { path: "f" });
    const answer = await fixture.call("edit_file", { path: "f", old_str: "one", new_str: "two" });
    // Root may write to anything; everybody else is told why not.
    if (process.getuid?.() === 0) expect(answer).toSucceed();
    else expect(answer).toFailWith("FILE_IO", { message: expect.stringContaining("permission") });
  });

  it("an edit that would change nothing is no change in the history", async () => {
    fixture.put("f", "one\n");
    await fixture.ok("read_file", { path: "f" });
    await fixture.refused("edit_file", { path: "f", old_str: "one", new_str: "one" });
    expect(await fixture.ok("edit_history")).toMatchObject({ count: 0 });
  });

  it("protected files are out of reach of every change", async () => {
    const changes: [string, object][] = [
      ["write_file", { path: ".git/hooks/pre-commit", content: "x" }],
      ["edit_file", { path: ".git/config", old_str: "", new_str: "x" }],
      ["make_directory", { path: ".git/x" }],
      ["apply_diff", { diff: "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n" }],
      ["copy_file", { from: "a", to: ".git/config" }],
      ["move_file", { from: "a", to: ".vscode/tasks.json" }],
    ];
    fixture.put("a", "a");
    for (const [name, args] of changes) {
      const { type } = await fixture.refused(name, args);
      expect(["ToolPermissionError", "ToolSecurityError"]).toContain(type);
    }
  });
});

describe("with a person to ask", () => {
  it("shows the difference first, and makes the change that was shown", async () => {
    await fixture.close();
    const shown: string[] = [];
    fixture = openFileFixture({
      config: { mode: "ask" },
      interact: {
        approve: ({ preview }) => {
          shown.push(preview?.diff ?? preview?.summary ?? "");
          return true;
        },
      },
    });
    fixture.put("a.txt", "one\n");
    await fixture.ok("read_file", { path: "a.txt" });
    const { diff } = await fixture.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    await fixture.ok("write_file", { path: "b.txt", content: "new" });
    await fixture.ok("undo_edit", { path: "a.txt" });
    await fixture.ok("delete_file", { path: "b.txt" });
    expect(shown).toEqual([
      diff,
      "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+new\n",
      expect.stringContaining("-two\n+one"),
      "Delete the file b.txt",
    ]);
  });

  it("judges again when the answer comes: what was changed meanwhile is not lost", async () => {
    await fixture.close();
    fixture = openFileFixture({
      config: { mode: "ask" },
      interact: {
        approve: () => {
          fixture.put("a.txt", "changed meanwhile\n");
          return true;
        },
      },
    });
    fixture.put("a.txt", "one\n");
    await fixture.ok("read_file", { path: "a.txt" });
    const error = await fixture.refused("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    expect(error).toMatchObject({ code: "EDIT_STALE" });
    expect(fixture.text("a.txt")).toBe("changed meanwhile\n");
  });

  it("undoes nothing that the person's rules deny, whatever call or task is named", async () => {
    await fixture.ok("make_directory", { path: "secret" });
    const { callId } = await fixture.call("write_file", { path: "secret/a", content: "1" }, { taskId: "t" });
    await fixture.reopen({
      config: { policy: { rules: [{ decision: "deny", path: "secret/**", access: "write" }] } },
    });
    for (const args of [{ call_id: callId }, { task_id: "t" }, { path: "secret/a" }]) {
      expect(await fixture.refused("undo_edit", args)).toMatchObject({ type: "ToolPermissionError" });
    }
    expect(fixture.text("secret/a")).toBe("1\n");
  });

  it("undoes nothing outside of what the session is narrowed to", async () => {
    const { callId } = await fixture.call("write_file", { path: "a", content: "1" });
    await fixture.ok("make_directory", { path: "sub" });
    const narrow = fixture.tenon.createSession({ allowedPaths: ["sub"] });
    const undo = await narrow.call({ name: "undo_edit", arguments: { call_id: callId } });
    expect(undo.error).toMatchObject({ type: "ToolSecurityError" });
    const history = await narrow.call({ name: "edit_history", arguments: {} });
    expect(history).toSucceed({ result: { count: 1, changes: [{ path: "sub" }] } });
  });
});
