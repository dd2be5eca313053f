import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankFiles } from "./file-rank.js";
import { underLoad } from "../../../test/setup/under-load.js";

const paths = [
  "src/world/files/guard.ts",
  "src/world/files/guard.test.ts",
  "src/guards/index.ts",
  "node_modules/x/guard.ts",
  "README.md",
  "src/store/open-state.ts",
];

describe("files by name", () => {
  it("puts the name itself first, then its beginning, and what is vendored last", () => {
    expect(rankFiles(paths, "guard.ts", "")).toEqual(["src/world/files/guard.ts", "node_modules/x/guard.ts"]);
    expect(rankFiles(paths, "guard", "").slice(0, 2)).toEqual([
      "src/world/files/guard.ts",
      "src/world/files/guard.test.ts",
    ]);
    expect(rankFiles(paths, "readme", "")).toEqual(["README.md"]);
  });

  it("finds letters in their order, and globs", () => {
    expect(rankFiles(paths, "opst", "")[0]).toBe("src/store/open-state.ts");
    expect(rankFiles(paths, "src/**/*.test.ts", "")).toEqual(["src/world/files/guard.test.ts"]);
  });

  it("takes linear time whatever the name and the path", () => {
    const before = performance.now();
    rankFiles([`${"a".repeat(3000)}/${"a".repeat(200)}`], `${"a".repeat(150)}b`, "");
    expect(performance.now() - before).toBeLessThan(underLoad(500));
  });

  it("never throws on a name, and only finds paths that hold its letters", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.array(fc.string(), { maxLength: 20 }),
        (name, some) => {
          if (/[*?[{\\]/.test(name)) return;
          const letters = name.trim().replace(/^\.\//, "").toLowerCase().replaceAll(/\s+/g, "");
          for (const path of rankFiles(some, name, "")) {
            let at = 0;
            const lower = path.toLowerCase();
            for (const letter of letters) {
              at = lower.indexOf(letter, at) + 1;
              expect(at).toBeGreaterThan(0);
            }
          }
        },
      ),
    );
  });
});
