import { lstatSync, utimesSync } from "node:fs";

/**
 * The time from which on files are changed, in nanoseconds, by the clock of the file system: everything that was changed
 * until now has an earlier one, and what changes later has it or a later one. A file system without fine times counts
 * what changes in this very tick of the kernel as earlier.
 *
 * @param folder A folder of that file system, whose own times are of no interest.
 */
export function fileTimeFrom(folder: string): bigint {
  const earlier = touch(folder);
  // Once a time was looked at, a file system that can gives the next change one of its own.
  const now = touch(folder);
  return now > earlier ? now : now + 1n;
}

function touch(folder: string): bigint {
  const now = new Date();
  utimesSync(folder, now, now);
  return lstatSync(folder, { bigint: true }).ctimeNs;
}
