import { clip, formatPath } from "../schema/format-path.js";

/** One fault of a configuration, and where it is. */
export interface ConfigProblem {
  /** The file, or a name such as "command line" for what came from no file. */
  readonly file: string;
  /** 1-based; absent where the source is code or no file. */
  readonly line?: number;
  readonly column?: number;
  /** The key, such as `tools.perTool.read_file.timeout`; empty for the whole. */
  readonly path: string;
  /** What is wrong and what was expected. Never holds a value, which may be a secret. */
  readonly message: string;
  /** The nearest right key or word. */
  readonly suggestion?: string;
}

const shown = 50;

/** A configuration cannot be used; it holds every fault that was found. */
export class ConfigError extends Error {
  readonly code = "CONFIG_INVALID";
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], options?: { readonly cause?: unknown }) {
    const ordered = inLineOrder(problems);
    super(summarize(ordered), options);
    const [first] = ordered;
    this.file = first?.file ?? "";
    if (first?.line !== undefined) this.line = first.line;
    if (first?.column !== undefined) this.column = first.column;
    this.problems = ordered;
  }

  override get name(): string {
    return "ConfigError";
  }
}

/** The problems of each file by their lines; files stay in the order in which they were read. */
function inLineOrder(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))];
  const lineOf = ({ line = 0, column = 0 }: ConfigProblem): number => line * 100_000 + column;
  return files.flatMap((file) =>
    problems.filter((problem) => problem.file === file).toSorted((a, b) => lineOf(a) - lineOf(b)),
  );
}

function summarize(problems: readonly ConfigProblem[]): string {
  const lines = problems.slice(0, shown).map(describeProblem);
  if (problems.length > shown) lines.push(`… and ${problems.length - shown} more`);
  if (lines.length === 1) return `The configuration cannot be used: ${lines[0]}`;
  return `The configuration cannot be used:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** One problem on one line: where, which key, what, and the nearest right word. */
export function describeProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message, suggestion } = problem;
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? "" : `:${column}`}`;
  const key = path === "" ? "" : `${path}: `;
  const advice = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
  return `${printable(place, 1000)}: ${key}${message}${advice}`;
}

/** A key's path as one would write it in code, safe to show. */
export function showPath(path: readonly PropertyKey[]): string {
  return printable(formatPath(path.map((part) => (typeof part === "number" ? part : String(part)))), 400);
}

/** Text of others, safe to show in a terminal: no control or invisible characters, not endless. */
export function printable(text: string, length = 200): string {
  return clip(text, length).replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
