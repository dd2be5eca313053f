import { setFlagsFromString } from "node:v8";

/**
 * Let the V8 of Node 20 optimize after a third of the usual work. A program that serves runs the same path for each
 * call, and at the default takes some ten thousand calls to reach its speed. Later versions have a compiler in between
 * that makes up for it, and do not know the flag.
 */
export function optimizeEarly(v8 = process.versions.v8): void {
  if (v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=40000");
}
