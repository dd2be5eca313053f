import { describe, expect, it } from "vitest";
import { beginsWithPatch, readPatchCommand } from "./patch-command.js";
import { unwrapPatch } from "./unwrap-patch.js";

const patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";

describe("readPatchCommand", () => {
  it.each([
    ["a heredoc", `apply_patch <<'EOF'\n${patch}EOF`, undefined, patch],
    ["a heredoc with blanks around it", `  apply_patch <<EOF \n${patch}EOF\n\n`, undefined, patch],
    ["another spelling", `applypatch <<-"X.1"\n${patch}X.1`, undefined, patch],
    ["a mark behind tabs", `apply_patch <<-EOF\n${patch}\t\tEOF`, undefined, patch],
    ["a mark behind blanks", `apply_patch <<EOF\n${patch}  EOF`, undefined, patch],
    ["line ends of Windows", `apply_patch <<EOF\r\n${patch}EOF\r\n`, undefined, patch],
    ["a folder", `cd dir/sub && apply_patch <<EOF\n${patch}EOF`, "dir/sub", patch],
    ["a quoted folder", `cd 'a b' ; apply_patch <<EOF\n${patch}EOF`, "a b", patch],
    ["a folder in double quotes", `cd "a b"\napply_patch <<EOF\n${patch}EOF`, "a b", patch],
    ["a quoted argument", `apply_patch '${patch}'`, undefined, patch],
    ["a quoted argument and a folder", `cd x && apply_patch '${patch}' `, "x", patch],
    ["an argument with a quote", String.raw`apply_patch 'it'\''s'`, undefined, "it's"],
    [
      "an argument in double quotes",
      'apply_patch "a \\"b\\" \\$c \\\\ \\` \\n"',
      undefined,
      'a "b" $c \\ ` \\n',
    ],
    ["a shell of its own", `bash -lc 'apply_patch "x"'`, undefined, "x"],
    ["a shell by its path", `/usr/bin/sh -c 'cd d; apply_patch "x"'`, "d", "x"],
    ["another shell by its path", `/bin/zsh -c 'apply_patch "x"'`, undefined, "x"],
  ])("reads %s", (_, line, folder, expected) => {
    expect(readPatchCommand(line)).toEqual({ folder, patch: expected });
    expect(beginsWithPatch(line)).toBe(true);
  });

  it.each([
    ["another command", "ls"],
    ["a word that only begins so", "apply_patches 'x'"],
    ["something behind the mark", `apply_patch <<EOF\n${patch}EOF\nrm x`],
    ["a mark that is missing", `apply_patch <<EOF\n${patch}`],
    ["a mark that comes twice", `apply_patch <<EOF\nEOF\n${patch}EOF`],
    ["a home folder", `cd ~/x && apply_patch '${patch}'`],
    ["the folder before", `cd - && apply_patch '${patch}'`],
    ["two arguments", "apply_patch 'a' 'b'"],
    ["no argument", "apply_patch"],
    ["a bare argument", "apply_patch file"],
  ])("leaves %s alone", (_, line) => {
    expect(readPatchCommand(line)).toBeUndefined();
  });

  it("knows a line that begins so from others", () => {
    expect(beginsWithPatch("apply_patch")).toBe(true);
    expect(beginsWithPatch("cd a && apply_patch file && ls")).toBe(true);
    expect(beginsWithPatch("apply_patches")).toBe(false);
    expect(beginsWithPatch("echo apply_patch")).toBe(false);
  });
});

describe("unwrapPatch", () => {
  const bare = "*** Begin Patch\n*** End Patch";

  it.each([
    ["nothing", bare],
    ["a line end", `${bare}\n`],
    ["a mark of the encoding", `\uFEFF${bare}\n`],
    ["blank lines", `\n  \n${bare}\n \n\n`],
    ["a fence", `\`\`\`diff\n${bare}\n\`\`\``],
    ["a fence and blank lines in it", `~~~\n\n${bare}\n\n~~~  \n`],
    ["a heredoc", `apply_patch <<'EOF'\n${bare}\nEOF`],
    ["a heredoc without its command", `<<EOF\n\n${bare}\n\nEOF\n`],
    ["a heredoc in a fence", `\`\`\`sh\napply_patch <<-"EOF"\n${bare}\nEOF\n\`\`\``],
    ["a mark behind blanks", `<< EOF\n${bare}\n EOF`],
  ])("removes %s", (_, wrapped) => {
    expect(unwrapPatch(wrapped)).toBe(`${bare}\n`);
  });

  it.each([
    ["a fence that does not end", "```\n--- a\n+++ b", "```\n--- a\n+++ b\n"],
    ["a fence that does not begin", "--- a\n+++ b\n```", "--- a\n+++ b\n```\n"],
    ["one line of a fence", "```", "```\n"],
    ["a text in another form", "--- a\n+++ b\n\n", "--- a\n+++ b\n"],
    ["blanks at the begin of the first line", "\n  --- a\n", "  --- a\n"],
    ["nothing at all", " \n\n", "\n"],
    ["two words behind the mark", "<<A B\nx\nA B", "<<A B\nx\nA B\n"],
  ])("leaves %s", (_, given, expected) => {
    expect(unwrapPatch(given)).toBe(expected);
  });

  it("refuses a heredoc that does not end", () => {
    expect(() => unwrapPatch("<<EOF\n--- a\n")).toThrow(
      'The patch begins with the heredoc mark "EOF" but does not end with it.',
    );
  });
});
