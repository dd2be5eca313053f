import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { ignoring, errnoOf } from "../../contract/errno.js";
import { openStateDir, privateDirectory } from "../../store/state-dir.js";

/** The standard error of the MCP servers of a workspace, and Tenon's own notes about them. */
export interface ServerLogs {
  append(server: string, line: string): void;
  /** The last lines, oldest first. */
  read(server: string, lines: number): readonly string[];
  /** Write what is still waiting. */
  close(): void;
}

/** A file that is longer becomes the older one; there are two of each server. */
const maxFileBytes = 1024 * 1024;
/** How much may wait to be written; a server that writes more between two rounds loses lines. */
const maxWaitingChars = 256 * 1024;
const flushMs = 250;

/** Keep the logs in a file for each server, in the state of the workspace; nothing is made before the first line. */
export function createServerLogs(stateDir: string, workspace: string, now: () => number): ServerLogs {
  const waiting = new Map<string, { lines: string[]; chars: number; dropped: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const folder = waiting.size === 0 ? "" : logFolder(stateDir, workspace);
    for (const [server, { lines, dropped }] of waiting) {
      if (dropped > 0) lines.push(`${new Date(now()).toISOString()} [tenon] ${dropped} lines were dropped`);
      write(join(folder, fileName(server)), `${lines.join("\n")}\n`);
    }
    waiting.clear();
  };
  return {
    append(server, line) {
      const entry = waiting.get(server) ?? { lines: [], chars: 0, dropped: 0 };
      waiting.set(server, entry);
      if (entry.chars > maxWaitingChars) entry.dropped += 1;
      else entry.lines.push(`${new Date(now()).toISOString()} ${line}`);
      entry.chars += line.length;
      timer ??= setTimeout(flush, flushMs).unref();
    },
    read(server, lines) {
      flush();
      const file = join(logFolder(stateDir, workspace), fileName(server));
      return [`${file}.1`, file].flatMap(readTail).slice(-lines);
    },
    close: flush,
  };
}

function logFolder(stateDir: string, workspace: string): string {
  const folder = join(openStateDir(stateDir, workspace).dir, "mcp-logs");
  privateDirectory(folder);
  return folder;
}

function fileName(server: string): string {
  return `${encodeURIComponent(server)}.log`;
}

/** A disk that is full must not take the server down: its log is then incomplete, and its last lines are in its view. */
function write(file: string, text: string): void {
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes) renameSync(file, `${file}.1`);
    appendFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    if (!["ENOSPC", "EDQUOT", "EROFS"].includes(errnoOf(error) ?? "")) throw error;
  }
}

/** The lines of a file, of a long one those at its end. */
function readTail(file: string): readonly string[] {
  const descriptor = ignoring("ENOENT", () => openSync(file, "r"));
  if (descriptor === undefined) return [];
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, 2 * maxFileBytes));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes
      .subarray(0, read)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
  } finally {
    closeSync(descriptor);
  }
}
