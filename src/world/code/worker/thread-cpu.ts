import { readFileSync } from "node:fs";

/** Processor time of the calling thread so far, in milliseconds; `undefined` where the system does not say. */
export function threadCpuMs(): number | undefined {
  try {
    const [nanoseconds = ""] = readFileSync("/proc/thread-self/schedstat", "latin1").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined; // not Linux
  }
}
