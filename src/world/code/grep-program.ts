import { spawn } from "node:child_process";
import { throwIfAborted } from "../files/file-errors.js";
import { refusePattern, walkRules } from "./ripgrep.js";

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
  readonly program: string;
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
  throwIfAborted(run.signal);
  const child = spawn(run.program, argumentsOf(run), {
    cwd: run.directory,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  let cut: GrepFound["cut"];
  const stop = (why: GrepFound["cut"]): void => {
    cut ??= why;
    child.kill("SIGKILL");
  };
  const cancel = (): void => stop(undefined);
  const timer = setTimeout(() => stop("time"), run.timeoutMs);
  run.signal.addEventListener("abort", cancel, { once: true });
  const reader = run.mode === "content" ? readHits(run, () => stop("count")) : readFiles(run);
  child.stdout.on("data", (chunk: Buffer) => {
    if (cut === undefined) reader.push(chunk);
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < 4000) complaint += chunk.toString("utf8");
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    throwIfAborted(run.signal);
    if (code === 2 && reader.isEmpty()) refusePattern([run.pattern], complaint);
    return { hits: reader.hits, files: reader.files, cut };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", cancel);
  }
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

interface Reader {
  readonly hits: GrepHit[];
  readonly files: { readonly file: string; readonly count: number }[];
  push(chunk: Buffer): void;
  isEmpty(): boolean;
}

/** Reads `path NUL line:column:offset:…` for matches and `path NUL line-offset-…` for the lines around them. */
function readHits({ wants }: GrepRun, full: () => void): Reader {
  const hits: GrepHit[] = [];
  const nameOf = createNames(wants);
  const push = bySeparator(10, (bytes, start, end) => {
    const nul = bytes.indexOf(0, start);
    if (nul === -1 || nul > end) return;
    const file = nameOf(bytes.subarray(start, nul));
    if (file === undefined) return;
    const position = /^(\d+)(?::(\d+):|-)(\d+)[:-]/.exec(
      bytes.toString("latin1", nul + 1, Math.min(end, nul + 80)),
    );
    if (position === null) return;
    if (hits.length >= maxHits) return full();
    const [, line, column, offset] = position;
    hits.push({
      file,
      line: Number(line),
      offset: Number(offset),
      column: Number(column ?? 1),
      isMatch: column !== undefined,
    });
  });
  return { hits, files: [], push, isEmpty: () => hits.length === 0 };
}

/** Reads names that end with NUL, each followed by a count and a line feed if counts were asked for. */
function readFiles({ wants, mode }: GrepRun): Reader {
  const files: { file: string; count: number }[] = [];
  const nameOf = createNames(wants);
  const push = bySeparator(mode === "count" ? 10 : 0, (bytes, start, end) => {
    const nul = mode === "count" ? bytes.indexOf(0, start) : end;
    if (nul === -1 || nul > end) return;
    const file = nameOf(bytes.subarray(start, nul));
    const count = mode === "count" ? Number(bytes.toString("latin1", nul + 1, end)) : 0;
    if (file !== undefined) files.push({ file, count });
  });
  return { hits: [], files, push, isEmpty: () => files.length === 0 };
}

/** Calls `take` for every part of a stream that ends with a byte. */
function bySeparator(
  separator: number,
  take: (bytes: Buffer, start: number, end: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, start)) {
      take(bytes, start, end);
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  };
}

/** The name of a file from its bytes; `undefined` if it does not count. The same name mostly comes again. */
function createNames(wants: (file: string) => boolean): (raw: Buffer) => string | undefined {
  let last: Buffer = Buffer.alloc(0);
  let name: string | undefined;
  return (raw) => {
    if (raw.equals(last)) return name;
    last = Buffer.from(raw);
    const file = raw.toString("utf8").replace(/^\.\//, "");
    name = wants(file) ? file : undefined;
    return name;
  };
}
