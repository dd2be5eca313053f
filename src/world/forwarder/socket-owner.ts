import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "../../contract/errno.js";
import { readTree } from "../processes/process-table.js";
import type { NetworkRun } from "./network-run.js";

/** The end of a connection inside the namespace, as a program there sees its own socket. */
export interface InnerSocket {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}

/**
 * The command that a socket inside the namespace belongs to. All commands of a session share the namespace, but not what
 * they may reach. `undefined` if no process of a running command has the socket.
 */
export async function findOwner(
  runs: ReadonlySet<NetworkRun>,
  socket: InnerSocket,
): Promise<NetworkRun | undefined> {
  const [first, second] = runs;
  // Everything that a command starts ends with it, so nobody else is there.
  if (second === undefined) return first;
  const inner = await Promise.all(
    [...runs].map(async (run) => {
      const tree = await run.tree;
      return { run, pids: tree === undefined ? [] : (await readTree(tree)).map(({ pid }) => pid) };
    }),
  );
  const witness = inner.find(({ pids }) => pids.length > 0)?.pids[0];
  if (witness === undefined) return undefined;
  const inodes = socketInodes(witness, socket);
  return inner.find(({ pids }) => pids.some((pid) => holdsSocket(pid, inodes)))?.run;
}

/** From the tables of the namespace that the process is in. */
// Files in /proc never block; a process that has ended has no sockets.
function socketInodes(pid: number, { protocol, port }: InnerSocket): ReadonlySet<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const tables = [protocol, `${protocol}6`].map((name) =>
    attempt(() => readFileSync(`/proc/${pid}/net/${name}`, "latin1")),
  );
  const rows = tables.flatMap((table) => table?.split("\n").slice(1) ?? []);
  const found = rows.flatMap((row) => {
    const fields = row.trim().split(/\s+/);
    return fields[1]?.endsWith(`:${hex}`) === true ? [fields[9] ?? "0"] : [];
  });
  return new Set(found.filter((inode) => inode !== "0").map((inode) => `socket:[${inode}]`));
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  const open = attempt(() => readdirSync(folder)) ?? [];
  return open.some((fd) => inodes.has(attempt(() => readlinkSync(`${folder}/${fd}`)) ?? ""));
}
