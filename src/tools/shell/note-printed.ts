import { printedSteps, type LineSelection, type PrintedStep } from "../../command/printed-steps.js";
import type { ToolContext } from "../../contract/context.js";
import { joinRuns, type LineRun } from "../../text/line-runs.js";
import { readPresentFile } from "../file/layers.js";
import { noteSeen } from "../file/note-seen.js";
import type { PresentLines } from "../file/present-lines.js";
import type { ShellResult } from "./shell-result.js";

type NoteDeps = Pick<ToolContext, "files" | "seen" | "shell" | "maxTextChars">;

/**
 * Lines of files that a command printed count as seen. What `cat`, `head`, `sed -n` and the like should have printed is
 * computed from the files and compared with the output: only if both are equal, line by line and to the end, the
 * lines are taken for those of the files. Lines of a search must have their number in front.
 */
export async function notePrinted(result: ShellResult, ctx: NoteDeps): Promise<void> {
  const { stdout, command } = result;
  const isWhole = !result.truncated && result.outputDiff === undefined && result.exitCode === 0;
  if (!isWhole || stdout === "" || stdout.length > (ctx.maxTextChars ?? Infinity)) return;
  const steps = printedSteps(command, ctx.shell?.commands ?? []);
  if (steps === undefined || steps.every(({ kind }) => kind === "text")) return;
  const files = createFileReader(ctx);
  const [only, ...more] = steps;
  const found =
    only?.kind === "matches" && more.length === 0
      ? await findMatches(stdout, only, files)
      : await compareOutput(stdout, steps, files);
  for (const [path, numbers] of found) {
    const file = await files(path);
    if (file !== undefined) note(ctx, file, numbers);
  }
}

/** Numbers of the lines that were printed, by path. */
type Printed = ReadonlyMap<string, ReadonlySet<number>>;

interface ReadableFile {
  readonly path: string;
  readonly identity: string;
  readonly lines: PresentLines;
}

type FileReader = (path: string) => Promise<ReadableFile | undefined>;

const maxFiles = 100;
const maxFileBytes = 4 << 20;

/** Reads a text that the call may read; `undefined` for anything else. */
function createFileReader(ctx: NoteDeps): FileReader {
  const known = new Map<string, Promise<ReadableFile | undefined>>();
  const read: FileReader = async (path) => {
    if (!ctx.files.check(path, "read").allowed) return undefined;
    const stat = await ctx.files.stat(path);
    if (stat?.type !== "file" || stat.size > maxFileBytes) return undefined;
    const { lines } = await readPresentFile(ctx, path);
    return { path, identity: stat.identity, lines };
  };
  return async (path) => {
    const reading = known.get(path) ?? (known.size < maxFiles ? read(path) : Promise.resolve(undefined));
    known.set(path, reading);
    return reading;
  };
}

/** Compare the whole output with what the steps print of the files now; nothing counts if they differ anywhere. */
async function compareOutput(
  stdout: string,
  steps: readonly PrintedStep[],
  files: FileReader,
): Promise<Printed> {
  const expected: string[] = [];
  const printed = new Map<string, Set<number>>();
  for (const step of steps) {
    if (step.kind === "matches") return new Map();
    if (step.kind === "text") {
      expected.push(...linesOf(step.text));
      continue;
    }
    const all: NumberedLine[] = [];
    for (const path of step.files) {
      const file = await files(path);
      if (file === undefined) return new Map();
      all.push(...file.lines.slice(1, file.lines.count).map((text, at) => ({ text, path, number: at + 1 })));
    }
    const selected = step.selections.reduce(select, all);
    for (const { text, path, number } of selected) {
      expected.push(text);
      const numbers = printed.get(path) ?? new Set();
      printed.set(path, numbers.add(number));
    }
  }
  const actual = linesOf(stdout);
  const isSame = actual.length === expected.length && actual.every((line, at) => line === expected[at]);
  return isSame ? printed : new Map();
}

interface NumberedLine {
  readonly text: string;
  readonly path: string;
  readonly number: number;
}

function select(lines: NumberedLine[], selection: LineSelection): NumberedLine[] {
  switch (selection.kind) {
    case "all":
      return lines;
    case "head":
      return lines.slice(0, selection.count);
    case "tail":
      return selection.count === 0 ? [] : lines.slice(-selection.count);
    case "from":
      return lines.slice(selection.line - 1);
    case "numbered":
      return lines.map((line, at) => ({ ...line, text: `${String(at + 1).padStart(6)}\t${line.text}` }));
    default:
      return lines.flatMap((line, at) =>
        selection.ranges.flatMap(([start, end]) => (at + 1 >= start && at + 1 <= end ? [line] : [])),
      );
  }
}

/** Lines of a search, each with the number and the whole text of a line of its file. */
async function findMatches(
  stdout: string,
  { files: named, cwd }: Extract<PrintedStep, { kind: "matches" }>,
  files: FileReader,
): Promise<Printed> {
  const printed = new Map<string, Set<number>>();
  for (const line of linesOf(stdout)) {
    for (const { path, number, text } of readings(line, named, cwd)) {
      const file = await files(path);
      if (file === undefined || number < 1 || number > file.lines.count) continue;
      if (file.lines.line(number) === text) printed.set(path, (printed.get(path) ?? new Set()).add(number));
    }
  }
  return printed;
}

/** `12:text` of the only file, or `path:12:text`; lines around a match have `-` instead of `:`. */
function readings(line: string, named: readonly string[], cwd: string): NumberedLine[] {
  const [only] = named;
  const bare = /^(\d{1,9})[:-](.*)$/s.exec(line);
  if (bare !== null && named.length === 1 && only !== undefined) {
    return [{ path: only, number: Number(bare[1]), text: bare[2] ?? "" }];
  }
  const full = /^(.+?)([:-])(\d{1,9})\2(.*)$/s.exec(line);
  if (full === null) return [];
  const [, path = "", , number, text = ""] = full;
  return [{ path: path.startsWith("/") ? path : `${cwd}/${path}`, number: Number(number), text }];
}

/** Without line ends, and without an empty line after the last one. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function note(ctx: NoteDeps, { path, identity, lines }: ReadableFile, numbers: ReadonlySet<number>): void {
  const runs: LineRun[] = joinRuns(
    [...numbers]
      .toSorted((one, other) => one - other)
      .map((number) => ({ start: number, lines: [lines.line(number)] })),
  );
  for (const { start, lines: own } of runs) {
    noteSeen(ctx, { path, identity, startLine: start, lines: own, totalLines: lines.count, partial: false });
  }
}
