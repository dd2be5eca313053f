import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";

/** One process, as far as /proc tells. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started, in ticks since the machine was. */
  readonly started: number;
}

/** How long the table is read before the loop gets its turn. */
const sliceMs = 0.4;

/**
 * Every process that is not dead already; empty where there is no /proc. Read at once, slice by slice: these
 * files never wait, and a round through the thread pool costs ten times as much as the look itself.
 */
export async function readProcessTable(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  let started = performance.now();
  for (const pid of listPids()) {
    const row = readRow(pid);
    if (row !== undefined) rows.push(row);
    if (performance.now() - started < sliceMs) continue;
    await nextTurn();
    started = performance.now();
  }
  return rows;
}

function listPids(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
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
    started: Number(fields[19]),
  };
}

/** The fields of `/proc/PID/stat` after the name, which stands in parentheses and may hold anything. */
export function readStat(pid: string | number): readonly string[] {
  const text = readSmall(`/proc/${pid}/stat`);
  return text === "" ? [] : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** A file of the kernel that is made when it is read and never waits; empty where it cannot be. */
export function readSmall(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const buffer = Buffer.allocUnsafe(4096);
    return buffer.toString("latin1", 0, readSync(fd, buffer));
  } catch {
    return ""; // it ended meanwhile
  } finally {
    closeSync(fd);
  }
}

/** The words that a process was started with; empty where it cannot be seen. */
export function commandLineOf(pid: number): string {
  return readSmall(`/proc/${pid}/cmdline`).slice(0, 200).replaceAll("\0", " ").trim();
}

/** What makes up the tree of a command. */
export interface TreeRoot {
  /** The leader of its group; its descendants, its group and its session belong to it. */
  readonly pid: number;
  /** `NAME=value` in the environment of all that it started, wherever they went. */
  readonly tag: string;
  /** Its control group, which none of its processes can leave. */
  readonly group?: { members(): readonly number[] } | undefined;
}

/** The processes of a tree that are alive, its root first where it still is. */
export async function readTree(root: TreeRoot): Promise<readonly ProcessRow[]> {
  const table = await readProcessTable();
  const below = descendants(table, root.pid);
  const related = (row: ProcessRow): boolean =>
    row.pid === root.pid || row.group === root.pid || row.session === root.pid || below.has(row.pid);
  const since = ownStart();
  const grouped = new Set(root.group?.members());
  const isMember = async (row: ProcessRow): Promise<boolean> =>
    related(row) || grouped.has(row.pid) || (row.started >= since && (await isTagged(row.pid, root.tag)));
  const members = await Promise.all(table.map(async (row) => ((await isMember(row)) ? [row] : [])));
  return members.flat().sort((one, other) => Number(other.pid === root.pid) - Number(one.pid === root.pid));
}

function descendants(table: readonly ProcessRow[], root: number): ReadonlySet<number> {
  const children = new Map<number, ProcessRow[]>();
  for (const row of table) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
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

/** When this process was started: what is older was not started by it. */
export function ownStart(): number {
  return Number(readStat("self")[19] ?? 0);
}

async function isTagged(pid: number, tag: string): Promise<boolean> {
  if (tag === "") return false;
  const environment = await readEnvironment(pid);
  return environment !== "" && `\0${environment}`.includes(`\0${tag}\0`);
}

/**
 * The environment that a process was started with, each variable ended by NUL; empty where it cannot be seen.
 * Read by the thread pool: the kernel may let whoever reads it wait.
 */
export function readEnvironment(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
}
