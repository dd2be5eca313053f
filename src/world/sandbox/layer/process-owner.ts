import { readFileSync, readlinkSync } from "node:fs";
import { readStat } from "../../processes/process-table.js";

/** This process, so that another one can find out whether it still runs. */
export function thisOwner(): string {
  return [bootId(), pidNamespace(), process.pid, readStat(process.pid)[19] ?? ""].join(" ");
}

/** Whether a process has ended for certain; one in another container cannot be seen from here. */
export function hasEnded(owner: string): boolean {
  const [boot, namespace, pid = "", started] = owner.split(" ");
  if (boot !== bootId()) return true;
  if (namespace !== pidNamespace()) return false;
  const stat = readStat(pid);
  return stat[0] === undefined || stat[0] === "Z" || stat[0] === "X" || stat[19] !== started;
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

function pidNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}
