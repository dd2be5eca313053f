import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSyntax } from "../../../syntax/create-syntax.js";
import { IntList } from "./int-list.js";
import { coreOf } from "./name-fits.js";
import { NamePool } from "./name-pool.js";
import { scanNames } from "./scan-names.js";

const root = join(import.meta.dirname, "../../../..");
const syntax = createSyntax();
const corpus = join(root, "src/syntax/testing/corpus");

function scanned(text: string | Uint8Array, language: string): Set<string> {
  const pool = new NamePool();
  const found = new IntList();
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  scanNames(bytes, language, { pool, stamps: { values: new Int32Array(4), file: 0 }, found });
  const names = Buffer.from(pool.takeNew()).toString().split("\n");
  return new Set(Array.from(found.view(), (note) => names[note >> 1]!));
}

/** Definitions of the tree that the scan did not note. */
async function missed(text: string, language: string): Promise<{ all: number; missed: string[] }> {
  await syntax.load(language);
  const possibleNames = scanned(text, language);
  const names = (syntax.symbols(text, language) ?? []).map(({ name }) => name);
  return {
    all: names.length,
    missed: names.filter((name) => !possibleNames.has(name) && !possibleNames.has(coreOf(name))),
  };
}

describe("the quick look at a file", () => {
  it("notes names that look defined, and not every mention", () => {
    const names = scanned(
      "import { used } from 'x';\nfunction made(a: number) { return used(a) + other.thing; }\n",
      "typescript",
    );
    expect([...names]).toEqual(expect.arrayContaining(["made"]));
    expect(names.has("thing")).toBe(false);
  });

  it("misses few of the corpus of every language, and says which", async () => {
    const files = readdirSync(corpus).filter((name) => name.endsWith(".txt"));
    const results = await Promise.all(
      files.map((name) => missed(readFileSync(join(corpus, name), "utf8"), name.slice(0, -4))),
    );
    const all = results.reduce((sum, result) => sum + result.all, 0);
    // Names inside calls and patterns: `define('MODE')`, `[first] = list`, `macro_rules! shout`; the tree finds them.
    expect(all).toBeGreaterThan(200);
    expect(results.flatMap((result) => result.missed).length / all).toBeLessThan(0.03);
  });

  it("misses less than one definition in a hundred of a real package", async () => {
    const folder = join(root, "node_modules/zod/src/v4/core");
    let [all, lost] = [0, 0];
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".ts"))) {
      const result = await missed(readFileSync(join(folder, name), "utf8"), "typescript");
      all += result.all;
      lost += result.missed.length;
    }
    expect(all).toBeGreaterThan(500);
    expect(lost / all).toBeLessThan(0.01);
  });

  it("takes any bytes, and gives back names that stand in them", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        fc.constantFrom("typescript", "css", "php", "go"),
        (bytes, language) => {
          const text = Buffer.from(bytes).toString("latin1");
          for (const name of scanned(bytes, language)) {
            const own = Buffer.from(name).toString("latin1");
            if (!name.includes("\uFFFD")) expect(text).toContain(own);
          }
        },
      ),
    );
  });

  it("gives equal names one number, however many there are", () => {
    const pool = new NamePool();
    const source = Buffer.from(
      Array.from({ length: 100_000 }, (_, at) => `let name${at % 70_000} = 1;`).join("\n"),
    );
    const found = new IntList();
    const stamps = { values: new Int32Array(4), file: 0 };
    scanNames(source, "javascript", { pool, stamps, found });
    scanNames(source, "javascript", { pool, stamps, found });
    expect(pool.count).toBe(70_000);
    expect(found.length).toBe(140_000);
    expect(Buffer.from(pool.takeNew()).toString().split("\n")[69_999]).toBe("name69999");
    expect(pool.takeNew()).toHaveLength(0);
  });
});
