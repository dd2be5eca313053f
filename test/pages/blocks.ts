import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** After the language: `example` and `setup` are not run, `approve` needs a person, a name of a file means that the reader saves the block. */
  readonly words: readonly string[];
  readonly text: string;
}

/** README and all pages that people write; those under `reference/` are generated from the code that other tests check. */
export function pages(): readonly string[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter(
      (file) => file.endsWith(".md") && !file.startsWith("reference/") && !file.includes("node_modules"),
    )
    .map((file) => `docs/${file}`);
  return ["README.md", "CONTRIBUTING.md", ...below.toSorted()];
}

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^( *)```(\S+)([^\n]*)\n([^]*?)^\1```$/gm)].map((match) => {
    const [, indent = "", language = "", words = "", body = ""] = match;
    return {
      page,
      line: text.slice(0, match.index).split("\n").length,
      language,
      words: words.split(/\s+/).filter(Boolean),
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    };
  });
}

export function isRun({ words }: Block): boolean {
  return !words.includes("example") && !words.includes("setup");
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

/** The file that a reader saves the block as. */
export function savedAs({ words }: Block): string | undefined {
  return words.find((word) => /\.\w+$/.test(word));
}
