import { describe, expect, it } from "vitest";
import { createDenyRules, foldLocation, type DenyRules, type Location } from "./deny-rules.js";

const workspace = "/ws";
/** `/ws/link` is a link to `/real/target`. */
const realPath = (absolute: string): string => absolute.replace(/^\/ws\/link(?=\/|$)/, "/real/target");

function rulesFor(...patterns: string[]): DenyRules {
  return createDenyRules(patterns, { workspace, realPath });
}

/** A path of the workspace, or an absolute one of another root. */
function at(path: string): Location {
  return path.startsWith("/")
    ? foldLocation({ absolute: path, relative: path.split("/").slice(2).join("/"), inWorkspace: false })
    : foldLocation({
        absolute: path === "" ? workspace : `${workspace}/${path}`,
        relative: path,
        inWorkspace: true,
      });
}

describe("a pattern", () => {
  it.each([
    // Without a slash: at any depth, in any root.
    [".env", ".env", true],
    [".env", "a/b/.env", true],
    [".env", ".env/below", true],
    [".env", "/other/a/.env", true],
    [".env", "a.env", false],
    [".env", ".env.local", false],
    [".env", "", false],
    ["*.pem", "a/b/key.pem", true],
    ["*.pem", "key.pem/below", true],
    ["*.pem", "/other/key.pem", true],
    ["*.pem", "key.pems", false],
    ["**/secret", "secret", true],
    ["**/secret", "a/b/secret/c", true],
    ["**/**/secret", "a/secret", true],
    ["**/a/b", "x/a/b", true],
    ["**/a/b", "a/x/b", false],
    // With a slash: from the workspace alone.
    ["a/b", "a/b", true],
    ["a/b", "a/b/c", true],
    ["a/b", "x/a/b", false],
    ["a/b", "a/bc", false],
    ["a/b", "/other/a/b", false],
    ["a/*.js", "a/x.js", true],
    ["a/*.js", "a/b/x.js", false],
    ["a/*.js", "/other/a/x.js", false],
    ["./a/../b/c", "b/c", true],
    // A slash or `/**` at its end changes nothing, and `.` is the workspace.
    ["dist/", "x/dist", true],
    ["dist//", "dist/a", true],
    ["a/b/**", "a/b", true],
    ["a/b/**/**", "a/b/c", true],
    [".", "a", true],
    [".", "", true],
    [".", "/other/a", false],
    // Literally as well as a glob.
    ["app/[id]", "app/[id]", true],
    ["app/[id]", "app/i", true],
    ["app/[id]", "app/x", false],
    ["[id]", "app/[id]/page", true],
    ["{a,b}.key", "x/a.key", true],
    ["{a,b}.key", "x/b.key", true],
    ["{a,b}.key", "x/c.key", false],
    // Absolute ones, and such that climb out of the workspace.
    ["/data/x", "/data/x/y", true],
    ["/data/x", "/data/xy", false],
    ["/data/*/y", "/data/x/y", true],
    ["/data/*/y", "/data/x/z", false],
    ["../data/x", "/data/x", true],
    ["../data/*.key", "/data/a.key", true],
    ["../data/*.key", "a.key", false],
    ["/", "/data/x", true],
    ["/ws/a", "a/b", true],
    // Links in its fixed part, literally and before a glob.
    ["link/a", "/real/target/a", true],
    ["/ws/link/a", "link/a", true],
    ["/ws/link/*.key", "/real/target/b.key", true],
    ["/ws/link/*.key", "link/b.key", true],
    ["/ws/link/*.key", "/real/other/b.key", false],
    // Names are compared folded.
    ["SECRET", "a/secret", true],
    ["A/B", "a/b", true],
    ["*.PEM", "x.pem", true],
    ["/DATA/X", "/data/x", true],
  ])("%s covers %s: %s", (pattern, path, covered) => {
    expect(rulesFor(pattern).match(at(path))).toBe(covered ? pattern : undefined);
  });

  it.each(["", "  "])("that is blank (%j) covers nothing", (pattern) => {
    const rules = rulesFor(pattern);
    for (const path of ["", "a", "/other/a"]) expect(rules.match(at(path))).toBeUndefined();
    expect(rules.mayMatchBelow(at(""))).toBe(false);
  });

  it("that is too large to expand is refused by name", () => {
    const pattern = "{a,b}".repeat(40);
    expect(() => rulesFor(pattern)).toThrow(`The path pattern "${pattern}" cannot be used`);
  });
});

describe("rules", () => {
  it("give the first that covers the path, as it was written", () => {
    const rules = rulesFor("A/b/", "**/b", "c");
    expect(rules.match(at("a/b"))).toBe("A/b/");
    expect(rules.match(at("x/b"))).toBe("**/b");
    expect(rules.match(at("x"))).toBeUndefined();
  });

  it("know what is named below a path, but not what is named at or above it", () => {
    const rules = rulesFor("a/b/c", "*.pem");
    expect(rules.matchBelow(at("a"))).toBe("a/b/c");
    expect(rules.matchBelow(at("a/b"))).toBe("a/b/c");
    expect(rules.matchBelow(at("a/b/c"))).toBeUndefined();
    expect(rules.matchBelow(at("a/b/c/d"))).toBeUndefined();
    expect(rules.matchBelow(at("a/bc"))).toBeUndefined();
  });

  it("say that something below may be covered where a name or glob could be anywhere", () => {
    expect(rulesFor("a/b").mayMatchBelow(at("a"))).toBe(true);
    expect(rulesFor("a/b").mayMatchBelow(at("a/b"))).toBe(false);
    expect(rulesFor("a/b").mayMatchBelow(at("c"))).toBe(false);
    expect(rulesFor(".env").mayMatchBelow(at("c"))).toBe(true);
    expect(rulesFor("a/*.pem").mayMatchBelow(at("c"))).toBe(true);
    expect(rulesFor("/data/*.pem").mayMatchBelow(at("c"))).toBe(true);
  });
});
