import type { ShellCommand } from "../contract/tool.js";
import { echoText } from "./output-filters.js";

/** Which lines of its input a program prints. */
export type LineSelection =
  | { readonly kind: "all" }
  | { readonly kind: "head"; readonly count: number }
  | { readonly kind: "tail"; readonly count: number }
  /** From this line on. */
  | { readonly kind: "from"; readonly line: number }
  /** Ranges of lines, the last one open where `end` is infinite; a line is printed for each range that it is in. */
  | { readonly kind: "ranges"; readonly ranges: readonly (readonly [start: number, end: number])[] }
  /** Each line with its number in front, as `cat -n` does. */
  | { readonly kind: "numbered" };

/** The output of one pipeline of a line. */
export type PrintedStep =
  /** A text that is known without running it; empty for a program of which nothing is known. */
  | { readonly kind: "text"; readonly text: string }
  /** Lines of files, one file after another, as they were selected in turn. */
  | {
      readonly kind: "lines";
      readonly files: readonly string[];
      readonly selections: readonly LineSelection[];
    }
  /** Lines with their numbers, in any selection: `grep -n`, `rg -n`. */
  | { readonly kind: "matches"; readonly files: readonly string[]; readonly cwd: string };

/**
 * The files that a shell line prints, judged by its words. Programs may behave differently, so the caller compares this
 * with the real output. `undefined` if the line is more than a list of pipelines.
 */
export function printedSteps(line: string, commands: readonly ShellCommand[]): PrintedStep[] | undefined {
  const pipelines = pipelinesOf(line, commands);
  return pipelines?.map(([first, ...filters]) => stepOf(first, filters));
}

type Pipeline = readonly [ShellCommand, ...ShellCommand[]];

/** Pipelines that run one after another, and the operators between them. */
function pipelinesOf(line: string, commands: readonly ShellCommand[]): Pipeline[] | undefined {
  const pipelines: [ShellCommand, ...ShellCommand[]][] = [];
  let end = 0;
  for (const command of commands) {
    if (command.via.length > 0) return undefined;
    const between = line.slice(end, command.at.start).trim();
    const last = pipelines.at(-1);
    if (last === undefined ? between === "" : /^(?:;|&&|)$/.test(between)) pipelines.push([command]);
    else if (between === "|" && last !== undefined) last.push(command);
    else return undefined;
    end = command.at.end;
  }
  return /^\s*;?\s*$/.test(line.slice(end)) ? pipelines : undefined;
}

const nothing: PrintedStep = { kind: "text", text: "" };

function stepOf(first: ShellCommand, filters: readonly ShellCommand[]): PrintedStep {
  if (![first, ...filters].every(isPlain)) return nothing;
  const [cwd] = first.cwds ?? [];
  if (cwd === undefined || (first.cwds?.length ?? 0) > 1) return nothing;
  const [name = "", ...args] = first.words;
  if (name === "echo" && filters.length === 0) return { kind: "text", text: echoText(args) };
  if (name === "grep" || name === "rg") return matchesOf(args, cwd);
  const read = selectionOf(name, args);
  if (read === undefined || read.files.length === 0) return nothing;
  const selections = [read.selection];
  for (const { words } of filters) {
    const [filter = "", ...rest] = words;
    const next = selectionOf(filter, rest);
    if (next === undefined || next.files.length > 0) return nothing;
    selections.push(next.selection);
  }
  return { kind: "lines", files: read.files.map((file) => resolvePath(cwd, file)), selections };
}

/** Only errors go elsewhere. */
function isPlain({ redirections }: ShellCommand): boolean {
  return redirections.every(
    ({ op, target }) => (op === ">" && target === "/dev/null") || (op === ">&" && target === "1"),
  );
}

function resolvePath(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

interface Reading {
  readonly selection: LineSelection;
  readonly files: readonly string[];
}

/** The output of a program for its files or its input; `undefined` if its options are not known. */
function selectionOf(name: string, args: readonly string[]): Reading | undefined {
  switch (name) {
    case "cat":
      return readCat(args);
    case "nl":
      return readNumbers(args);
    case "head":
      return readEnds(args, (count) => ({ kind: "head", count }));
    case "tail":
      return readEnds(args, (count, isStart) =>
        isStart ? { kind: "from", line: Math.max(count, 1) } : { kind: "tail", count: Math.abs(count) },
      );
    case "sed":
      return readSed(args);
    default:
      return undefined;
  }
}

function readCat(args: readonly string[]): Reading | undefined {
  const [options, files] = splitOptions(args);
  if (options.some((option) => !/^(?:-[nu]+|--number)$/.test(option))) return undefined;
  const isNumbered = options.some((option) => option === "--number" || option.includes("n"));
  return { selection: isNumbered ? { kind: "numbered" } : { kind: "all" }, files };
}

function readNumbers(args: readonly string[]): Reading | undefined {
  const [options, files] = splitOptions(
    args[0] === "-b" && args[1] === "a" ? ["-ba", ...args.slice(2)] : args,
  );
  return options.join() === "-ba" && files.length <= 1
    ? { selection: { kind: "numbered" }, files }
    : undefined;
}

/** `head` and `tail` of one file; with more of them they print headings. */
function readEnds(
  args: readonly string[],
  select: (count: number, isStart: boolean) => LineSelection,
): Reading | undefined {
  const joined = args.join("\0").replace(/^(?:-n|--lines)\0/, "-n");
  const found = /^(?:-n|--lines=|-)([+-]?\d{1,9})(?:\0|$)/.exec(joined);
  const rest = found === null ? joined : joined.slice(found[0].length);
  const files = rest === "" ? [] : rest.split("\0");
  if (files.length > 1 || files.some((file) => file.startsWith("-"))) return undefined;
  const count = found?.[1] ?? "10";
  return { selection: select(Number(count), count.startsWith("+")), files };
}

/** `sed -n` with ranges of line numbers. */
function readSed(args: readonly string[]): Reading | undefined {
  const [quiet, script = "", ...files] = args.filter((arg, at) => at !== 1 || arg !== "-e");
  if (quiet !== "-n" || files.length > 1 || files.some((file) => file.startsWith("-"))) return undefined;
  const ranges: (readonly [number, number])[] = [];
  for (const part of script.split(/[;\n]/)) {
    const found = /^\s*(\d{1,9})(?:,(\d{1,9}|\$))?\s*p\s*$/.exec(part);
    if (found === null) return undefined;
    const start = Number(found[1]);
    const end = found[2] === undefined ? start : found[2] === "$" ? Infinity : Number(found[2]);
    ranges.push([start, Math.max(start, end)]);
  }
  return { selection: { kind: "ranges", ranges }, files };
}

/** The files of a search: all operands but the pattern, which is checked by its output alone. */
function matchesOf(args: readonly string[], cwd: string): PrintedStep {
  const [options, operands] = splitOptions(args);
  const isNumbered = options.some((option) => /^-[a-zA-Z]*n|^--line-number$/.test(option));
  if (!isNumbered) return nothing;
  return { kind: "matches", files: operands.slice(1).map((file) => resolvePath(cwd, file)), cwd };
}

function splitOptions(args: readonly string[]): readonly [options: string[], operands: string[]] {
  const at = args.indexOf("--");
  const before = at === -1 ? args : args.slice(0, at);
  const isOption = (arg: string): boolean => arg.startsWith("-") && arg !== "-";
  return [
    before.filter(isOption),
    [...before.filter((arg) => !isOption(arg)), ...(at === -1 ? [] : args.slice(at + 1))],
  ];
}
