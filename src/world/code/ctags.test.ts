import { join } from "node:path";
import { describe, expect, it } from "vitest";

interface Agreement {
  readonly counts: ReadonlyMap<string, { readonly all: number; readonly found: number }>;
  readonly missing: readonly { readonly name: string; readonly kind: string }[];
}

interface Comparison {
  readonly hasCtags: () => boolean;
  readonly filesIn: (folder: string, most?: number) => string[];
  readonly compare: (files: readonly string[]) => Promise<Agreement>;
}

const root = join(import.meta.dirname, "../../..");
const script = join(root, "scripts/compare-ctags.mjs");

/** What must agree; docs/guide/code.md tells how the rest differs. */
const least: Readonly<Record<string, number>> = {
  "typescript function": 0.99,
  "typescript class": 0.98,
  "typescript interface": 0.99,
  "typescript method": 0.9,
  "typescript enum": 0.95,
  "javascript function": 0.97,
  "javascript method": 0.8,
  "c function": 0.99,
  "c struct": 0.99,
  "c macro": 0.99,
  "cpp function": 0.99,
  "cpp class": 0.99,
};

describe("agreement with universal-ctags", () => {
  it("finds what ctags finds in real packages, for the kinds that both mean alike", async ({ annotate }) => {
    const { hasCtags, filesIn, compare } = (await import(script)) as Comparison;
    if (!hasCtags()) {
      await annotate("universal-ctags is NOT INSTALLED here: the agreement was not checked", "warning");
      process.stderr.write("\nuniversal-ctags is NOT INSTALLED here: the agreement was NOT CHECKED\n");
      return;
    }
    const packages = [
      "zod/src/v3",
      "undici/lib/core",
      "commander/lib",
      "sharp/src",
      "@photostructure/sqlite/src",
    ];
    const files = packages.flatMap((name) => filesIn(join(root, "node_modules", name), 40));
    const { counts } = await compare(files);
    const checked = Object.entries(least).filter(([kind]) => (counts.get(kind)?.all ?? 0) > 0);
    expect(checked.length).toBeGreaterThan(8);
    for (const [kind, share] of checked) {
      const { all, found } = counts.get(kind)!;
      expect(found / all, `${kind}: ${found} of ${all}`).toBeGreaterThanOrEqual(share);
    }
  }, 120_000);
});
