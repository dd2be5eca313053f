import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldName } from "./fold-name.js";
import { isWithin, pathTextFault, resolveIn, showName } from "./path-text.js";
import { windowsNameFault } from "./windows-names.js";

describe("comparing paths", () => {
  it("compares whole components", () => {
    expect(isWithin("/a/b", "/a")).toBe(true);
    expect(isWithin("/a", "/a")).toBe(true);
    expect(isWithin("/a-evil", "/a")).toBe(false);
    expect(isWithin("/a", "/a/b")).toBe(false);
    expect(isWithin("/a", "/")).toBe(true);
  });
});

describe("resolving a path in a directory", () => {
  it("gives the path that path.resolve gives", () => {
    const text = fc.array(fc.constantFrom("a", "b.ts", ".", "/", "\\", " "), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom("/", "/a", "/a/b"), text, (directory, parts) => {
        expect(resolveIn(directory, parts.join(""))).toBe(path.resolve(directory, parts.join("")));
      }),
    );
  });
});

describe("showing names", () => {
  it("escapes control characters and bytes that are no UTF-8", () => {
    expect(showName(Buffer.from("a\nb\u001b"))).toBe("a\\x0ab\\x1b");
    expect(showName(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0xc3]))).toBe("a\\xffé\\xc3");
    expect(showName(Buffer.from("ﬁ\uFFFD日本"))).toBe("ﬁ\uFFFD日本");
  });

  it("always shows one line of well-formed text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const shown = showName(Buffer.from(bytes));
        expect(pathTextFault(shown === "" ? "x" : shown, "linux")).toBeUndefined();
      }),
    );
  });
});

describe("folding names", () => {
  it("is idempotent and makes case disappear", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const folded = foldName(text);
        expect(foldName(folded)).toBe(folded);
        expect(foldName(text.toUpperCase())).toBe(foldName(text.toUpperCase().toLowerCase()));
      }),
    );
  });

  it("takes dots and spaces at the end of names away, as Windows does", () => {
    expect(foldName("/A/.git. ./Hooks ")).toBe("/a/.git/hooks");
    expect(foldName("/straße")).toBe(foldName("/STRASSE"));
  });
});

describe("names on Windows", () => {
  it.each([
    "\\\\server\\share",
    "//server/share",
    "\\\\?\\C:\\x",
    "\\\\.\\pipe\\x",
    "\\??\\C:\\x",
    "C:relative",
    "file.txt:stream",
    "a\\b::$DATA",
    "CON",
    "dir/nul.txt",
    "com1",
    "LPT9.log",
    "a./b",
    "a /b",
    "a<b",
    "PROGRA~1/x",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
  ])("refuses %j", (text) => expect(windowsNameFault(text)).toBeDefined());

  it.each(["C:\\work\\a.txt", "a/b/../c.txt", "console.log", "compile", "~/x", "a~b"])("takes %j", (text) =>
    expect(windowsNameFault(text)).toBeUndefined(),
  );
});
