import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { scenes } from "../scripts/terminal/scenes.mjs";
import { createProgram } from "../src/cli/main.js";
import { silentTerminal } from "../src/cli/testing/run-tenon.js";
import { errorCodes } from "../src/contract/error-codes.js";
import { toolStates } from "../src/contract/lifecycle.js";
import { legalTransitions } from "../src/registry/lifecycle.js";
import { ToolRegistry } from "../src/registry/tool-registry.js";
import { createBuiltInTools } from "../src/runtime/catalogue/built-in-tools.js";
import { builtInTypes } from "./generate/built-in-types.js";

const root = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** These pages are written by the code: `npx vitest run test/docs -u` renews them. */
describe("generated pages", () => {
  it("docs/reference/errors.md says what the table of codes says", async () => {
    const rows = Object.entries(errorCodes)
      .toSorted(([, one], [, other]) => one.type.localeCompare(other.type))
      .map(([code, { type, meaning, hint }]) => `| \`${code}\` | \`${type}\` | ${meaning} | ${hint} |`);
    const page = [
      "# Error codes",
      "",
      "Every failed call answers with `error: { type, code, message, hint?, retryable, details? }`. The type is the class,",
      "the code is stable and safe to branch on; the message and the hint are for people and models.",
      "",
      "| code | type | what happened | what to do |",
      "| --- | --- | --- | --- |",
      ...rows,
      "",
    ].join("\n");
    await expect(page).toMatchFileSnapshot("../docs/reference/errors.md");
  });

  it("docs/reference/lifecycle.md says what the life cycle allows", async () => {
    const rows = toolStates.map((from) => {
      const to = toolStates.filter((state) => legalTransitions[from].includes(state));
      return `| ${from} | ${to.length === 0 ? "nothing: it is gone" : to.join(", ")} |`;
    });
    const page = [
      "# The life of a tool",
      "",
      "| from | to |",
      "| --- | --- |",
      ...rows,
      "",
      "`Executing` means that at least one call runs. A tool starts (`init`) at its first call. Repeated critical errors",
      "disable it, and a probe brings it back; a tool that a person disabled stays so until a person enables it.",
      "Any other change of state is refused with `TRANSITION_ILLEGAL`.",
      "",
    ].join("\n");
    await expect(page).toMatchFileSnapshot("../docs/reference/lifecycle.md");
  });

  it("docs/reference/cli.md says what --help says", async () => {
    const program = createProgram(silentTerminal(root));
    const page = ["# The command line", "", ...helpOf(program, "tenon"), ...walk(program, "tenon")].join(
      "\n",
    );
    await expect(page).toMatchFileSnapshot("../docs/reference/cli.md");
  });
});

describe("generated types", () => {
  it("src/contract/built-in-types.ts has the input and result of every built-in tool", async () => {
    const registry = new ToolRegistry();
    registry.registerMany(createBuiltInTools());
    const tools = registry.list().flatMap(({ name }) => registry.describe(name) ?? []);
    await expect(builtInTypes(tools)).toMatchFileSnapshot("../src/contract/built-in-types.ts");
  });
});

describe("docs/guide/terminal.md", () => {
  it("shows every command, and uses every recorded picture", () => {
    const page = read("docs/guide/terminal.md");
    const commands = createProgram(silentTerminal(root)).commands.map((command) => command.name());
    const missing = commands.filter(
      (name) => !["help", "complete"].includes(name) && !page.includes(`tenon ${name}`),
    );
    expect(missing).toEqual([]);
    const pictures = readdirSync(join(root, "docs/images")).filter((file) => file.startsWith("terminal-"));
    expect(pictures.toSorted()).toEqual(
      Object.keys(scenes)
        .map((name) => `terminal-${name}.svg`)
        .toSorted(),
    );
    expect(pictures.filter((file) => !page.includes(`images/${file}`))).toEqual([]);
  });
});

describe("the README", () => {
  it("shows the quick start as it runs in the examples", () => {
    expect(read("README.md")).toContain(`\`\`\`ts\n${read("examples/quick-start.ts")}\`\`\``);
  });

  it("gives the test command that CI runs", () => {
    const command = read(".ci/run").trim().split("\n").at(-1) ?? "";
    expect(command).not.toBe("");
    expect(read("README.md")).toContain(command);
  });
});

describe("links", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => join("docs", file)),
  ];

  const anchors = new Map<string, ReadonlySet<string>>();

  it.each(pages)("in %s lead to a file and a heading in it", (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    for (const [, file = "", anchor] of targets) {
      const target = file === "" ? page : join(dirname(page), file);
      expect(() => read(target), target).not.toThrow();
      if (anchor === undefined) continue;
      const known = anchors.get(target) ?? anchorsOf(read(target));
      anchors.set(target, known);
      expect(known.has(decodeURIComponent(anchor)), `${target}#${anchor}`).toBe(true);
    }
  });

  it.each(pages)("and text in %s have no tags that the docs site would take for components", (page) => {
    const tags = marked.lexer(read(page)).flatMap(function tagsIn(token): string[] {
      if (token.type === "html") return token.raw.match(/<[a-z][^>]*>/gi) ?? [];
      return (("tokens" in token ? token.tokens : undefined) ?? []).flatMap(tagsIn);
    });
    expect(tags).toEqual([]);
  });
});

/** The anchors of a page's headings, as GitHub and the docs site name them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}

function* walk(command: Command, path: string): Generator<string> {
  for (const child of command.commands) {
    if (child.name() === "help" || child.name() === "complete") continue;
    yield* helpOf(child, `${path} ${child.name()}`);
    yield* walk(child, `${path} ${child.name()}`);
  }
}

function helpOf(command: Command, name: string): string[] {
  return [
    `## ${name}`,
    "",
    "```text",
    command
      .configureHelp({ ...command.configureHelp(), helpWidth: 100 })
      .helpInformation()
      .trimEnd(),
    "```",
    "",
  ];
}
