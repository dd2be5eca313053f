import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPathRules, type PathRules, type PathRulesOptions } from "./path-rules.js";
import type { PathAccess } from "./path-verdict.js";
import { randomCases } from "../../../test/setup/random-cases.js";

let base: string;
let ws: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "tenon-rules-")));
  ws = path.join(base, "workspace");
  mkdirSync(ws);
});
afterEach(() => rmSync(base, { recursive: true }));

const rulesFor = (options: Partial<PathRulesOptions> = {}): PathRules =>
  createPathRules({ workspace: ws, ...options });

function verdictOf(rules: PathRules, relative: string, access: PathAccess = "read"): string {
  const verdict = rules.judge(path.join(ws, relative), access);
  return verdict.allowed ? "allowed" : `${verdict.code} ${verdict.rule}`;
}

function placeOf(rules: PathRules, text: string): string {
  const verdict = rules.toAbsolute(text);
  return verdict.allowed ? verdict.path : `${verdict.code} ${verdict.rule}`;
}

describe("placing a path by its text", () => {
  it("resolves relative and absolute paths inside the workspace", () => {
    const rules = rulesFor();
    expect(placeOf(rules, "a/./b//c")).toBe(path.join(ws, "a/b/c"));
    expect(placeOf(rules, path.join(ws, "a"))).toBe(path.join(ws, "a"));
    expect(placeOf(rules, ".")).toBe(ws);
    expect(placeOf(rules, "a/../b")).toBe(path.join(ws, "b"));
    expect(placeOf(rules, "..a/...")).toBe(path.join(ws, "..a/..."));
  });

  it("refuses what climbs out, what is absolute elsewhere, and siblings that share a prefix", () => {
    const rules = rulesFor();
    expect(placeOf(rules, "../x")).toBe("PATH_TRAVERSAL workspace");
    expect(placeOf(rules, "a/../../workspace-evil/x")).toBe("PATH_TRAVERSAL workspace");
    expect(placeOf(rules, `${ws}/../workspace-evil/x`)).toBe("PATH_TRAVERSAL workspace");
    expect(placeOf(rules, `${ws}-evil/x`)).toBe("PATH_OUTSIDE workspace");
    expect(placeOf(rules, `${ws} /x`)).toBe("PATH_OUTSIDE workspace");
    expect(placeOf(rules, "/etc/passwd")).toBe("PATH_OUTSIDE workspace");
    expect(placeOf(rules, base)).toBe("PATH_OUTSIDE workspace");
    expect(placeOf(rules, "/")).toBe("PATH_OUTSIDE workspace");
  });

  it.each([
    ["NUL", "a\0b"],
    ["newline", "a\nb"],
    ["escape", "a\u001b[2Jb"],
    ["DEL", "a\u007f"],
    ["C1 control", "a\u0085b"],
    ["lone surrogate", "a\ud800b"],
    ["nothing", ""],
    ["a long name", "x".repeat(256)],
    ["a long name in bytes", "é".repeat(128)],
    ["a long path", "abc/".repeat(1100)],
    ["a path that is too long only below the workspace", "abc/".repeat(1018)],
    ["a number", 5 as unknown as string],
    ["null", null as unknown as string],
    ["an object", {} as unknown as string],
  ])("refuses a path with %s", (_, text) => {
    expect(placeOf(rulesFor(), text)).toBe("PATH_INVALID path");
  });

  it("takes a name of exactly 255 bytes", () => {
    expect(placeOf(rulesFor(), "x".repeat(255))).toBe(path.join(ws, "x".repeat(255)));
  });

  it("keeps the strict rules where they are on", () => {
    const rules = rulesFor({ strict: { noParent: true, noAbsolute: true } });
    expect(placeOf(rules, "a/../b")).toBe("PATH_TRAVERSAL strict.noParent");
    expect(placeOf(rules, path.join(ws, "a"))).toBe("PATH_OUTSIDE strict.noAbsolute");
    expect(placeOf(rules, "a..b/c")).toBe(path.join(ws, "a..b/c"));
  });

  it("knows a workspace by the link it was given through and by its real path", () => {
    symlinkSync(ws, path.join(base, "alias"));
    const rules = createPathRules({ workspace: path.join(base, "alias") });
    expect(rules.workspace).toBe(ws);
    expect(placeOf(rules, path.join(base, "alias", "x"))).toBe(path.join(ws, "x"));
    expect(placeOf(rules, path.join(ws, "x"))).toBe(path.join(ws, "x"));
    expect(placeOf(rules, path.join(base, "alias-evil", "x"))).toBe("PATH_OUTSIDE workspace");
  });

  it("never places a text outside the roots, whatever it is", () => {
    const rules = rulesFor({ allowedPaths: [path.join(base, "more")] });
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "/", "//", "~", ws, base, "workspace", "\\"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom("", "/"), (pieces, glue) => {
        const verdict = rules.toAbsolute(pieces.join(glue));
        if (!verdict.allowed) return;
        const inside = [ws, path.join(base, "more")].some(
          (root) => verdict.path === root || verdict.path.startsWith(`${root}/`),
        );
        expect(inside).toBe(true);
        expect(path.normalize(verdict.path)).toBe(verdict.path);
      }),
      { numRuns: randomCases(500) },
    );
  });
});

