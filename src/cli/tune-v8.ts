import { setFlagsFromString } from "node:v8";

/** Settings of V8 for a program that serves for hours, see docs/performance.md. */
export function tuneV8(version = process.versions.v8): void {
  // The same path runs for each call, and at the default it takes some ten thousand calls to reach its speed. Later
  // versions than that of Node 20 have a compiler in between that makes up for it, and do not know the flag.
  if (version.startsWith("11.")) setFlagsFromString("--interrupt-budget=10000");
  // What lives is small. By default garbage may grow to four times as much before all of it is collected.
  setFlagsFromString("--heap-growing-percent=60");
}
