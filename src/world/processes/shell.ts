import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { ShellInfo } from "../../contract/ports/processes.js";

/** What decides which shell is used. */
export interface ShellSource {
  readonly platform: NodeJS.Platform;
  /** Of the host: SHELL, PATH and, on Windows, ComSpec and SystemRoot. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The name or path from the configuration. */
  readonly wanted?: string | undefined;
}

/**
 * Find the shell for commands: the configured one, else $SHELL if its command lines can be judged (bash, sh), else
 * bash, else sh, else $SHELL whatever it is. On Windows PowerShell, else cmd.
 */
export async function findShell(source: ShellSource): Promise<ShellInfo> {
  for (const candidate of shellCandidates(source)) {
    const path = await locateProgram(candidate, source);
    if (path !== undefined) return describeShell(path);
  }
  throw new ToolUnavailableError(
    source.wanted === undefined ? "No shell found on this system." : `Shell "${source.wanted}" not found.`,
    {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: 'Install bash or sh, or set "shell" of shell_exec to the path of a shell.',
    },
  );
}

/** The path of bash, if it is installed; only absolute folders of the PATH are searched. */
export function findBash(source: ShellSource): Promise<string | undefined> {
  return source.platform === "win32"
    ? Promise.resolve(undefined)
    : locateFirst(["/bin/bash", "bash"], source);
}

/** The arguments that make a shell run one command line. */
export function shellArguments({ name }: ShellInfo, line: string): string[] {
  if (name === "cmd") return ["/d", "/s", "/c", `"${line}"`];
  if (name === "pwsh" || name === "powershell") {
    return ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", line];
  }
  return splitLongLine(line);
}

/** One argument of a program is limited to 128 KiB: a longer line is passed in pieces that the shell joins. */
function splitLongLine(line: string): string[] {
  if (line.length < pieceChars) return ["-c", line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length;) {
    let end = Math.min(at + pieceChars, line.length);
    // Never split a surrogate pair.
    if (end < line.length && /[\uD800-\uDBFF]/.test(line[end - 1] ?? "")) end -= 1;
    pieces.push(line.slice(at, end));
    at = end;
  }
  const joined = pieces.map((_piece, at) => `\${${at + 1}}`).join("");
  return ["-c", `TENON_LINE="${joined}"; set --; eval "$TENON_LINE"`, "tenon", ...pieces];
}

/** A UTF-16 code unit takes up to three bytes. */
const pieceChars = 40_000;

function shellCandidates({ platform, env, wanted }: ShellSource): string[] {
  if (wanted !== undefined) return [wanted];
  if (platform === "win32") return ["pwsh.exe", "powershell.exe", env["ComSpec"] ?? "cmd.exe"];
  const own = env["SHELL"];
  const judged = own !== undefined && judgedShells.has(basename(own)) ? [own] : [];
  return [...judged, "/bin/bash", "bash", "/bin/sh", "sh", ...(own === undefined ? [] : [own])];
}

const judgedShells = new Set(["bash", "sh", "dash", "ash"]);

function describeShell(path: string): ShellInfo {
  const name = basename(path)
    .toLowerCase()
    .replace(/\.exe$/, "");
  return { name, path, judged: judgedShells.has(name) };
}

async function locateFirst(names: readonly string[], source: ShellSource): Promise<string | undefined> {
  for (const name of names) {
    const path = await locateProgram(name, source);
    if (path !== undefined) return path;
  }
  return undefined;
}

async function locateProgram(name: string, { env }: ShellSource): Promise<string | undefined> {
  if (isAbsolute(name)) return (await isExecutable(name)) ? name : undefined;
  if (name.includes("/") || name.includes("\\")) return undefined;
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
