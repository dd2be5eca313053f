import {
  memoryKinds,
  type FoundMemory,
  type MemoryKind,
  type MemoryScope,
} from "../../contract/ports/memories.js";
import { ago } from "../ago.js";
import { type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeResult } from "../output.js";
import { wrap } from "../wrap.js";
import { foldNote, toVisibleLine, toVisibleText } from "../../text/visible-text.js";
import { wholeNumber, oneOf } from "../whole-number.js";

/** `tenon memory`: what agents remember. */
export const addMemory: AddCommand = (program, terminal) => {
  addCommand(program, "memory", "Search what agents remember")
    .argument("[query...]", "words to search for (default: show the newest memories)")
    .option("--scope <name>", `where to search: ${scopes.join(", ")}`, "all")
    .option("--kind <name>", `only one kind: ${memoryKinds.join(", ")}`)
    .option("--limit <n>", "maximum number of memories", "20")
    .action(async (words: string[], flags: MemoryFlags) => {
      const limit = wholeNumber("--limit", flags.limit, 100);
      const scope = oneOf("--scope", flags.scope, scopes);
      const kind = flags.kind === undefined ? undefined : oneOf("--kind", flags.kind, memoryKinds);
      await withTenon(terminal, flags, async (open) => {
        const query = words.join(" ");
        const found = await open.tenon.work.memories.query({ query, scope, kind, limit });
        writeResult(open, found, () => describeMemories(terminal, found, { query, kind }));
      });
    });
};

interface MemoryFlags extends CommonFlags {
  readonly scope: string;
  readonly kind?: string;
  readonly limit: string;
}

const scopes = ["all", "smart", "project", "iteration"] as const satisfies readonly MemoryScope[];

interface MemoryQuery {
  readonly query: string;
  readonly kind: MemoryKind | undefined;
}

function describeMemories(
  terminal: Terminal,
  found: readonly FoundMemory[],
  { query, kind }: MemoryQuery,
): string {
  if (found.length > 0) return found.map((memory) => block(terminal, memory)).join("\n\n");
  if (query !== "" || kind !== undefined) return "No matching memories. Try fewer or different words.";
  return [
    "No memories yet.",
    "Agents save them with save_insight, save_issue and save_learning. Try:",
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

/** A note about the lines that are not listed; get_relevant_memories and --json have all of them. */
function foldedLines(content: readonly string[]): string {
  const rest = content.slice(linesShown - 1);
  return foldNote({ hiddenLines: rest.length, hiddenCharacters: rest.join("\n").length });
}
