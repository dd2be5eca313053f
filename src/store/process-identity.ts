import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempt, errnoOf } from "../contract/errno.js";
import { once } from "../contract/once.js";
import type { SqlDialect } from "./sql.js";

/** Which process on which running system: enough to tell later whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** One boot of one machine. */
  readonly boot: string;
  /** Process numbers mean nothing outside their name space. */
  readonly namespace: string;
  /** When it started, in ticks since boot: a number that is given out again has another. */
  readonly started: string;
}

export type Liveness = "alive" | "dead" | "unknown";

/** This process, as others can check on it. */
export const currentProcess = once((): ProcessIdentity => ({
  pid: process.pid,
  boot: readText("/proc/sys/kernel/random/boot_id") ?? hostname(),
  namespace: attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  started: processStat(process.pid)?.started ?? "",
}));

/** Whether a process that shares a database with this one still lives, as far as this one can see. */
export function livenessOf(other: ProcessIdentity, self: ProcessIdentity, shared: SqlDialect): Liveness {
  // The write-ahead log of a file works on one running system only, so another boot means that it is over.
  if (other.boot !== self.boot) return shared === "sqlite" ? "dead" : "unknown";
  if (other.namespace !== self.namespace) return "unknown";
  if (!signalReaches(other.pid)) return "dead";
  const stat = processStat(other.pid);
  if (stat === undefined || other.started === "") return "alive";
  if (stat.state === "Z" || stat.state === "X") return "dead";
  return stat.started === other.started ? "alive" : "dead";
}

/** One line, for a column of a table. */
export function fromIdentity(identity: ProcessIdentity): string {
  return JSON.stringify([identity.pid, identity.boot, identity.namespace, identity.started]);
}

export function toIdentity(text: string): ProcessIdentity {
  const [pid, boot, namespace, started] = JSON.parse(text) as [number, string, string, string];
  return { pid, boot, namespace, started };
}

/** Whether a process of this machine exists, of any user. */
export function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it exists.
    return errnoOf(error) === "EPERM";
  }
}

/** State and start time from `/proc`; `undefined` where there is none. */
function processStat(pid: number): { state: string; started: string } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold blanks and parentheses; what follows the last one is regular.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? undefined : { state, started };
}

function readText(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8").trim());
}
