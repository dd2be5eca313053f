import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSyntax } from "./create-syntax.js";
import { languages } from "./languages/index.js";
import { outlineSource } from "./outline-source.js";
import { randomCases } from "../../test/setup/random-cases.js";
import { underLoad } from "../../test/setup/under-load.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const corpus = join(import.meta.dirname, "testing/corpus");
const samples = readdirSync(corpus)
  .filter((name) => name.endsWith(".txt"))
  .map((name) => basename(name, ".txt"));

/** One line a symbol, so that a difference reads like the outline it is. */
async function outlineOf(language: string): Promise<string> {
  const syntax = createSyntax();
  expect(await syntax.load(language)).toBe(true);
  const text = readFileSync(join(corpus, `${language}.txt`), "utf8");
  const symbols = syntax.outline(text, language) ?? [];
  const lines = symbols.map(
    ({ kind, name, container, line, column, endLine, depth, signature }) =>
      `${line}:${column}-${endLine} ${"  ".repeat(depth)}${kind} ${container === undefined ? "" : `${container}.`}${name} | ${signature}`,
  );
  return `${lines.join("\n")}\n`;
}

describe("definitions of a language", () => {
  it("has a sample of every grammar", () => {
    const grammars = new Set([...languages.values()].map((language) => language.grammar));
    const sampled = new Set(samples.map((name) => languages.get(name)?.grammar));
    expect([...grammars].filter((grammar) => !sampled.has(grammar))).toEqual([]);
  });

  it.each(samples)("%s: finds each one with its kind, place and signature", async (language) => {
    await expect(await outlineOf(language)).toMatchFileSnapshot(join(corpus, `${language}.symbols`));
  });

  it.each(samples)("%s: finds the same in a large file", async (language) => {
    const syntax = createSyntax();
    await syntax.load(language);
    const text = readFileSync(join(corpus, `${language}.txt`), "utf8");
    // Files from a size on are searched in parts.
    expect(syntax.symbols(text + " ".repeat(250_000), language)).toEqual(syntax.symbols(text, language));
  });

  it("gives lines and columns in the text as it is, beyond the first plane too", async () => {
    const syntax = createSyntax();
    await syntax.load("typescript");
    const [symbol] = syntax.symbols("/* 😀😀 */ function après() {}\r\n", "typescript") ?? [];
    expect(symbol).toMatchObject({ name: "après", line: 1, column: 21 });
  });

  it("answers nothing for a language without a grammar", async () => {
    const syntax = createSyntax();
    expect(syntax.supports("cobol")).toBe(false);
    expect(await syntax.load("cobol")).toBe(false);
    expect(syntax.symbols("x", "cobol")).toBeUndefined();
    expect(await outlineSource("x", "cobol", syntax)).toBeUndefined();
  });

  it("finds what it can in a file that does not parse", async () => {
    const syntax = createSyntax();
    await syntax.load("typescript");
    const broken = "function good() { return 1 }\nclass Half { method( {\n<<<<<<< HEAD\nconst x = ;\n";
    expect(syntax.symbols(broken, "typescript")?.map((symbol) => symbol.name)).toContain("good");
  });

  it("gives up on a text that takes too long", async () => {
    const syntax = createSyntax();
    await syntax.load("cpp");
    const hard = "a<b<".repeat(300_000);
    const before = performance.now();
    expect(syntax.symbols(hard, "cpp", { timeoutMs: 50 })).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(underLoad(5_000));
    expect(syntax.symbols("int after;", "cpp")).toHaveLength(1);
  });

  it("never throws, whatever the text", async () => {
    const syntax = createSyntax();
    const names = [...languages.keys()];
    for (const name of names) await syntax.load(name);
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.string({ unit: anyCharacter, maxLength: 300 }),
        (name, text) => {
          const symbols = syntax.outline(text, name) ?? [];
          for (const symbol of symbols) expect(symbol.endLine).toBeGreaterThanOrEqual(symbol.startLine);
          // Without the outline, the same symbols.
          const places = symbols.map(({ kind, name: own, line, column, container }) => [
            kind,
            own,
            line,
            column,
            container,
          ]);
          const found = syntax.symbols(text, name) ?? [];
          expect(found.map((one) => [one.kind, one.name, one.line, one.column, one.container])).toEqual(
            places,
          );
        },
      ),
      { numRuns: randomCases(300) },
    );
  });
});
