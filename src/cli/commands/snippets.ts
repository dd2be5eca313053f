import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { SnippetStore, SnippetSummary } from "../../contract/ports/snippets.js";
import { nearest } from "../../schema/nearest.js";
import { ago } from "../ago.js";
import { type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeJson, writeResult } from "../output.js";
import { wrap } from "../wrap.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon snippets`: saved pieces of code. */
export const addSnippets: AddCommand = (program, terminal) => {
  addCommand(program, "snippets", "List saved snippets, or print one")
    .argument("[name]", "name or id of the snippet to print")
    .option("--query <words>", "only matching snippets, best match first")
    .option("--language <name>", "only one language")
    .option("--tag <name...>", "only snippets with all of these tags")
    .action((name: string | undefined, flags: SnippetFlags) =>
      withTenon(terminal, flags, async (open) => {
        const { snippets } = open.tenon.work;
        if (name !== undefined) return print(terminal, flags, { snippets, name });
        const { query, language, tag: tags } = flags;
        const found = await snippets.list({ query, language, tags });
        writeResult(open, found, () => describeAll(terminal, found, [query, language, tags]));
      }),
    );
};

interface SnippetFlags extends CommonFlags {
  readonly query?: string;
  readonly language?: string;
  readonly tag?: string[];
}

interface SnippetRequest {
  readonly snippets: SnippetStore;
  readonly name: string;
}

async function print(
  terminal: Terminal,
  flags: SnippetFlags,
  { snippets, name }: SnippetRequest,
): Promise<void> {
  const found = await snippets.load(name);
  if (found === undefined) {
    const close = nearest(name, await snippets.names());
    throw new ToolResourceNotFoundError(`Snippet "${name}" not found.`, {
      hint: close === undefined ? "Run: tenon snippets" : `Did you mean "${close}"?`,
    });
  }
  if (flags.json === true) {
    writeJson(terminal, { ...found, history: await snippets.history(name) });
    return;
  }
  // Piped code is written unchanged; at a terminal control characters must not take effect.
  const code = terminal.stdout.isTTY === true ? toVisibleText(found.code) : found.code;
  terminal.stdout.write(code.endsWith("\n") ? code : `${code}\n`);
}

function describeAll(
  terminal: Terminal,
  found: readonly SnippetSummary[],
  filter: readonly unknown[],
): string {
  if (found.length > 0) return found.map((snippet) => block(terminal, snippet)).join("\n");
  if (filter.some((part) => part !== undefined)) return "No matching snippets.";
  return [
    "No snippets yet.",
    "Agents save them with snippet_save. Try:",
    "  tenon call snippet_save name=hello language=js code='console.log(1)'",
  ].join("\n");
}

function block(terminal: Terminal, snippet: SnippetSummary): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const width = (terminal.stdout.columns ?? 100) - 2;
  const { name, language, tags, description, version, updatedAt } = snippet;
  const marks = [language, ...tags.map((tag) => `#${tag}`), `version ${version}`, ago(updatedAt, Date.now())];
  return [
    ...wrap(toVisibleLine(name), width).map((line) => colors.bold(line)),
    ...wrap(toVisibleLine(marks.join(" · ")), width).map((line) => `  ${colors.dim(line)}`),
    ...(description === "" ? [] : wrap(toVisibleText(description), width).map((line) => `  ${line}`)),
  ].join("\n");
}
