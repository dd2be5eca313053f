import { randomUUID } from "node:crypto";
import { linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ignoring, errnoOf } from "../../contract/errno.js";
import { genesis } from "./line.js";

/** How far a segment is known to be on disk. */
export interface SegmentHead {
  /** Lines, the opening one included. */
  readonly count: number;
  readonly hash: string;
  readonly bytes: number;
}

export interface SegmentPaths {
  readonly lines: string;
  readonly head: string;
  readonly owner: string;
  readonly closed: string;
  /** The calls that were under way when its process died have records of their end. */
  readonly settled: string;
  /** Which process writes these records. */
  readonly settling: string;
  readonly index: string;
}

const headBytes = 160;
const emptyHead: SegmentHead = { count: 0, hash: genesis, bytes: 0 };

export function segmentPaths(dir: string, segment: number): SegmentPaths {
  const base = join(dir, String(segment).padStart(8, "0"));
  return {
    lines: `${base}.jsonl`,
    head: `${base}.head`,
    owner: `${base}.owner`,
    closed: `${base}.closed`,
    settled: `${base}.settled`,
    settling: `${base}.settling`,
    index: `${base}.index`,
  };
}

/** The numbers of all segments, in order. */
export function listSegments(dir: string): number[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
  return names
    .flatMap((name) => (/^\d{8,}\.jsonl$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .sort((one, other) => one - other);
}

/** The segments whose processes are gone and that may hold calls without an end. */
export function findUnsettled({
  dir,
  isAlive,
}: {
  readonly dir: string;
  readonly isAlive: (owner: string) => boolean;
}): number[] {
  return listSegments(dir).filter((segment) => {
    const paths = segmentPaths(dir, segment);
    const name = readIfThere(paths.owner);
    return name !== undefined && !isSettled(paths) && !isAlive(name);
  });
}

/** Whether all calls of a segment have an end. A process that was taken for gone, or one after it, may have gone on with it. */
export function isSettled({ settled, lines }: Pick<SegmentPaths, "settled" | "lines">): boolean {
  const noted = readIfThere(settled);
  if (noted === undefined) return false;
  return noted === "" || Number(noted) >= sizeOf(lines);
}

/** The last saved head of a segment; `undefined` if there is none that can be read. */
export function readHead(file: string): SegmentHead | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const found = /^(\d+) ([0-9a-f]{64}) (\d+)\s*$/.exec(text);
  if (found === null) return undefined;
  return { count: Number(found[1]), hash: found[2] ?? genesis, bytes: Number(found[3]) };
}

/** Note how far the segment is, in place: the length never changes, so no reader sees half of two. */
export function writeHead(fd: number, { count, hash, bytes }: SegmentHead = emptyHead): void {
  writeSync(fd, `${count} ${hash} ${bytes}`.padEnd(headBytes - 1).concat("\n"), 0);
}

/**
 * Take a segment for this process; `false` where another one has it. The name appears with its text: a file that
 * is still empty would pass for that of a dead process, and a segment at work for an abandoned one.
 */
export function claim(file: string, owner: string): boolean {
  const temp = `${file}.${process.pid}-${randomUUID()}`;
  try {
    writeFileSync(temp, owner, { flag: "wx", mode: 0o600 });
    linkSync(temp, file);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    // On a full disk the file is created but stays empty.
    ignoring("ENOENT", () => unlinkSync(temp));
  }
}

/** The text of a small file; `undefined` if it does not exist. */
export function readIfThere(file: string): string | undefined {
  return ignoring("ENOENT", () => readFileSync(file, "utf8"));
}

/** The size of a file in bytes; 0 if it does not exist. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
