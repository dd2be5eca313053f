import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../contract/errors.js";
import { parseUnifiedDiff } from "./parse-diff.js";

const lines = (...all: string[]): string => `${all.join("\n")}\n`;
const signs = (diff: string): string[] =>
  parseUnifiedDiff(diff).flatMap((file) =>
    file.hunks.map((hunk) => hunk.lines.map((line) => line.sign + line.text).join("|")),
  );
const paths = (diff: string): unknown[] =>
  parseUnifiedDiff(diff).map(({ kind, oldPath, newPath }) => [kind, oldPath, newPath]);

function reads(diff: string): boolean {
  try {
    parseUnifiedDiff(diff);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolValidationError);
    return false;
  }
}

describe("parseUnifiedDiff", () => {
  it("takes the one name of a file for both where the other is missing", () => {
    expect(paths(lines("+++ src/x", "@@ -1 +1 @@", "-a", "+b"))).toEqual([["modify", "src/x", "src/x"]]);
    expect(paths(lines("--- src/x", "@@ -1 +1 @@", "-a", "+b"))).toEqual([["modify", "src/x", "src/x"]]);
  });

  it("reads a diff of git with several files", () => {
    const diff = lines(
      "diff --git a/one.txt b/one.txt",
      "index 1..2 100644",
      "--- a/one.txt",
      "+++ b/one.txt",
      "@@ -1,2 +1,2 @@ heading",
      " a",
      "-b",
      "+c",
      "diff --git a/new.sh b/new.sh",
      "new file mode 100755",
      "index 0..1",
      "--- /dev/null",
      "+++ b/new.sh",
      "@@ -0,0 +1 @@",
      "+x",
      "\\ No newline at end of file",
      "diff --git a/gone b/gone",
      "deleted file mode 100644",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
      "diff --git a/from here b/to there",
      "similarity index 100%",
      "rename from from here",
      "rename to to there",
      "diff --git a/empty b/empty",
      "new file mode 100644",
      "index 0..0",
    );
    expect(paths(diff)).toEqual([
      ["modify", "one.txt", "one.txt"],
      ["create", undefined, "new.sh"],
      ["delete", "gone", undefined],
      ["rename", "from here", "to there"],
      ["create", undefined, "empty"],
    ]);
    const [one, created] = parseUnifiedDiff(diff);
    expect(one?.hunks[0]).toMatchObject({
      oldStart: 1,
      lines: [
        { sign: " ", text: "a" },
        { sign: "-", text: "b" },
        { sign: "+", text: "c" },
      ],
    });
    expect(created).toMatchObject({
      newMode: "100755",
      hunks: [{ lines: [{ sign: "+", text: "x", noNewline: true }] }],
    });
  });

  it("reads names with or without prefixes, times and quotes", () => {
    const header = (old: string, now: string): unknown =>
      paths(lines(`--- ${old}`, `+++ ${now}`, "@@ -1 +1 @@", "-a", "+b"))[0];
    expect(header("a/x", "b/x")).toEqual(["modify", "x", "x"]);
    expect(header("x", "x")).toEqual(["modify", "x", "x"]);
    expect(header("a/x", "a/x")).toEqual(["modify", "a/x", "a/x"]);
    expect(header("a/x", "x")).toEqual(["modify", "x", "x"]);
    expect(header("i/x", "w/x")).toEqual(["modify", "x", "x"]);
    expect(header("a/x\t2024-01-01 10:00:00.0 +0100", "b/x\t2024-01-01 10:00:01.0 +0100")).toEqual([
      "modify",
      "x",
      "x",
    ]);
    expect(header("x 2024-01-01 10:00:00 +0100", "x 2024-01-01 10:00:00")).toEqual(["modify", "x", "x"]);
    expect(header('"a/\\303\\244 \\"q\\".txt"', '"b/\\303\\244 \\"q\\".txt"')).toEqual([
      "modify",
      'ä "q".txt',
      'ä "q".txt',
    ]);
    expect(header("a/with blank\t", "b/with blank\t")).toEqual(["modify", "with blank", "with blank"]);
    expect(header("a/old", "b/new")).toEqual(["rename", "old", "new"]);
    expect(header("/dev/null", "x")).toEqual(["create", undefined, "x"]);
  });

  it("reads hunks with wrong, missing or no numbers", () => {
    for (const header of [
      "@@ -1,2 +1,2 @@",
      "@@ -9,9 +9,9 @@",
      "@@ -1 +1 @@",
      "@@ ... @@",
      "@@",
      "@@ @@",
      "@@ -1,0 +1,0 @@",
      "@@ -5 @@",
    ]) {
      expect(signs(lines("--- a/x", "+++ b/x", header, " a", "-b", "+c"))).toEqual([" a|-b|+c"]);
    }
    expect(signs(lines("--- a/x", "+++ b/x", "@@", "-a", "+b", "@@", "-c", "+d"))).toEqual([
      "-a|+b",
      "-c|+d",
    ]);
  });

  it("takes lines of a hunk for what they are even if they look like headers", () => {
    const diff = lines(
      "--- a/x",
      "+++ b/x",
      "@@ -1,4 +1,4 @@",
      " a",
      "--- old",
      "+++ new",
      "-@@ -1 +1 @@",
      "+diff --git a/x b/x",
      " b",
    );
    expect(signs(diff)).toEqual([" a|--- old|+++ new|-@@ -1 +1 @@|+diff --git a/x b/x| b"]);
    expect(paths(diff)).toEqual([["modify", "x", "x"]]);
  });

  it("finds the next file although the counts of the one before are too large", () => {
    const diff = lines(
      "--- a/x",
      "+++ b/x",
      "@@ -1,9 +1,9 @@",
      "-a",
      "+b",
      "--- a/y",
      "+++ b/y",
      "@@ -1 +1 @@",
      "-c",
      "+d",
    );
    expect(paths(diff)).toEqual([
      ["modify", "x", "x"],
      ["modify", "y", "y"],
    ]);
    expect(signs(diff)).toEqual(["-a|+b", "-c|+d"]);
  });

  it("gives empty lines back the blank that an editor took from them", () => {
    expect(signs(lines("--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", " a", "", "-b", "+c"))).toEqual([
      " a| |-b|+c",
    ]);
    expect(signs(lines("--- a/x", "+++ b/x", "@@", " a", "", "-b", "+c", "", ""))).toEqual([" a| |-b|+c"]);
    expect(signs(lines("--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", " a", "-b", "+c", ""))).toEqual([
      " a|-b|+c| ",
    ]);
    expect(signs(lines("--- a/x", "+++ b/x", "@@ -1 +1 @@", " a", "", "-b", "+c"))).toEqual([" a| |-b|+c"]);
  });

  it("finds the diff among other text, fences and mail", () => {
    const diff = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"];
    expect(
      signs(lines("Here is the change:", "", "```diff", ...diff, "```", "", "- it is good", "+ it is short")),
    ).toEqual(["-a|+b"]);
    expect(
      signs(
        lines("From 123 Mon Sep 17", "Subject: [PATCH] x", "---", " x | 2 +-", "", ...diff, "-- ", "2.39.0"),
      ),
    ).toEqual(["-a|+b"]);
    expect(signs(lines(...diff, "", "That is all."))).toEqual(["-a|+b"]);
    expect(signs(lines("Index: x", "===================", ...diff))).toEqual(["-a|+b"]);
  });

  it("reads a diff that has carriage returns of its own, and keeps those of the file", () => {
    const diff = lines("--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b");
    expect(signs(diff.replaceAll("\n", "\r\n"))).toEqual(["-a|+b"]);
    expect(signs(lines("--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a\r", "+b\r"))).toEqual(["-a\r|+b\r"]);
  });

  it("refuses, as git does, names that belong to another file than the header above them", () => {
    const headers = {
      rename: ["diff --git a/x b/z", "similarity index 100%", "rename from x", "rename to z"],
      delete: ["diff --git a/x b/x", "deleted file mode 100644"],
      create: ["diff --git a/z b/z", "new file mode 100644"],
      mode: ["diff --git a/x b/x", "old mode 100644", "new mode 100755"],
      copy: ["diff --git a/x b/z", "similarity index 90%", "copy from x", "copy to z"],
      plain: ["diff --git a/x b/x"],
    };
    const right = {
      rename: ["a/x", "a/z"],
      delete: ["a/x", "/dev/null"],
      create: ["/dev/null", "a/z"],
      mode: ["a/x", "a/x"],
      copy: ["a/x", "a/z"],
      plain: ["a/x", "a/x"],
    };
    const sides = ["a/x", "a/y", "a/z", "/dev/null"];
    const hunk = ["@@ -1 +1 @@", "-old", "+new"];
    const added = ["@@ -0,0 +1 @@", "+new"];
    const removed = ["@@ -1 +0,0 @@", "-old"];
    const dir = mkdtempSync(join(tmpdir(), "tenon-diff-"));
    try {
      for (const name of ["x", "y"]) writeFileSync(join(dir, name), "old\n");
      execFileSync("git", ["init", "-q", dir]);
      let refused = 0;
      for (const [kind, header] of Object.entries(headers)) {
        for (const old of sides) {
          for (const now of sides) {
            const body = old === "/dev/null" ? added : now === "/dev/null" ? removed : hunk;
            const diff = lines(...header, `--- ${old}`, `+++ ${now.replace("a/", "b/")}`, ...body);
            const git = spawnSync("git", ["apply", "--check", "-"], { cwd: dir, input: diff });
            const isRead = reads(diff);
            if (right[kind as keyof typeof right].join() === [old, now].join()) {
              expect([git.status, isRead], kind).toEqual([0, true]);
            } else if (/inconsistent|expected \/dev\/null/.test(String(git.stderr))) {
              expect(isRead, `${kind} ${old} ${now}: ${String(git.stderr)}`).toBe(false);
              refused += 1;
            }
          }
        }
      }
      expect(refused).toBeGreaterThan(40);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it("takes words that look like git's own lines for prose where git writes none", () => {
    const diff = lines(
      "--- a/x",
      "+++ b/x",
      "deleted file mode 100644",
      "rename to y",
      "@@ -1 +1 @@",
      "-a",
      "+b",
    );
    expect(paths(diff)).toEqual([["modify", "x", "x"]]);
  });

  it("refuses what is no unified diff, with the line and the way out", () => {
    const bad: [string, RegExp][] = [
      ["", /no file/i],
      ["just words", /no file/i],
      [lines("@@ -1 +1 @@", "-a", "+b"), /before any file.*Line 1/],
      [lines("--- a/x", "+++ b/x"), /no hunk/],
      [lines("--- a/x", "+++ b/x", "@@ -1 +1 @@", " a"), /no line that begins with/],
      [lines("--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "-a", "oops", "+b"), /neither.*Line 5.*oops/],
      [lines("*** Begin Patch", "*** Update File: x", "@@", "-a", "+b", "*** End Patch"), /Begin Patch/],
      [lines("*** a/x", "--- b/x", "***************", "*** 1 ****"), /context diff/],
      [lines("diff --git a/x.png b/x.png", "index 1..2", "GIT binary patch", "literal 1"), /binary/],
      [
        lines("diff --git a/x.png b/x.png", "index 1..2", "Binary files a/x.png and b/x.png differ"),
        /binary/,
      ],
      [lines("diff --cc x", "--- a/x", "+++ b/x", "@@@ -1 -1 +1 @@@", "--a", "++b"), /combined/],
    ];
    for (const [diff, message] of bad) {
      expect(() => parseUnifiedDiff(diff), diff).toThrow(message);
      expect(() => parseUnifiedDiff(diff), diff).toThrow(ToolValidationError);
    }
  });
});

describe("a section of git that changes a file's mode", () => {
  it.each([
    [["old mode 100644", "new mode 100755"], { oldMode: "100644", newMode: "100755" }],
    [["new file mode 100755"], { newMode: "100755" }],
    [["deleted file mode 100600"], { oldMode: "100600" }],
  ])("has both modes as far as they are said: %j", (headers, modes) => {
    const [file] = parseUnifiedDiff(lines("diff --git a/x b/x", ...headers));
    expect({ oldMode: file?.oldMode, newMode: file?.newMode }).toEqual({
      oldMode: undefined,
      newMode: undefined,
      ...modes,
    });
  });
});
