import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { SnippetStore, SnippetSummary } from "../../contract/ports/snippets.js";
import { nearest } from "../../schema/nearest.js";
import { ago } from "../ago.js";
import { withCommonFlags, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { wrap } from "../wrap.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon snippets`: pieces of code that are kept, or one of them. */
export const addSnippets: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("snippets").description("List saved snippets, or print one"))
    .argument("[name]", "name or id of the snippet to print")
    .option("--query <words>", "only those that fit, best first")
    .option("--language <name>", "only one language")
    .option("--tag <name...>", "only those with all of these tags")
    .action((name: string | undefined, flags: SnippetFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        const { snippets } = tenon.work;
        if (name !== undefined) return print(terminal, flags, { snippets, name });
        const { query, language, tag: tags } = flags;
        const found = await snippets.list({ query, language, tags });
        if (flags.json === true) writeJson(terminal, found);
        else terminal.stdout.write(`${list(terminal, found, [query, language, tags])}\n`);
      }),
    );
};

interface SnippetFlags extends CommonFlags {
  readonly query?: string;
  readonly language?: string;
  readonly tag?: string[];
}

interface Wanted {
  readonly snippets: SnippetStore;
  readonly name: string;
}

async function print(terminal: Terminal, flags: SnippetFlags, { snippets, name }: Wanted): Promise<void> {
  const found = await snippets.load(name);
  if (found === undefined) {
    const close = nearest(name, await snippets.names());
    throw new ToolResourceNotFoundError(`Snippet "${name}" was not found.`, {
      hint: close === undefined ? "List what there is with: tenon snippets" : `Did you mean "${close}"?`,
    });
  }
  if (flags.json === true) {
    writeJson(terminal, { ...found, history: await snippets.history(name) });
    return;
  }
  // Piped, the code is the code; at a terminal it must not take it over.
  const code = terminal.stdout.isTTY === true ? toVisibleText(found.code) : found.code;
  terminal.stdout.write(code.endsWith("\n") ? code : `${code}\n`);
}

function list(terminal: Terminal, found: readonly SnippetSummary[], filter: readonly unknown[]): string {
  if (found.length > 0) return found.map((snippet) => block(terminal, snippet)).join("\n");
  if (filter.some((part) => part !== undefined)) return "No snippet fits.";
  return [
    "No snippets are saved yet.",
    "Agents save with snippet_save. To try it:",
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
