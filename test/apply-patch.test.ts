import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shellQuote } from "../src/command/shell-quote.js";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

const toPatch = (...lines: string[]): { patch: string } => ({
  patch: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n"),
});
const update = (path: string, ...lines: string[]): { patch: string } =>
  toPatch(`*** Update File: ${path}`, ...lines);
const apply = (patch: object) => fixture.ok("apply_patch", patch);
const refused = (patch: object) => fixture.refused("apply_patch", patch);

const twoClasses = [
  "class A:",
  "    def run(self):",
  "        return 1",
  "",
  "class B:",
  "    def run(self):",
  "        return 1",
  "",
].join("\n");

describe("apply_patch", () => {
  it("adds, updates, moves and deletes files in one step, without reading them first", async () => {
    fixture.put("a.txt", "one\ntwo\nthree\n");
    fixture.put("old.txt", "keep\nchange\n");
    fixture.put("gone.txt", "bye\n");
    const result = await apply(
      toPatch(
        "*** Add File: sub/new.txt",
        "+first",
        "+",
        "+last",
        "*** Update File: a.txt",
        "@@",
        " one",
        "-two",
        "+TWO",
        "*** Update File: old.txt",
        "*** Move to: moved/new.txt",
        "@@",
        " keep",
        "-change",
        "+changed",
        "*** Delete File: gone.txt",
      ),
    );
    expect(fixture.text("sub/new.txt")).toBe("first\n\nlast\n");
    expect(fixture.text("a.txt")).toBe("one\nTWO\nthree\n");
    expect(fixture.text("moved/new.txt")).toBe("keep\nchanged\n");
    expect([existsSync(fixture.path("old.txt")), existsSync(fixture.path("gone.txt"))]).toEqual([
      false,
      false,
    ]);
    expect(result["files"]).toMatchObject([
      { path: "sub/new.txt", action: "create", added: 3 },
      { path: "a.txt", action: "modify", added: 1, removed: 1 },
      { path: "moved/new.txt", action: "rename", from: "old.txt" },
      { path: "gone.txt", action: "delete", removed: 1 },
    ]);
    await fixture.ok("undo_edit", {});
    expect([fixture.text("a.txt"), fixture.text("old.txt"), fixture.text("gone.txt")]).toEqual([
      "one\ntwo\nthree\n",
      "keep\nchange\n",
      "bye\n",
    ]);
    expect(readdirSync(fixture.workspace).sort()).toEqual(["a.txt", "gone.txt", "old.txt"]);
  });

  it("changes nothing if one file of several does not fit", async () => {
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "two\n");
    const error = await refused(
      toPatch(
        "*** Update File: a.txt",
        "@@",
        "-one",
        "+ONE",
        "*** Add File: c.txt",
        "+c",
        "*** Update File: b.txt",
        "@@",
        "-missing",
        "+x",
      ),
    );
    expect(error.code).toBe("EDIT_OLD_STR_MISSING");
    expect([fixture.text("a.txt"), existsSync(fixture.path("c.txt"))]).toEqual(["one\n", false]);
  });

  it("finds a place by headings, nested ones too, and names them when the place stays ambiguous", async () => {
    fixture.put("f.py", twoClasses);
    const error = await refused(
      update("f.py", "@@ def run(self):", "-        return 1", "+        return 2"),
    );
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_AMBIGUOUS", details: { lines: [3, 7] } });
    expect(error.message).toMatch(/Add an '@@' line with the class or function/);
    await apply(
      update("f.py", "@@ class B:", "@@     def run(self):", "-        return 1", "+        return 2"),
    );
    expect(fixture.text("f.py")).toBe(twoClasses.replace(/return 1\n$/, "return 2\n"));
    await apply(update("f.py", "@@ class A", "-        return 1", "+        return 3"));
    expect(fixture.text("f.py")).toBe(
      twoClasses.replace(/return 1\n$/, "return 2\n").replace("return 1", "return 3"),
    );
  });

  it("uses the order of hunks: equal hunks for all equal places are not ambiguous", async () => {
    fixture.put("f.py", twoClasses);
    const one = ["@@", "-        return 1", "+        return 2"];
    await apply(update("f.py", ...one, ...one));
    expect(fixture.text("f.py")).toBe(twoClasses.replaceAll("return 1", "return 2"));
  });

  it("adds lines without context below a heading or at the end of the file", async () => {
    fixture.put("f.py", twoClasses);
    await apply(update("f.py", "@@ class B:", "+    x = 0", "@@", "+# end"));
    expect(fixture.text("f.py")).toBe(`${twoClasses.replace("class B:\n", "class B:\n    x = 0\n")}# end\n`);
  });

  it("takes '*** End of File' as the end, and only there", async () => {
    fixture.put("a.txt", "x\ny\nx\n");
    await apply(update("a.txt", "@@", "-x", "+last", "*** End of File"));
    expect(fixture.text("a.txt")).toBe("x\ny\nlast\n");
    const error = await refused(update("a.txt", "@@", "-y", "+z", "*** End of File"));
    expect(error.message).toMatch(/End of File/);
  });

  it.each([
    ["<<'EOF'\n", "EOF\n"],
    ["apply_patch <<EOF\n", "EOF"],
    ['<<"PATCH"\n', "PATCH\n\n"],
    ["```diff\n", "```\n"],
    ["\n\n", "\n"],
  ])("takes off what stands around a patch: %j", async (before, after) => {
    fixture.put("a.txt", "one\n");
    const { patch } = update("a.txt", "@@", "-one", "+two");
    await apply({ patch: before + patch + after });
    expect(fixture.text("a.txt")).toBe("two\n");
    fixture.put("a.txt", "one\n");
    await fixture.ok("apply_diff", { diff: before + patch + after });
    expect(fixture.text("a.txt")).toBe("two\n");
  });

  it("matches lines up to trailing blanks and typographic characters if they were read, and keeps what it keeps", async () => {
    fixture.put("a.txt", "it\u2019s here  \nold\u00A0value\nend\t\n");
    const patch = update("a.txt", "@@", " it's here", "-old value", "+new value", " end");
    expect((await refused(patch)).code).toBe("EDIT_NOT_READ");
    await fixture.ok("read_file", { path: "a.txt" });
    await apply(patch);
    expect(fixture.text("a.txt")).toBe("it\u2019s here  \nnew value\nend\t\n");
  });

  it("never takes tabs for spaces", async () => {
    fixture.put("a.py", "def f():\n\treturn 1\n");
    await fixture.ok("read_file", { path: "a.py" });
    const error = await refused(update("a.py", "@@", "-    return 1", "+    return 2"));
    expect(error.message).toMatch(/most similar text[^]*indentation/);
  });

  it("counts the lines of an applied patch as seen, and no others", async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
    fixture.put("a.txt", `${lines.join("\n")}\n`);
    await apply(update("a.txt", "@@", " line 4", "-line 5", "+LINE 5", " line 6"));
    await fixture.ok("edit_file", { path: "a.txt", old_str: "LINE 5", new_str: "line five" });
    const error = await fixture.refused("edit_file", { path: "a.txt", old_str: "line 50", new_str: "x" });
    expect(error.code).toBe("EDIT_NOT_READ");
  });

  it("applies a file's sections one after the other if it is named twice", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await apply(
      toPatch(
        "*** Update File: a.txt",
        "@@",
        "-one",
        "+1",
        "*** Update File: a.txt",
        "@@",
        " 1",
        "-two",
        "+2",
      ),
    );
    expect(fixture.text("a.txt")).toBe("1\n2\n");
    await apply(toPatch("*** Delete File: a.txt", "*** Add File: a.txt", "+again"));
    expect(fixture.text("a.txt")).toBe("again\n");
    expect((await refused(toPatch("*** Add File: b.txt", "+1", "*** Add File: b.txt", "+2"))).code).toBe(
      "EDIT_CREATE_EXISTS",
    );
    expect(existsSync(fixture.path("b.txt"))).toBe(false);
  });

  it("deletes a binary file, but no file that changed since it was read", async () => {
    fixture.put("a.bin", Buffer.from([0, 1, 2, 255]));
    fixture.put("b.txt", "one\n");
    await fixture.ok("read_file", { path: "b.txt" });
    fixture.put("b.txt", "two\n");
    expect((await refused(toPatch("*** Delete File: b.txt"))).code).toBe("EDIT_STALE");
    await apply(toPatch("*** Delete File: a.bin"));
    expect(existsSync(fixture.path("a.bin"))).toBe(false);
    mkdirSync(fixture.path("dir"));
    expect((await refused(toPatch("*** Delete File: dir"))).code).toBe("FILE_CONFLICT");
  });

  it.each<[string, string, RegExp]>([
    ["cut before its end", "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+t", /incomplete/],
    ["cut after a heading", toPatch("*** Update File: a.txt", "@@ x").patch, /no lines/],
    ["with two beginnings", toPatch("*** Begin Patch", "*** Delete File: a.txt").patch, /appears twice/],
    ["without a beginning", "*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n", /first line/],
    ["with text after its end", `${toPatch("*** Delete File: a.txt").patch}more\n`, /text after/],
    [
      "with a wrong heading",
      update("a.txt", "@@ class None:", "-one", "+two").patch,
      /heading '@@ class None:'/,
    ],
    ["with an unknown action", toPatch("*** Rename File: a.txt").patch, /Expected/],
    ["with a line that has no sign", update("a.txt", "@@", "one").patch, /neither/],
    [
      "with a new file whose lines have no sign",
      toPatch("*** Add File: n.txt", "one").patch,
      /does not begin with '\+'/,
    ],
    ["with lines of a deleted file", toPatch("*** Delete File: a.txt", "-one").patch, /takes no lines/],
    [
      "with a heredoc that ends otherwise",
      `<<EOF\n${toPatch("*** Delete File: a.txt").patch}END\n`,
      /heredoc/,
    ],
    ["with no file", toPatch().patch, /no file/],
    ["with no change", update("a.txt", "@@", " one").patch, /changes nothing/],
    [
      "onto an existing file",
      toPatch("*** Update File: a.txt", "*** Move to: b.txt").patch,
      /already exists/,
    ],
    ["that adds an existing file", toPatch("*** Add File: b.txt", "+x").patch, /already exists/],
    ["of a file that does not exist", update("none.txt", "@@", "-x", "+y").patch, /not found/i],
    ["above the workspace", toPatch("*** Add File: ../out.txt", "+x").patch, /outside|workspace/],
    ["at an absolute path outside", toPatch("*** Add File: /etc/out.txt", "+x").patch, /outside|workspace/],
    [
      "that moves a file out",
      toPatch("*** Update File: a.txt", "*** Move to: ../o.txt").patch,
      /outside|workspace/,
    ],
  ])("refuses a patch %s", async (_what, patch, message) => {
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "b\n");
    expect((await refused({ patch })).message).toMatch(message);
    expect([fixture.text("a.txt"), fixture.text("b.txt")]).toEqual(["one\n", "b\n"]);
    expect(readdirSync(fixture.workspace).sort()).toEqual(["a.txt", "b.txt"]);
  });

  it.each([
    ["adds a file that exists", toPatch("*** Add File: a.txt", "+x"), /Update the file/],
    [
      "moves onto a file",
      toPatch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+two"),
      /delete the existing file earlier in the same patch/,
    ],
    ["deletes a folder", toPatch("*** Delete File: sub"), /delete_file with recursive/],
  ])("tells the way out where a patch %s", async (_what, patch, hint) => {
    mkdirSync(fixture.path("sub"));
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "b\n");
    expect((await refused(patch)).hint).toMatch(hint);
    expect([fixture.text("a.txt"), fixture.text("b.txt")]).toEqual(["one\n", "b\n"]);
  });

  it("moves a file onto one that the same patch deletes first", async () => {
    fixture.put("a.txt", "one\n");
    fixture.put("b.txt", "b\n");
    await apply(
      toPatch("*** Delete File: b.txt", "*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+two"),
    );
    expect(fixture.text("b.txt")).toBe("two\n");
    expect(existsSync(fixture.path("a.txt"))).toBe(false);
  });

  it("applies 10,000 hunks", async () => {
    const lines = Array.from({ length: 40_000 }, (_, at) => `line ${at}`);
    fixture.put("a.txt", `${lines.join("\n")}\n`);
    const hunks = Array.from({ length: 10_000 }, (_, at) => ["@@", `-line ${at * 4}`, `+LINE ${at * 4}`]);
    const result = await apply(update("a.txt", ...hunks.flat()));
    expect(result["files"]).toMatchObject([{ hunks: 10_000, added: 10_000 }]);
    expect(fixture.text("a.txt")).toBe(
      `${lines.map((line, at) => (at % 4 === 0 ? line.toUpperCase() : line)).join("\n")}\n`,
    );
  });
});

