import { readFile, readdir } from "node:fs/promises";

/** One process, as far as /proc tells. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Every process that is not dead already; empty where there is no /proc. */
export async function readProcessTable(): Promise<readonly ProcessRow[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(pids.map(readRow));
  return rows.filter((row) => row !== undefined);
}

async function readRow(pid: string): Promise<ProcessRow | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name in parentheses may hold anything, so fields count from the last one that closes.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (text === "" || state === "Z" || state === "X") return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
}

/** What makes up the tree of a command. */
export interface TreeRoot {
  /** The leader of its group; its descendants, its group and its session belong to it. */
  readonly pid: number;
  /** `NAME=value` in the environment of all that it started, wherever they went. */
  readonly tag: string;
}

/** The processes of a tree that are alive, its root first where it still is. */
export async function readTree(root: TreeRoot): Promise<readonly ProcessRow[]> {
  const table = await readProcessTable();
  const below = descendants(table, root.pid);
  const related = (row: ProcessRow): boolean =>
    row.pid === root.pid || row.group === root.pid || row.session === root.pid || below.has(row.pid);
  const members = await Promise.all(
    table.map(async (row) => (related(row) || (await isTagged(row.pid, root.tag)) ? [row] : [])),
  );
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

async function isTagged(pid: number, tag: string): Promise<boolean> {
  const environment = await readEnvironment(pid);
  return environment !== "" && `\0${environment}`.includes(`\0${tag}\0`);
}

/** The environment that a process was started with, each variable ended by NUL; empty where it cannot be seen. */
export function readEnvironment(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
}
