import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../src/cli/main.js";
import { silentTerminal } from "../src/cli/testing/run-tenon.js";
import { checkConfig } from "../src/config/check-config.js";
import { loadSource } from "../src/config/load-source.js";
import * as tenon from "../src/index.js";
import { blocksOf, isRun, pages, placeOf, root, savedAs, type Block } from "./pages/blocks.js";
import { checkTypes } from "./pages/check-types.js";
import { openPageFolder, type PageFolder } from "./pages/run-page.js";

const all = pages().flatMap(blocksOf);
const inLanguage = (language: string): readonly Block[] => all.filter((block) => block.language === language);

describe("blocks of the docs", () => {
  it("are in a language that is checked here, or are output", () => {
    const checked = new Set(["ts", "sh", "json", "jsonl", "yaml", "toml", "text", "console"]);
    expect(all.filter(({ language }) => !checked.has(language)).map(placeOf)).toEqual([]);
  });

  it("in TypeScript compile against the built package", async () => {
    const names = Object.keys(tenon).filter((name) => /^[a-z]/.test(name) && name !== "tenon");
    expect(await checkTypes(inLanguage("ts").filter(isRun), names)).toEqual([]);
  });

  it("are the same in a translated page", () => {
    const plain = (block: Block): string => block.text.replaceAll(/ *# .*$/gm, "");
    for (const page of pages().filter((each) => each.startsWith("docs/zh/guide/")))
      expect(blocksOf(page).map(plain)).toEqual(blocksOf(page.replace("zh/", "")).map(plain));
  });

  it("in YAML are valid configuration", async () => {
    const faults = await Promise.all(
      inLanguage("yaml")
        .filter(isRun)
        .map(async (block) => {
          const file = placeOf(block);
          const source = { file, format: "yaml", text: block.text, digest: "", identity: "" } as const;
          return loadSource(source, undefined).then(
            () => [],
            (error: Error) => [error.message],
          );
        }),
    );
    expect(faults.flat()).toEqual([]);
  });

  it.each(["json", "jsonl"])("in %s are valid, and rules and calls have known keys", (language) => {
    const shellKeys = keysOf(tenon.builtInTools.shell_exec.input);
    const inputKeys = keysOf(tenon.builtInTools.shell_input.input);
    const problems = inLanguage(language)
      .filter(isRun)
      .flatMap((block) =>
        (language === "json" ? [block.text] : block.text.trim().split("\n")).flatMap((text) => {
          const value = JSON.parse(text) as Record<string, unknown>;
          if ("decision" in value)
            return checkConfig({ policy: { rules: [value] } }).map(({ message }) => message);
          const keys = "job_id" in value ? inputKeys : "command" in value ? shellKeys : Object.keys(value);
          return Object.keys(value)
            .filter((key) => !keys.includes(key))
            .map((key) => `${placeOf(block)}: ${key}`);
        }),
      );
    expect(problems).toEqual([]);
  });
});

describe("commands in the docs", () => {
  it("exist, with their options, in blocks and in the text", () => {
    const program = createProgram(silentTerminal(root));
    const inBlocks = [...inLanguage("sh"), ...inLanguage("console")].flatMap((block) =>
      block.text.split("\n").map((line) => [placeOf(block), line.replace(/^\$ /, "")] as const),
    );
    const inText = pages().flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/`(tenon [a-z][^`\n]*)`/g)].map(
        ([, line = ""]) => [page, line] as const,
      ),
    );
    const commands = [...inBlocks, ...inText].filter(([, line]) => /^tenon [a-z]/.test(line));
    expect(commands.length).toBeGreaterThan(100);
    expect(
      commands.flatMap(([place, line]) =>
        problemWith(program, line).map((what) => `${place}: ${line}: ${what}`),
      ),
    ).toEqual([]);
  });

  const shell = all.filter(
    (block) =>
      isRun(block) &&
      (block.language === "sh" || savedAs(block) !== undefined) &&
      !block.page.startsWith("docs/zh/"),
  );
  describe.each([...new Set(shell.map(({ page }) => page))])("of %s", (page) => {
    let folder: PageFolder;
    beforeAll(() => {
      folder = openPageFolder();
    });
    afterAll(() => folder.close());

    it.each(shell.filter((block) => block.page === page).map((block) => [block.line, block] as const))(
      "run (line %i)",
      async (_line, block) => {
        const { code, output } = await folder.run(block);
        expect(code, output).toBe(0);
      },
    );
  });
});

/** Why a line cannot be run; the options of the shell and what follows `--` are not looked at. */
function problemWith(program: Command, line: string): string[] {
  const [text = ""] = line.split(/ (?:--|#|\||&&|…)(?: |$)/);
  const words = text.split(/\s+/).slice(1);
  let command = program;
  let rest = words;
  for (const name of words) {
    const found = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    if (found === undefined) break;
    command = found;
    rest = rest.slice(1);
  }
  if (command === program) return [`there is no command "${words[0]}"`];
  const known = new Set(
    lineage(command).flatMap((each) => each.options.flatMap(({ long, short }) => [long, short])),
  );
  const options = rest.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/[=,].*$/, ""));
  return options
    .filter((option) => option !== "--help" && !known.has(option))
    .map((option) => `no option ${option}`);
}

function lineage(command: Command): Command[] {
  return [command, ...(command.parent === null ? [] : lineage(command.parent))];
}

/** The keys that the input of a built-in tool takes; its schema is a Zod object. */
function keysOf(input: unknown): string[] {
  return Object.keys((input as { readonly shape: object }).shape);
}
