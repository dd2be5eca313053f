import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { groupBy } from "../../contract/group-by.js";
import { attempt } from "../../contract/errno.js";

/** One process as listed in /proc. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started, in clock ticks since boot. */
  readonly startTicks: number;
}

/** How long the table is read before the event loop gets a turn. */
const sliceMs = 0.4;

/**
 * Every process that is alive; empty if there is no /proc. Read synchronously in slices: these files never block,
 * and reading them through the thread pool takes ten times as long.
 */
export async function readProcessTable(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  let started = performance.now();
  for (const pid of attempt(() => readdirSync("/proc")) ?? []) {
    if (!/^\d+$/.test(pid)) continue;
    const row = readRow(pid);
    if (row !== undefined) rows.push(row);
    if (performance.now() - started < sliceMs) continue;
    await nextTurn();
    started = performance.now();
  }
  return rows;
}

function readRow(pid: string): ProcessRow | undefined {
  const fields = readStat(pid);
  const [state, parent, group, session] = fields;
  if (state === undefined || state === "" || state === "Z" || state === "X") return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks: Number(fields[19]),
  };
}

/** The fields of `/proc/PID/stat` after the name, which is in parentheses and may contain anything. */
export function readStat(pid: string | number): readonly string[] {
  const text = readProcFile(`/proc/${pid}/stat`);
  return text === "" ? [] : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Whether a process has not ended; where there is no /proc to tell, it is taken to run. */
export function isRunning(pid: number): boolean {
  if (process.platform !== "linux") return true;
  const [state = "X"] = readStat(pid);
  return state !== "Z" && state !== "X";
}

/** Bytes that a process and its ended children read and wrote by system calls; `undefined` if it cannot be read. */
export function readIo(pid: number): number | undefined {
  const counts = [...readProcFile(`/proc/${pid}/io`).matchAll(/^[rw]char: (\d+)$/gm)];
  return counts.length === 0 ? undefined : counts.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** Read a small file in /proc, which never blocks; empty if it cannot be read. */
export function readProcFile(path: string): string {
  const fd = attempt(() => openSync(path, "r"));
  if (fd === undefined) return "";
  try {
    const buffer = Buffer.allocUnsafe(4096);
    return buffer.toString("latin1", 0, readSync(fd, buffer));
  } catch {
    return ""; // the process ended in the meantime
  } finally {
    closeSync(fd);
  }
}

/** The command line of a process; empty if it cannot be read. */
export function commandLineOf(pid: number): string {
  return readProcFile(`/proc/${pid}/cmdline`).slice(0, 200).replaceAll("\0", " ").trim();
}

/** The processes of one command. */
export interface ProcessTree {
  /** The root; its descendants, its process group and its session belong to the tree. */
  readonly pid: number;
  /** `NAME=value` in the environment of everything that it started. */
  readonly tag: string;
  /** Its control group, which none of its processes can leave. */
  readonly group?: { members(): readonly number[] } | undefined;
  /** Whether the root builds a sandbox: everything inside ends with it, so it gets no SIGTERM. */
  readonly sandboxed: boolean;
  /** When the root was started, 0 if it has ended: a process that gets its number later is not part of it. */
  readonly rootTicks?: number | undefined;
}

/** The processes of a tree that are alive, the root first if it is among them. */
export async function readTree(root: ProcessTree): Promise<readonly ProcessRow[]> {
  const table = await readProcessTable();
  const below = descendants(table, root.pid);
  const now = table.find(({ pid }) => pid === root.pid)?.startTicks;
  // The system gives no number to a new process that a group or session still has.
  const isOther = now !== undefined && now !== (root.rootTicks ?? now);
  const related = (row: ProcessRow): boolean =>
    !isOther &&
    (row.pid === root.pid || row.group === root.pid || row.session === root.pid || below.has(row.pid));
  const since = ownStartTicks();
  const grouped = new Set(root.group?.members());
  const isMember = async (row: ProcessRow): Promise<boolean> =>
    related(row) || grouped.has(row.pid) || (row.startTicks >= since && (await isTagged(row.pid, root.tag)));
  const members = await Promise.all(table.map(async (row) => ((await isMember(row)) ? [row] : [])));
  return members.flat().sort((one, other) => Number(other.pid === root.pid) - Number(one.pid === root.pid));
}

function descendants(table: readonly ProcessRow[], root: number): ReadonlySet<number> {
  const children = groupBy(table, ({ parent }) => parent);
  const found = new Set<number>();
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid)) continue;
      found.add(child.pid);
      open.push(child.pid);
    }
  }
  return found;
}

/** The ids of a process and its descendants, at most `max` of them. */
export function listDescendants(root: number, max: number): number[] {
  const pids = [root];
  for (let at = 0; at < pids.length && pids.length < max; at++) {
    const children = readProcFile(`/proc/${pids[at]}/task/${pids[at]}/children`);
    pids.push(...children.split(" ").filter(Boolean).map(Number));
  }
  return pids.slice(0, max);
}

/** When this process was started: an older process was not started by it. */
export function ownStartTicks(): number {
  return startTicksOf("self");
}

/** When a process was started, in clock ticks since boot; 0 if nothing tells. */
export function startTicksOf(pid: string | number): number {
  return Number(readStat(pid)[19] ?? 0);
}

async function isTagged(pid: number, tag: string): Promise<boolean> {
  if (tag === "") return false;
  const environment = await readEnvironment(pid);
  return environment !== "" && `\0${environment}`.includes(`\0${tag}\0`);
}

/**
 * The environment that a process was started with, each variable followed by NUL; empty if it cannot be read.
 * Read through the thread pool, because reading it may block in the kernel.
 */
export function readEnvironment(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
}
