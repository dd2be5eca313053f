/** Set by `npm run check:long`. */
export const isLongRun = process.env["TENON_TEST_LENGTH"] === "long";

/**
 * How many random cases a property is tried with: all in `npm run check:long`, elsewhere a quarter, though at least 100
 * where it has that many. The cases differ from run to run, so what a quarter misses once, it finds another time.
 */
export function randomCases(all: number): number {
  return isLongRun ? all : Math.max(Math.min(all, 100), Math.ceil(all / 4));
}
