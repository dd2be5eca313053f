import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Settings of V8 for a program that serves for hours, see docs/performance.md. */
export function tuneV8(version = process.versions.v8): void {
  // The same path runs for each call, and at the default it takes some ten thousand calls to reach its speed. Later
  // versions than that of Node 20 have a compiler in between that makes up for it, and do not know the flag.
  if (version.startsWith("11.")) setFlagsFromString("--interrupt-budget=10000");
  // What lives is small. By default garbage may grow to four times as much before all of it is collected.
  setFlagsFromString("--heap-growing-percent=60");
}

/** Of both halves of the young generation. A larger one takes memory, and no time off a call. */
const enoughBytes = 8 * 1024 * 1024;

/**
 * Keep the young generation of V8 from growing beyond what calls need. It doubles whenever much of what is new
 * survives, as when many servers start, and never gives back what it took.
 */
export function limitYoungGeneration(): void {
  const limit = (): boolean => {
    const isEnough = youngBytes() >= enoughBytes;
    if (isEnough) setFlagsFromString("--semi-space-growth-factor=1");
    return isEnough;
  };
  if (limit()) return;
  const observer = new PerformanceObserver(() => {
    if (limit()) observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}
