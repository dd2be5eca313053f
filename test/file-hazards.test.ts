import { chmodSync, linkSync, lstatSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileGround, type FileGround } from "./file-ground.js";

let ground: FileGround;
beforeEach(() => {
  ground = openFileGround();
});
afterEach(() => ground.close());

/** Read, edit, and give back the bytes. */
async function edited(
  content: string | Uint8Array,
  old_str: string,
  new_str: string,
  more: object = {},
): Promise<Buffer> {
  ground.put("f", content);
  await ground.ok("read_file", { path: "f" });
  await ground.ok("edit_file", { path: "f", old_str, new_str, ...more });
  return ground.bytes("f");
}

describe("what has cost users their code", () => {
  it("dollar signs are dollar signs", async () => {
    const text = "$& $1 $$ $` $' ${x} \\1 \\n";
    expect((await edited("a = b;\n", "b", text)).toString()).toBe(`a = ${text};\n`);
    expect((await edited("b b\n", "b", "$&$&", { replace_all: true })).toString()).toBe("$&$& $&$&\n");
  });

  it("nothing is edited that is only like the text", async () => {
    ground.put("f", "const total = items.length;\nconst totals = items.length;\n");
    await ground.ok("read_file", { path: "f" });
    const error = await ground.refused("edit_file", {
      path: "f",
      old_str: "const total = item.length;",
      new_str: "x",
    });
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_MISSING" });
    expect(error.message).toContain("const total = items.length;");
    expect(ground.text("f")).toBe("const total = items.length;\nconst totals = items.length;\n");
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
    ground.put("f", `${lines.join("\n")}\n`);
    await ground.ok("read_file", { path: "f" });
    const answers = await ground.tenon.callMany(
      lines.map((line) => ({
        name: "edit_file",
        arguments: { path: "f", old_str: line, new_str: line.toUpperCase() },
      })),
    );
    expect(answers.filter(({ success }) => !success)).toEqual([]);
    expect(ground.text("f")).toBe(`${lines.map((line) => line.toUpperCase()).join("\n")}\n`);
    for (const _ of lines) await ground.ok("undo_edit", { path: "f" });
    expect(ground.text("f")).toBe(`${lines.join("\n")}\n`);
  });

  it("a symbolic link stays one, and what it leads to is edited", async () => {
    ground.put("real.txt", "one\n");
    symlinkSync("real.txt", ground.path("link.txt"));
    await ground.ok("read_file", { path: "link.txt" });
    await ground.ok("edit_file", { path: "link.txt", old_str: "one", new_str: "two" });
    expect(readlinkSync(ground.path("link.txt"))).toBe("real.txt");
    expect(ground.text("real.txt")).toBe("two\n");
    await ground.ok("edit_file", { path: "real.txt", old_str: "two", new_str: "three" });
    await ground.ok("delete_file", { path: "link.txt" });
    expect(ground.text("real.txt")).toBe("three\n");
    await ground.ok("undo_edit");
    expect(lstatSync(ground.path("link.txt")).isSymbolicLink()).toBe(true);
  });

  it("a link that leads nowhere can be moved and deleted", async () => {
    symlinkSync("nowhere", ground.path("dangling"));
    await ground.ok("move_file", { from: "dangling", to: "moved" });
    expect(readlinkSync(ground.path("moved"))).toBe("nowhere");
    expect(await ground.ok("delete_file", { path: "moved" })).toMatchObject({ deleted: true });
  });

  it("another name of the same file keeps its content", async () => {
    ground.put("a.txt", "one\n");
    linkSync(ground.path("a.txt"), ground.path("b.txt"));
    await ground.ok("read_file", { path: "a.txt" });
    await ground.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    expect([ground.text("a.txt"), ground.text("b.txt")]).toEqual(["two\n", "one\n"]);
  });

  it("the mode stays, an executable runs on", async () => {
    ground.put("run", "#!/bin/sh\n");
    chmodSync(ground.path("run"), 0o751);
    await ground.ok("read_file", { path: "run" });
    await ground.ok("edit_file", { path: "run", old_str: "/bin/sh", new_str: "/bin/bash" });
    await ground.ok("write_file", { path: "run", content: "#!/bin/sh\n" });
    expect(statSync(ground.path("run")).mode & 0o777).toBe(0o751);
  });

  it("a read-only file is refused cleanly", async () => {
    ground.put("f", "one\n");
    chmodSync(ground.path("f"), 0o444);
    await ground.ok("read_file", { path: "f" });
    const answer = await ground.call("edit_file", { path: "f", old_str: "one", new_str: "two" });
    // Root may write to anything; everybody else is told why not.
    if (process.getuid?.() === 0) expect(answer.success).toBe(true);
    else
      expect(answer.error).toMatchObject({ code: "FILE_IO", message: expect.stringContaining("permission") });
  });

  it("an edit that would change nothing is no change in the history", async () => {
    ground.put("f", "one\n");
    await ground.ok("read_file", { path: "f" });
    await ground.refused("edit_file", { path: "f", old_str: "one", new_str: "one" });
    expect(await ground.ok("edit_history")).toMatchObject({ count: 0 });
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
    ground.put("a", "a");
    for (const [name, args] of changes) {
      const { type } = await ground.refused(name, args);
      expect(["ToolPermissionError", "ToolSecurityError"]).toContain(type);
    }
  });
});

