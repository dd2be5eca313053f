import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { ToolValidationError } from "../../contract/errors.js";
import { throwIfAborted } from "../files/file-errors.js";

/** Where a pattern was found; the column counts bytes of UTF-8 from 1. */
export interface TextHit {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface TextSearch {
  /** Absolute path of the program. */
  readonly program: string;
  /** Absolute real path of the directory to search in. */
  readonly directory: string;
  /** Names of files in it; none for everything below. */
  readonly files?: readonly string[] | undefined;
  readonly patterns: readonly string[];
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly wholeWords?: boolean | undefined;
  /** Most lines of one file. */
  readonly perFile: number;
  /** Most lines of all files. */
  readonly maxHits: number;
  /** Which files count, by their path below the directory. */
  readonly wants: (file: string) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface TextHits {
  readonly hits: readonly TextHit[];
  /** Why there may be more: too many, or too slow. */
  readonly cut: "count" | "time" | undefined;
}

/** The path of ripgrep's program, or `undefined` where the package has none for this machine. */
export function findRipgrep(): string | undefined {
  const own = createRequire(import.meta.url);
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    // The package itself is ESM and cannot be required on every version of Node.
    const within = createRequire(own.resolve("@vscode/ripgrep"));
    const file = within.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Find lines with ripgrep. Only positions are used: the lines to show are read through the guard. Its regular
 * expressions take linear time, so no pattern can hang it.
 */
export async function searchText(search: TextSearch): Promise<TextHits> {
  throwIfAborted(search.signal);
  const child = spawn(search.program, argumentsOf(search), {
    cwd: search.directory,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const hits: TextHit[] = [];
  let cut: TextHits["cut"];
  const stop = (why: TextHits["cut"]): void => {
    cut ??= why;
    child.kill("SIGKILL");
  };
  const cancel = (): void => stop(undefined);
  const timer = setTimeout(() => stop("time"), search.timeoutMs);
  search.signal.addEventListener("abort", cancel, { once: true });
  const reader = createHitReader(search.wants, (hit) => {
    if (hits.length < search.maxHits) hits.push(hit);
    else stop("count");
  });
  child.stdout.on("data", (chunk: Buffer) => {
    if (cut === undefined) reader(chunk);
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
    throwIfAborted(search.signal);
    if (code === 2 && hits.length === 0 && search.regex) refusePattern(search.patterns, complaint);
    return { hits, cut };
  } finally {
    clearTimeout(timer);
    search.signal.removeEventListener("abort", cancel);
  }
}

/** The same ignore rules as `Files.walk`: .gitignore files and .git/info/exclude, nothing else. */
export const walkRules = [
  "--no-config",
  "--hidden",
  "--no-follow",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-global",
  "--glob=!.git",
];
const report = [
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--null",
  "--line-number",
  "--column",
  // The line itself is not needed: longer ones are left out of the output.
  "--max-columns=1",
  "--no-messages",
];

function argumentsOf(search: TextSearch): string[] {
  const { patterns, regex, ignoreCase, perFile, files } = search;
  return [
    ...walkRules,
    ...report,
    `--max-count=${perFile}`,
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(regex ? [] : ["--fixed-strings"]),
    ...(search.wholeWords === true ? ["--word-regexp"] : []),
    ...(patterns.some((pattern) => pattern.includes("\n")) ? ["--multiline"] : []),
    ...patterns.map((pattern) => `--regexp=${pattern}`),
    "--",
    ...(files ?? ["."]).map((file) => (file === "." ? file : `./${file}`)),
  ];
}

/** Parses a stream of `path NUL line:column:…` lines. */
function createHitReader(
  wants: (file: string) => boolean,
  found: (hit: TextHit) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let raw: Buffer = Buffer.alloc(0);
  let file = "";
  let wanted = false;
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const nul = bytes.indexOf(0, at);
      const end = nul === -1 ? -1 : bytes.indexOf(10, nul);
      if (end === -1) break;
      const name = bytes.subarray(at, nul);
      if (!name.equals(raw)) {
        raw = Buffer.from(name);
        file = name.toString("utf8").replace(/^\.\//, "");
        wanted = wants(file);
      }
      if (wanted) {
        const position = /^(\d+):(\d+):/.exec(bytes.toString("latin1", nul + 1, Math.min(end, nul + 40)));
        if (position !== null) found({ file, line: Number(position[1]), column: Number(position[2]) });
      }
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
  };
}

/** Refuse a pattern that ripgrep does not take, with its reason. */
export function refusePattern(patterns: readonly string[], complaint: string): void {
  const reason = complaint.replace(/^rg: /, "").trim().split("\n").slice(0, 6).join("\n");
  if (reason === "") return;
  throw new ToolValidationError(
    `The regular expression ${JSON.stringify(patterns[0]?.slice(0, 200))} cannot be used: ${reason}`,
    {
      code: "VALUE_INVALID",
      hint: "Use the syntax of Rust's regex (no look-around, no back-references), or leave out regex to search for the text itself.",
    },
  );
}
