import { describe, expect, it } from "vitest";
import { foldName } from "./fold-name.js";
import { fromAlias } from "./path-roots.js";
import { windowsNameFault } from "./windows-names.js";

describe("windowsNameFault", () => {
  it.each([
    ["src/a.ts", undefined],
    ["C:\\a\\b", undefined],
    ["c:/a/../b/./c", undefined],
    ["", undefined],
    ["\\\\server\\share", "is a UNC or device path"],
    ["//server/share", "is a UNC or device path"],
    ["\\/mixed", "is a UNC or device path"],
    ["\\??\\C:\\a", "is a device path"],
    ["C:a", "is relative to a drive"],
    ["C:", "is relative to a drive"],
    ["a:b", "is relative to a drive"],
    ["ab:c", "names an alternate data stream"],
    ["dir/a.txt:stream", "names an alternate data stream"],
    ["C:\\a:b", "names an alternate data stream"],
    ["a?", "contains a character that Windows forbids in names"],
    ["dir/a*", "contains a character that Windows forbids in names"],
    ['a"b', "contains a character that Windows forbids in names"],
    ["a.", "contains a name that ends with a dot or a space"],
    ["dir /a", "contains a name that ends with a dot or a space"],
    ["...", "contains a name that ends with a dot or a space"],
    ["PROGRA~1", "contains a short (8.3) name"],
    ["progra~1.txt", "contains a short (8.3) name"],
    ["longername~1", undefined],
    ["a~1.text", undefined],
    ["a~b", undefined],
    ["con", "names a reserved device"],
    ["dir/NUL.txt", "names a reserved device"],
    ["COM1", "names a reserved device"],
    ["lpt³.x", "names a reserved device"],
    ["CONIN$", "names a reserved device"],
    ["console", undefined],
    ["com10", undefined],
  ])("%j: %j", (path, fault) => {
    expect(windowsNameFault(path)).toBe(fault);
  });
});

describe("foldName", () => {
  it.each([
    ["Src/A.TS", "src/a.ts"],
    ["a.", "a"],
    ["a. ./b", "a/b"],
    ["a \\b", "a\\b"],
    ["a.b", "a.b"],
    ["a/..", "a/.."],
    ["./a", "./a"],
    ["caf\u00c9", "caf\u00e9"],
    ["cafe\u0301", "caf\u00e9"],
    ["\ufb01le", "file"],
    [".g\u200cit", ".git"],
    [".g\u00adit", ".git"],
    ["Stra\u00dfe", "strasse"],
    ["\u03a3\u03c2", "\u03c3\u03c3"],
    ["\uff27IT", "git"],
    ["a~", "a~"],
    ["a\u007f", "a\u007f"],
    ["é.", "é"],
    ["", ""],
  ])("%j is %j", (path, folded) => {
    expect(foldName(path)).toBe(folded);
  });
});

describe("fromAlias", () => {
  const root = { given: "/tmp/ws", real: "/private/tmp/ws" };

  it.each<[string, NodeJS.Platform, string | undefined]>([
    ["/tmp/ws", "linux", "/private/tmp/ws"],
    ["/tmp/ws/a/b", "linux", "/private/tmp/ws/a/b"],
    ["/private/tmp/ws/a", "linux", "/private/tmp/ws/a"],
    ["/tmp/wsx", "linux", undefined],
    ["/tmp", "linux", undefined],
    ["/TMP/ws/A", "linux", undefined],
    ["/TMP/ws/A", "darwin", "/private/tmp/ws/A"],
    ["/TMP/WS", "win32", "/private/tmp/ws"],
  ])("%s on %s is %s", (path, platform, real) => {
    expect(fromAlias(path, root, platform)).toBe(real);
  });

  it("takes everything below the root of the file system", () => {
    expect(fromAlias("/a", { given: "/", real: "/" }, "linux")).toBe("/a");
  });
});