describe("with a person to ask", () => {
  it("shows the difference first, and makes the change that was shown", async () => {
    await ground.close();
    const shown: string[] = [];
    ground = openFileGround({
      config: { mode: "ask" },
      interact: {
        approve: ({ preview }) => {
          shown.push(preview?.diff ?? preview?.summary ?? "");
          return true;
        },
      },
    });
    ground.put("a.txt", "one\n");
    await ground.ok("read_file", { path: "a.txt" });
    const { diff } = await ground.ok("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    await ground.ok("write_file", { path: "b.txt", content: "new" });
    await ground.ok("undo_edit", { path: "a.txt" });
    await ground.ok("delete_file", { path: "b.txt" });
    expect(shown).toEqual([
      diff,
      "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+new\n",
      expect.stringContaining("-two\n+one"),
      "Delete the file b.txt",
    ]);
  });

  it("judges again when the answer comes: what was changed meanwhile is not lost", async () => {
    await ground.close();
    ground = openFileGround({
      config: { mode: "ask" },
      interact: {
        approve: () => {
          ground.put("a.txt", "changed meanwhile\n");
          return true;
        },
      },
    });
    ground.put("a.txt", "one\n");
    await ground.ok("read_file", { path: "a.txt" });
    const error = await ground.refused("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
    expect(error).toMatchObject({ code: "EDIT_STALE" });
    expect(ground.text("a.txt")).toBe("changed meanwhile\n");
  });

  it("undoes nothing that the person's rules deny, whatever call or task is named", async () => {
    await ground.ok("make_directory", { path: "secret" });
    const { callId } = await ground.call("write_file", { path: "secret/a", content: "1" }, { taskId: "t" });
    await ground.reopen({
      config: { policy: { rules: [{ decision: "deny", path: "secret/**", access: "write" }] } },
    });
    for (const args of [{ call_id: callId }, { task_id: "t" }, { path: "secret/a" }]) {
      expect(await ground.refused("undo_edit", args)).toMatchObject({ type: "ToolPermissionError" });
    }
    expect(ground.text("secret/a")).toBe("1\n");
  });

  it("undoes nothing outside of what the session is narrowed to", async () => {
    const { callId } = await ground.call("write_file", { path: "a", content: "1" });
    await ground.ok("make_directory", { path: "sub" });
    const narrow = ground.tenon.createSession({ allowedPaths: ["sub"] });
    const undo = await narrow.call({ name: "undo_edit", arguments: { call_id: callId } });
    expect(undo.error).toMatchObject({ type: "ToolSecurityError" });
    const history = await narrow.call({ name: "edit_history", arguments: {} });
    expect(history.result).toMatchObject({ count: 1, changes: [{ path: "sub" }] });
  });
});