describe("a command line that is only apply_patch", () => {
  const patch = update("a.txt", "@@", "-one", "+two$HOME").patch;

  it.each([
    ["a heredoc", `apply_patch <<'EOF'\n${patch}EOF\n`, {}],
    ["an unquoted heredoc", `apply_patch <<EOF\n${patch}EOF`, {}],
    ["a heredoc in another folder", `cd sub && apply_patch <<"X"\n${patch}X`, { folder: "sub" }],
    ["a heredoc in the folder of the call", `apply_patch << 'X'\n${patch}X`, { folder: "sub", cwd: "sub" }],
    ["a quoted argument", `apply_patch '${patch}'`, {}],
    ["blanks around its mark", `apply_patch <<'EOF'\n${patch}  EOF `, {}],
    ["a shell of its own", `bash -lc ${shellQuote(`apply_patch <<'EOF'\n${patch}EOF\n`)}`, {}],
    [
      "a shell and a folder",
      `/bin/sh -c "cd sub && apply_patch <<'X'\n${patch.replaceAll("$", "\\$")}X"`,
      { folder: "sub" },
    ],
    ["an argument in double quotes", `apply_patch "${patch.replaceAll("$", "\\$")}"`, {}],
  ])("with %s is carried out by the tool, and can be undone", async (_what, command, where) => {
    const { folder = ".", cwd } = where as { folder?: string; cwd?: string };
    mkdirSync(fixture.path("sub"));
    fixture.put(`${folder}/a.txt`, "one\n");
    const answer = await fixture.call("shell_exec", { command, ...(cwd !== undefined && { cwd }) });
    expect(answer).toMatchObject({ toolName: "apply_patch", success: true, result: { exitCode: 0 } });
    expect(fixture.text(`${folder}/a.txt`)).toBe("two$HOME\n");
    await fixture.ok("undo_edit", {});
    expect(fixture.text(`${folder}/a.txt`)).toBe("one\n");
  });

  it("starts in the folder that it names by its whole path, not below the session's", async () => {
    mkdirSync(fixture.path("sub"));
    fixture.put("sub/a.txt", "one\n");
    await fixture.ok("shell_exec", { command: "cd sub" });
    await fixture.ok("shell_exec", { command: `cd ${fixture.path("sub")} && apply_patch <<'X'\n${patch}X` });
    expect(fixture.text("sub/a.txt")).toBe("two$HOME\n");
    for (const folder of ["~", "-", "/"]) {
      const command = `cd ${folder} && apply_patch <<'X'\n${toPatch("*** Add File: n.txt", "+x").patch}X`;
      await fixture.refused("shell_exec", { command });
    }
    expect(readdirSync(fixture.path("sub"))).toEqual(["a.txt"]);
  });

  it("is told apart from a line with more, whose failure names the tool", async () => {
    fixture.put("a.txt", "one\n");
    const { notes, exitCode } = (await fixture.ok("shell_exec", {
      command: `cat <<'EOF' | apply_patch\n${patch}EOF`,
    })) as { notes: string[]; exitCode: number };
    expect({ notes, exitCode }).toEqual({
      notes: [expect.stringContaining("apply_patch is a tool, not a program.")],
      exitCode: 127,
    });
    expect(fixture.text("a.txt")).toBe("one\n");
  });

  it("fails like the shell where the folder is missing, and creates nothing", async () => {
    fixture.put("file.txt", "one\n");
    const added = toPatch("*** Add File: n.txt", "+x").patch;
    for (const folder of ["missing", "missing/deeper", "file.txt"]) {
      const refused = await fixture.refused("shell_exec", {
        command: `cd ${folder} && apply_patch <<'X'\n${added}X`,
      });
      expect(refused.message).toContain(
        `The folder "${folder}" ${folder === "file.txt" ? "is not a folder" : "does not exist"}`,
      );
    }
    await fixture.refused("apply_patch", { patch: added, cwd: "missing" });
    expect(readdirSync(fixture.path("."))).toEqual(["file.txt"]);
    mkdirSync(fixture.path("sub"));
    fixture.put("sub/a.txt", "one\n");
    const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
    await fixture.ok("read_file", { path: "sub/a.txt" });
    await fixture.ok("shell_exec", { command: `cd sub && apply_patch <<'X'\n${diff}X` });
    expect(fixture.text("sub/a.txt")).toBe("two\n");
    const climbing = { patch: toPatch("*** Add File: ../n.txt", "+x").patch, cwd: "sub/" };
    await fixture.reopen({ config: { mode: "auto", files: { strict: { noParent: true } } } });
    expect((await fixture.refused("apply_patch", climbing)).code).toBe("PATH_TRAVERSAL");
    await fixture.ok("apply_patch", { patch: added, cwd: "sub/" });
    expect(fixture.text("sub/n.txt")).toBe("x\n");
  });

  it("may have lines that look like its mark, and quotes", async () => {
    fixture.put("a.sh", "cat <<EOF\none\n EOF\n");
    const lines = update("a.sh", "@@", "-one", "+it's", "  EOF").patch;
    await fixture.ok("shell_exec", { command: `apply_patch <<'EOF'\n${lines}EOF` });
    expect(fixture.text("a.sh")).toBe("cat <<EOF\nit's\n EOF\n");
    const back = update("a.sh", "@@", "-it's", "+one").patch;
    await fixture.ok("shell_exec", { command: ["apply_patch", back] });
    expect(fixture.text("a.sh")).toBe("cat <<EOF\none\n EOF\n");
  });

  it.each([
    ["more commands", `apply_patch <<'EOF'\n${patch}EOF\necho done`],
    ["another end", `apply_patch <<'EOF'\n${patch}END\n`],
    ["no patch", "apply_patch"],
  ])("with %s is refused, and says how to write it", async (_what, command) => {
    fixture.put("a.txt", "one\n");
    expect((await fixture.refused("shell_exec", { command })).hint).toMatch(/mark on a line of its own/);
    expect(fixture.text("a.txt")).toBe("one\n");
  });

  it("is judged by the rules for files", async () => {
    await fixture.reopen({ config: { policy: { rules: [{ decision: "deny", path: "a.txt" }] } } });
    fixture.put("a.txt", "one\n");
    const error = await fixture.refused("shell_exec", { command: `apply_patch <<'EOF'\n${patch}EOF` });
    expect(error.type).toBe("ToolPermissionError");
  });
});
