import { removeIfThere } from "../../contract/remove-if-there.js";
import { closeSync, constants, openSync } from "node:fs";
import { ignoring } from "../../contract/errno.js";
import { genesis, inspectLine, linesPerSegment } from "./line.js";
import { readLines } from "./read-lines.js";
import {
  claim,
  listSegments,
  readHead,
  readIfThere,
  segmentPaths,
  sizeOf,
  type SegmentHead,
} from "./segment-files.js";

/** Where segments are stored and which process opens them. */
export interface SegmentDeps {
  readonly dir: string;
  /** The identity of this process, by which others check whether it is alive. */
  readonly owner: string;
  /** Whether the process with this identity may still be alive. */
  readonly isAlive: (owner: string) => boolean;
  /** When a segment has this many bytes, the next one is started. */
  readonly segmentBytes: number;
}

/** A segment that this process alone writes. */
export interface OpenedSegment extends SegmentHead {
  readonly segment: number;
  readonly fd: number;
  readonly headFd: number;
  /** The segment is new: its opening line is not written yet. */
  readonly fresh: boolean;
}

/** A segment whose process died. */
export type ClosedSegment = readonly [segment: number, count: number, hash: string, tornBytes: number];

const append = constants.O_WRONLY | constants.O_APPEND;

/** Continue the newest segment if its process released it intact; otherwise begin a new one. */
export function openSegment(deps: SegmentDeps): OpenedSegment {
  const last = listSegments(deps.dir).at(-1);
  const adopted = last === undefined ? undefined : adopt(deps, last);
  return adopted ?? beginSegment(deps, last === undefined ? 0 : last + 1);
}

/** Begin a segment, the next free one from this number on. */
export function beginSegment(deps: SegmentDeps, from: number): OpenedSegment {
  for (let segment = from; ; segment++) {
    const paths = segmentPaths(deps.dir, segment);
    // The file is the claim to its number, so that a process that dies here leaves no gap in the numbers.
    const fd = ignoring("EEXIST", () =>
      openSync(paths.lines, append | constants.O_CREAT | constants.O_EXCL, 0o600),
    );
    if (fd === undefined) continue;
    // Nobody else can claim it: what has no head yet is not adopted.
    claim(paths.owner, deps.owner);
    const headFd = openSync(paths.head, "w", 0o600);
    return { segment, fd, headFd, fresh: true, count: 0, hash: genesis, bytes: 0 };
  }
}

function adopt(deps: SegmentDeps, segment: number): OpenedSegment | undefined {
  const paths = segmentPaths(deps.dir, segment);
  const isWhole = (head: SegmentHead | undefined): head is SegmentHead =>
    head !== undefined && head.bytes === sizeOf(paths.lines) && head.bytes < deps.segmentBytes;
  const head = readHead(paths.head);
  if (!isWhole(head) || head.count >= linesPerSegment - 1) return undefined;
  if (!claim(paths.owner, deps.owner)) return undefined;
  // Another process may have claimed and released it in between.
  const now = readHead(paths.head);
  if (!isWhole(now)) {
    removeIfThere(paths.owner);
    return undefined;
  }
  const fd = openSync(paths.lines, append);
  return { segment, fd, headFd: openSync(paths.head, "r+"), fresh: false, ...now };
}

const maxHeads = 64;
const maxChecked = 256;

/** How far the newest segments are, as their writers noted; `except` is left out. */
export function knownHeads(dir: string, except: number): [number, number, string][] {
  const heads = listSegments(dir)
    .slice(-maxHeads)
    .map((segment) => [segment, readHead(segmentPaths(dir, segment).head)] as const);
  return heads.flatMap(([segment, head]) =>
    head === undefined || segment === except ? [] : [[segment, head.count, head.hash]],
  );
}

/** The segments whose processes died, looked at to their end; each is told of until `noteClosed`. */
export function findAbandoned(deps: SegmentDeps, except: number): ClosedSegment[] {
  // Older ones were noted when the log was opened before.
  const newest = listSegments(deps.dir).slice(-maxChecked);
  return newest.flatMap((segment) => {
    if (segment === except) return [];
    const paths = segmentPaths(deps.dir, segment);
    const owner = readIfThere(paths.owner);
    if (owner === undefined || readIfThere(paths.closed) !== undefined || deps.isAlive(owner)) return [];
    return [endOf(segment, paths.lines, readHead(paths.head))];
  });
}

function endOf(segment: number, file: string, head: SegmentHead | undefined): ClosedSegment {
  let { count, hash } = head ?? { count: 0, hash: genesis };
  const { torn } = readLines(
    file,
    (line) => {
      count++;
      hash = inspectLine(line)?.hash ?? hash;
    },
    { start: head?.bytes ?? 0 },
  );
  return [segment, count, hash, torn];
}

/** Called once their ends are in the chain. */
export function noteClosed(dir: string, closed: readonly ClosedSegment[]): void {
  for (const [segment] of closed) closeSync(openSync(segmentPaths(dir, segment).closed, "a", 0o600));
}
