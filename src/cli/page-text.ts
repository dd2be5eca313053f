import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Writable } from "node:stream";
import { foldNote, foldText, type FoldedText } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";

export interface PageOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Without a pager: ask whether to show the next page; the note says how much is left. */
  readonly askNextPage: (left: string) => Promise<boolean>;
}

/**
 * Show a long text, already in its visible form, in a pager (`$PAGER`, else `less`), or page by page if there is
 * none. Returns whether all of it was opened; a person who stops between two pages has not seen it.
 */
export async function pageText(text: string, options: PageOptions): Promise<boolean> {
  const { terminal, signal } = options;
  const pager = terminal.stderr === process.stderr ? pagerOf(terminal.env) : undefined;
  if (pager !== undefined && (await runPager(pager, { text, terminal, signal }))) return true;
  return pageByPage(text, options);
}

function pagerOf(env: Terminal["env"]): string | undefined {
  if (env["PAGER"] !== undefined) return env["PAGER"].trim() === "" ? undefined : env["PAGER"];
  const folders = (env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => folder !== "" && existsSync(join(folder, "less"))) ? "less" : undefined;
}

interface PagerRun {
  readonly text: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Whether the pager could be started; how far to read is the person's choice. */
function runPager(pager: string, { text, terminal, signal }: PagerRun): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The pager reads its keys from the terminal itself; nothing else may read them meanwhile.
    terminal.stdin.pause();
    const env = { LESSCHARSET: "utf-8", ...terminal.env };
    const child = spawn("sh", ["-c", pager], { stdio: ["pipe", 2, 2], env });
    const stop = (): void => void child.kill();
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", () => resolve(false));
    child.once("close", (code) => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(code !== 126 && code !== 127); // the shell did not find the program
    });
    // Quitting the pager early closes the pipe before everything was written.
    child.stdin?.once("error", () => child.stdin?.destroy());
    child.stdin?.end(`${text}\n`);
  });
}

async function pageByPage(text: string, { terminal, askNextPage }: PageOptions): Promise<boolean> {
  const { rows = 24, columns = 80 } = terminal.stderr as { rows?: number; columns?: number };
  const output = terminal.stderr as Writable;
  const limits = { lines: Math.max(rows - 4, 5), characters: Math.max(rows - 4, 5) * Math.max(columns, 20) };
  let left = text;
  for (;;) {
    const page: FoldedText = foldText(left, limits);
    output.write(page.shown.endsWith("\n") ? page.shown : `${page.shown}\n`);
    if (page.hiddenCharacters === 0) return true;
    if (!(await askNextPage(foldNote(page)))) return false;
    left = left.slice(page.shown.length);
  }
}
