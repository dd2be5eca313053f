import { refusePattern, walkRules } from "./ripgrep.js";
import { byFileLine, bySeparator, createNames, runRipgrep } from "./run-ripgrep.js";
import type { Ripgrep } from "./start-ripgrep.js";

/** A line that ripgrep reported. */
export interface GrepHit {
  readonly file: string;
  readonly line: number;
  /** The byte at which the line begins; -1 if it is not known. */
  readonly offset: number;
  /** The byte of the line at which the first match begins, from 1; 1 for a line around a match. */
  readonly column: number;
  readonly isMatch: boolean;
}

export interface GrepRun {
  readonly program: Ripgrep;
  /** Absolute real path of the directory to search in. */
  readonly directory: string;
  /** Name of the only file in it to search; all below without it. */
  readonly file: string | undefined;
  readonly pattern: string;
  readonly mode: "content" | "files" | "count";
  readonly context: number;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** A glob for names that leaves out files before they are searched. */
  readonly names: string | undefined;
  /** Which files count, by their path below the directory. */
  readonly wants: (file: string) => boolean;
  /** Told all lines of a file at once, as soon as they are known. */
  readonly onFile: (hits: readonly GrepHit[]) => void;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface GrepFound {
  readonly hits: readonly GrepHit[];
  /** Files with matches, with the number of matching lines where it was asked for. */
  readonly files: readonly { readonly file: string; readonly count: number }[];
  readonly cut: "count" | "time" | undefined;
}

/** More are not collected: nobody reads so many. */
const maxHits = 200_000;

/** Run ripgrep and collect where it found the pattern; the lines to show are read through the guard. */
export async function runGrep(run: GrepRun): Promise<GrepFound> {
  const { program, directory, timeoutMs, signal } = run;
  const found: Found = { hits: [], files: [] };
  const read = run.mode === "content" ? readHits(run, found) : readFiles(run, found);
  const { code, cut, complaint } = await runRipgrep({
    program,
    args: argumentsOf(run),
    directory,
    timeoutMs,
    signal,
    onOutput(chunk, stop) {
      read(chunk);
      if (found.hits.length > maxHits) stop();
    },
  });
  if (code === 2 && found.hits.length === 0 && found.files.length === 0) {
    refusePattern([run.pattern], complaint, "put a backslash before special characters");
  }
  return { hits: found.hits.slice(0, maxHits), files: found.files, cut };
}

const reports = {
  content: [
    "--no-heading",
    "--line-number",
    "--column",
    "--byte-offset",
    "--no-context-separator",
    "--max-columns=1",
  ],
  files: ["--files-with-matches"],
  count: ["--count"],
};

function argumentsOf(run: GrepRun): string[] {
  const { mode, context, ignoreCase, multiline, names, pattern, file } = run;
  return [
    ...walkRules,
    "--color=never",
    "--with-filename",
    "--null",
    "--no-messages",
    ...reports[mode],
    ...(mode === "content" && context > 0 ? [`--context=${context}`] : []),
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    // A type leaves out other names, but keeps to the ignore files, which a glob would override.
    ...(names === undefined ? [] : [`--type-add=wanted:${names}`, "--type=wanted"]),
    `--regexp=${pattern}`,
    "--",
    file === undefined ? "." : `./${file}`,
  ];
}

interface Found {
  readonly hits: GrepHit[];
  readonly files: { readonly file: string; readonly count: number }[];
}

/** Reads `path NUL line:column:offset:…` for matches and `path NUL line-offset-…` for the lines around them. */
function readHits({ wants, onFile }: GrepRun, { hits }: Found): (chunk: Buffer) => void {
  let first = 0;
  return byFileLine(wants, (file, rest) => {
    if (first < hits.length && hits[first]?.file !== file) {
      onFile(hits.slice(first));
      first = hits.length;
    }
    const position = /^(\d+)(?::(\d+):|-)(\d+)[:-]/.exec(rest);
    if (position === null) return;
    const [, line, column, offset] = position;
    hits.push({
      file,
      line: Number(line),
      offset: Number(offset),
      column: Number(column ?? 1),
      isMatch: column !== undefined,
    });
  });
}

/** Reads names that end with NUL, each followed by a count and a line feed if counts were asked for. */
function readFiles({ wants, mode }: GrepRun, { files }: Found): (chunk: Buffer) => void {
  if (mode === "count")
    return byFileLine(wants, (file, rest) => void files.push({ file, count: Number(rest) }));
  const nameOf = createNames(wants);
  return bySeparator(0, (bytes, start, end) => {
    const file = nameOf(bytes.subarray(start, end));
    if (file !== undefined) files.push({ file, count: 0 });
  });
}
