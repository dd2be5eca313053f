import { readFile, readdir, readlink, stat } from "node:fs/promises";
import type { JobState } from "../../contract/ports/processes.js";
import { readTree, type ProcessRow, type ProcessTree } from "./process-table.js";

/** What the processes of a running job do; `running` if the system does not say more. */
export async function readJobState(tree: ProcessTree): Promise<JobState> {
  const members = await readTree(tree);
  const ports = await listeningPorts(members);
  if (ports.length > 0) return { kind: "listening", ports };
  const waiting = await Promise.all(members.map(({ pid }) => waitsForInput(pid)));
  return { kind: waiting.includes(true) ? "waiting for input" : "running" };
}

const maxDescriptors = 4096;

async function listeningPorts(members: readonly ProcessRow[]): Promise<number[]> {
  const found = await Promise.all(
    members.map(async ({ pid }) => {
      const inodes = await socketsOf(pid);
      if (inodes.size === 0) return [];
      // The table of the network namespace of the process, which is a different one inside a sandbox.
      const tables = await Promise.all(
        ["tcp", "tcp6"].map((name) => readFile(`/proc/${pid}/net/${name}`, "latin1").catch(() => "")),
      );
      return tables.flatMap((table) => listeningPortsIn(table, inodes));
    }),
  );
  return [...new Set(found.flat())].sort((one, other) => one - other);
}

async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(
    names.slice(0, maxDescriptors).map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")),
  );
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

const listeningState = "0A";

/** `sl local_address rem_address st … inode`, addresses as hex with the port after a colon. */
function listeningPortsIn(table: string, inodes: ReadonlySet<string>): number[] {
  return table.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    if (fields[3] !== listeningState || !inodes.has(fields[9] ?? "")) return [];
    return [Number.parseInt(fields[1]?.split(":")[1] ?? "", 16)].filter(Number.isInteger);
  });
}

/** The numbers of `read`, and of system calls that wait until a descriptor is readable, on x64 and arm64. */
const readCalls: ReadonlySet<string> = new Set(process.arch === "arm64" ? ["63"] : ["0"]);
const pollCalls: ReadonlySet<string> = new Set(
  process.arch === "arm64" ? ["72", "73"] : ["7", "23", "270", "271"],
);

/** Whether a process is blocked reading what somebody could type. */
async function waitsForInput(pid: number): Promise<boolean> {
  const call = await readFile(`/proc/${pid}/syscall`, "latin1").catch(() => "");
  const [number = "", first = ""] = call.split(" ");
  if (readCalls.has(number)) return (await isTerminal(pid, Number(first))) || isInputFifo(pid, Number(first));
  if (pollCalls.has(number)) return isTerminal(pid, 0);
  const waitChannel = call === "" ? await readFile(`/proc/${pid}/wchan`, "latin1").catch(() => "") : "";
  return /n_tty_read|tty_read/.test(waitChannel);
}

async function isTerminal(pid: number, fd: number): Promise<boolean> {
  const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
  return /^\/dev\/(?:pts\/|tty|console)/.test(link);
}

/** Whether it is the pipe that leads into the job; one inside the job has no name. */
async function isInputFifo(pid: number, fd: number): Promise<boolean> {
  if (fd !== 0) return false;
  const path = `/proc/${pid}/fd/0`;
  const link = await readlink(path).catch(() => "pipe:");
  if (link.startsWith("pipe:")) return false;
  return (await stat(path).catch(() => undefined))?.isFIFO() === true;
}