describe("allowed paths", () => {
  it("opens further directories, compared by whole names", () => {
    const rules = rulesFor({ allowedPaths: [path.join(base, "data"), "../shared/**"] });
    expect(verdictOf(rules, "../data/x")).toBe("allowed");
    expect(verdictOf(rules, "../shared/x", "write")).toBe("allowed");
    expect(verdictOf(rules, "../data-evil/x")).toBe("PATH_OUTSIDE workspace");
    expect(verdictOf(rules, "../shared2")).toBe("PATH_OUTSIDE workspace");
  });

  it("does not let a link in the workspace widen them", () => {
    symlinkSync("/etc", path.join(ws, "data"));
    const rules = rulesFor({ allowedPaths: ["./data", path.join(ws, "data")] });
    expect(rules.judge("/etc/passwd", "read")).toMatchObject({ allowed: false, code: "PATH_OUTSIDE" });
  });

  it("keeps kernel trees closed even where everything is allowed", () => {
    const rules = rulesFor({ allowedPaths: ["/"] });
    expect(rules.judge("/etc/hostname", "read").allowed).toBe(true);
    for (const name of ["/proc/self/environ", "/proc/1/root/etc", "/dev/fd/0", "/dev/mem", "/sys/x"]) {
      expect(rules.judge(name, "read")).toMatchObject({ allowed: false, code: "PATH_FORBIDDEN" });
    }
  });

  it("can only be narrowed for a call, never widened", () => {
    const rules = rulesFor({ forbiddenPaths: ["docs/private"] });
    const narrow = rules.narrow(["docs", "/etc", base]);
    expect(verdictOf(narrow, "docs/a")).toBe("allowed");
    expect(narrow.judge("/etc/passwd", "read")).toMatchObject({ code: "PATH_OUTSIDE" });
    expect(verdictOf(narrow, "docs/private/a")).toContain("PATH_FORBIDDEN");
    const narrower = rules.narrow(["docs"]).narrow(["src", "docs/a"]);
    expect(verdictOf(narrower, "docs/a/b")).toBe("allowed");
    expect(verdictOf(narrower, "docs/b")).toBe("PATH_OUTSIDE allowedPaths");
    expect(verdictOf(narrower, "src/b")).toBe("PATH_OUTSIDE allowedPaths");
    expect(verdictOf(rules.narrow(["docs"]), "docs-evil/a")).toBe("PATH_OUTSIDE allowedPaths");
    expect(verdictOf(rules.narrow([]), "docs/a")).toBe("PATH_OUTSIDE allowedPaths");
    const listed = (name: string) => narrower.judge(path.join(rules.workspace, name), "list").allowed;
    expect(["", "docs", "docs/a", "docs/b", "src", "doc"].map(listed)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("narrows by the real place of a link", () => {
    mkdirSync(path.join(ws, "real"));
    symlinkSync("real", path.join(ws, "alias"));
    expect(verdictOf(rulesFor().narrow(["alias"]), "real/x")).toBe("allowed");
  });
});

describe("deny rules", () => {
  it("forbid a path and all below it, for reading and writing, and win over allowedPaths", () => {
    const rules = rulesFor({
      allowedPaths: [path.join(base, "data")],
      forbiddenPaths: ["private/keys", path.join(base, "data/x")],
    });
    expect(verdictOf(rules, "private/keys")).toBe("PATH_FORBIDDEN forbiddenPaths: private/keys");
    expect(verdictOf(rules, "private/keys/a/b", "write")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "private/keys2")).toBe("allowed");
    expect(verdictOf(rules, "other/private/keys")).toBe("allowed");
    expect(verdictOf(rules, "../data/x/y")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "../data/y")).toBe("allowed");
  });

  it("hold at any depth where the pattern has no slash", () => {
    const rules = rulesFor({ forbiddenPaths: [".env", "*.pem", "**/id_rsa", "node_modules/**"] });
    for (const name of [
      ".env",
      "a/b/.env",
      "x.pem",
      "a/x.pem",
      "a/.ssh/id_rsa",
      "a/node_modules",
      "node_modules/x",
    ]) {
      expect(verdictOf(rules, name)).toContain("PATH_FORBIDDEN");
    }
    for (const name of ["env", ".env.example", "x.pem.txt", "id_rsa.pub"]) {
      expect(verdictOf(rules, name)).toBe("allowed");
    }
  });

  it("take a pattern as a glob and literally", () => {
    const rules = rulesFor({ forbiddenPaths: ["app/[id]/page.tsx", "!odd", "logs/**/*.log"] });
    expect(verdictOf(rules, "app/[id]/page.tsx")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "app/i/page.tsx")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "!odd")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "odd")).toBe("allowed");
    expect(verdictOf(rules, "logs/a/b.log")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "logs/b.log")).toContain("PATH_FORBIDDEN");
  });

  it("take a dot for the workspace and nothing for nothing", () => {
    expect(verdictOf(rulesFor({ forbiddenPaths: ["."] }), "a")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rulesFor({ forbiddenPaths: ["./"] }), "a/b")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rulesFor({ forbiddenPaths: ["**"] }), "a/b")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rulesFor({ forbiddenPaths: ["", " "] }), ".")).toBe("allowed");
  });

  it("do not forbid the workspace where a directory above it has a forbidden name", () => {
    expect(verdictOf(rulesFor({ forbiddenPaths: ["workspace", "**/workspace"] }), "a")).toBe("allowed");
  });

  it("hold for the place that a forbidden link leads to", () => {
    mkdirSync(path.join(ws, "releases"));
    symlinkSync("releases", path.join(ws, "current"));
    const rules = rulesFor({ forbiddenPaths: ["./current"] });
    expect(verdictOf(rules, "releases/x")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "current/x")).toContain("PATH_FORBIDDEN");
  });

  it.each([
    ".GIT/config",
    ".Git/hooks/x",
    ".g\u200cit/config",
    ".\uff47it/config",
    ".git./config",
    ".git /config",
    ".gi\u0054/config",
    "sub/.gIt/hooks/pre-commit",
  ])("see through case and Unicode tricks: %j", (name) => {
    const rules = rulesFor({ protectedGlobs: [".git/**"] });
    expect(verdictOf(rules, name, "write")).toBe("PATH_FORBIDDEN protected: .git/**");
  });

  it("compare composed and decomposed names as one", () => {
    const rules = rulesFor({ forbiddenPaths: ["caf\u00e9"] });
    expect(verdictOf(rules, "cafe\u0301/x")).toContain("PATH_FORBIDDEN");
  });

  it("protect from changes but not from reading", () => {
    const rules = rulesFor({ protectedGlobs: [".git/**", "tenon.config.*"] });
    expect(verdictOf(rules, ".git/config")).toBe("allowed");
    expect(verdictOf(rules, ".git", "write")).toContain("protected: .git/**");
    expect(verdictOf(rules, "tenon.config.ts", "write")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, ".gitignore", "write")).toBe("allowed");
  });

  it("keep directories above them from being removed, but not from being written to", () => {
    const rules = rulesFor({ forbiddenPaths: ["a/b/secret"], protectedGlobs: ["c/d/keep.txt"] });
    expect(verdictOf(rules, "a", "remove")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "a/b", "remove")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "c/d", "remove")).toContain("PATH_FORBIDDEN");
    expect(verdictOf(rules, "a/b/other", "remove")).toBe("allowed");
    expect(verdictOf(rules, "a/new", "write")).toBe("allowed");
    expect(verdictOf(rules, ".", "remove")).toContain("PATH_FORBIDDEN");
  });

  it("keep Tenon's own state out of reach, without telling where it is", () => {
    const rules = rulesFor({ stateDir: path.join(ws, ".state"), allowedPaths: [base] });
    expect(verdictOf(rules, ".state/audit")).toBe("PATH_FORBIDDEN stateDir");
    expect(verdictOf(rules, ".STATE", "write")).toBe("PATH_FORBIDDEN stateDir");
    expect(verdictOf(rules, ".state-of-art")).toBe("allowed");
    const outer = rulesFor({ stateDir: path.join(base, "st", "x"), allowedPaths: [base] });
    expect(outer.judge(path.join(base, "st"), "remove")).toMatchObject({ rule: "stateDir" });
  });

  it("refuse a workspace inside the state at creation", () => {
    expect(() => rulesFor({ stateDir: base })).toThrow(/state directory/);
  });
});
