import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { ToolValidationError } from "../../contract/errors.js";
import { byFileLine, runRipgrep } from "./run-ripgrep.js";
import type { Ripgrep } from "./start-ripgrep.js";

/** Where a pattern was found; the column counts bytes of UTF-8 from 1. */
export interface TextHit {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface TextSearch {
  readonly program: Ripgrep;
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

/** The path of ripgrep's program, or `undefined` where there is none that this machine can run. */
export function findRipgrep(): string | undefined {
  const own = createRequire(import.meta.url);
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    // The package itself is ESM and cannot be required on every version of Node.
    const within = createRequire(own.resolve("@vscode/ripgrep"));
    const file = within.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`);
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}

/**
 * Find lines with ripgrep. Only positions are used: the lines to show are read through the guard. Its regular
 * expressions take linear time, so no pattern can hang it.
 */
export async function searchText(search: TextSearch): Promise<TextHits> {
  const { program, directory, timeoutMs, signal, maxHits } = search;
  const hits: TextHit[] = [];
  const read = byFileLine(search.wants, (file, rest) => {
    const position = /^(\d+):(\d+):/.exec(rest);
    if (position !== null) hits.push({ file, line: Number(position[1]), column: Number(position[2]) });
  });
  const { code, cut, complaint } = await runRipgrep({
    program,
    args: argumentsOf(search),
    directory,
    timeoutMs,
    signal,
    onOutput(chunk, stop) {
      read(chunk);
      if (hits.length > maxHits) stop();
    },
  });
  if (code === 2 && hits.length === 0 && search.regex)
    refusePattern(search.patterns, complaint, "leave out regex");
  return { hits: hits.slice(0, maxHits), cut };
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

/** Refuse a pattern that ripgrep does not take, with its reason. @param forText How to search for the text itself. */
export function refusePattern(patterns: readonly string[], complaint: string, forText: string): void {
  const reason = complaint.replace(/^rg: /, "").trim().split("\n").slice(0, 6).join("\n");
  if (reason === "") return;
  throw new ToolValidationError(
    `The regular expression ${JSON.stringify(patterns[0]?.slice(0, 200))} cannot be used: ${reason}`,
    {
      code: "VALUE_INVALID",
      hint: `Use the syntax of Rust's regex (no look-around, no back-references), or ${forText} to search for the text itself.`,
    },
  );
}
