import {
  memoryKinds,
  type FoundMemory,
  type MemoryKind,
  type MemoryScope,
} from "../../contract/ports/memories.js";
import { ago } from "../ago.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { wrap } from "../wrap.js";
import { foldNote, toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon memory`: what agents remember. */
export const addMemory: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("memory").description("Look up what agents remember"))
    .argument("[query...]", "words to look for; the newest memories without them")
    .option("--scope <name>", `what to look through: ${scopes.join(", ")}`, "all")
    .option("--kind <name>", `only one kind: ${memoryKinds.join(", ")}`)
    .option("--limit <n>", "most memories to show", "20")
    .action(async (words: string[], flags: MemoryFlags) => {
      const limit = toLimit(flags.limit);
      const scope = oneOf("scope", flags.scope, scopes);
      const kind = flags.kind === undefined ? undefined : oneOf("kind", flags.kind, memoryKinds);
      await withTenon(terminal, flags, async ({ tenon }) => {
        const query = words.join(" ");
        const found = await tenon.work.memories.query({ query, scope, kind, limit });
        if (flags.json === true) writeJson(terminal, found);
        else terminal.stdout.write(`${show(terminal, found, { query, kind })}\n`);
      });
    });
};

interface MemoryFlags extends CommonFlags {
  readonly scope: string;
  readonly kind?: string;
  readonly limit: string;
}

const scopes = ["all", "smart", "project", "iteration"] as const satisfies readonly MemoryScope[];

function oneOf<Name extends string>(flag: string, word: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === word);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} takes one of ${names.join(", ")}, not "${word}".`);
}

function toLimit(word: string): number {
  const limit = Number(word);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit;
  throw new UsageError(`--limit takes a whole number from 1 to 100, not "${word}".`);
}

interface Asked {
  readonly query: string;
  readonly kind: MemoryKind | undefined;
}

function show(terminal: Terminal, found: readonly FoundMemory[], { query, kind }: Asked): string {
  if (found.length > 0) return found.map((memory) => block(terminal, memory)).join("\n\n");
  if (query !== "" || kind !== undefined) return "Nothing that is remembered fits. Try fewer or other words.";
  return [
    "Nothing is remembered yet.",
    "Agents remember with save_insight, save_issue and save_learning. To try it:",
    "  tenon call save_insight title='Readers never wait' content='The database is in WAL mode.'",
  ].join("\n");
}

const linesShown = 6;

function block(terminal: Terminal, memory: FoundMemory): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const width = (terminal.stdout.columns ?? 80) - 2;
  const marks = [
    memory.kind,
    ...(memory.status === undefined ? [] : [memory.status]),
    memory.layer === "project" ? "project" : memory.iterationId,
    ago(memory.createdAt, Date.now()),
    ...memory.tags.map((tag) => `#${tag}`),
  ].join(" · ");
  const more = [
    ...(memory.resolution === undefined ? [] : [`Resolved: ${memory.resolution}`]),
    ...(memory.rationale === undefined ? [] : [`Because: ${memory.rationale}`]),
    ...(memory.whenToUse === undefined ? [] : [`When: ${memory.whenToUse}`]),
    ...(memory.origin === undefined ? [] : [`From ${memory.origin}`]),
  ];
  const content = wrap(toVisibleText(memory.content), width);
  const shown =
    content.length <= linesShown
      ? content
      : [...content.slice(0, linesShown - 1), ...wrap(foldedLines(content), width)];
  const [title = "", ...rest] = wrap(`${memory.id} ${toVisibleLine(memory.title)}`, width);
  return [
    [title, ...rest.map((line) => `  ${line}`)].map((line) => colors.bold(line)).join("\n"),
    ...wrap(toVisibleLine(marks), width).map((line) => `  ${colors.dim(line)}`),
    ...[...shown, ...more.flatMap((line) => wrap(toVisibleLine(line), width))].map((line) => `  ${line}`),
  ].join("\n");
}

/** What of a memory is not listed; get_relevant_memories and --json have it whole. */
function foldedLines(content: readonly string[]): string {
  const rest = content.slice(linesShown - 1);
  return foldNote({ hiddenLines: rest.length, hiddenCharacters: rest.join("\n").length });
}
