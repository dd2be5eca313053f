import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ignoring } from "../../contract/errno.js";
import { removeIfThere } from "../../contract/remove-if-there.js";
import { listSegments, readHead, readIfThere, segmentPaths, sizeOf } from "./segment-files.js";
import { marker, type SegmentWriter } from "./segment-writer.js";

export interface RetentionOptions {
  readonly dir: string;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly now: () => number;
  readonly isAlive: (owner: string) => boolean;
}

/** Drop the oldest segments beyond the limits, noting it in the chain first, so that the rest can be verified. */
export async function dropOldSegments(writer: SegmentWriter, options: RetentionOptions): Promise<number> {
  const { dir, now } = options;
  const chosen = choose(writer.segment, options);
  const last = chosen.at(-1);
  if (last === undefined) return 0;
  const dropped = chosen.map((segment) => {
    const head = readHead(segmentPaths(dir, segment).head);
    return [segment, head?.count ?? 0, head?.hash ?? ""];
  });
  writer.append([marker("retention", { time: now(), floor: last + 1, dropped })]);
  await writer.sync();
  for (const segment of chosen) removeSegment(dir, segment);
  return chosen.length;
}

function choose(own: number, { dir, maxAgeMs, maxBytes, now, isAlive }: RetentionOptions): number[] {
  const segments = listSegments(dir);
  const sizes = new Map(segments.map((segment) => [segment, bytesOf(dir, segment)]));
  let total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const chosen: number[] = [];
  for (const segment of segments) {
    const paths = segmentPaths(dir, segment);
    const writtenAt = statSync(paths.lines, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isOver = total > maxBytes || writtenAt < now() - maxAgeMs;
    const owner = readIfThere(paths.owner);
    const isHeld = segment === own || (owner !== undefined && isAlive(owner));
    if (!isOver || isHeld) break;
    chosen.push(segment);
    total -= sizes.get(segment) ?? 0;
  }
  return chosen;
}

/** The folder with the contents that the records of a segment refer to. */
export function asideDir(dir: string, segment: number): string {
  return join(dir, "contents", String(segment).padStart(8, "0"));
}

function bytesOf(dir: string, segment: number): number {
  const { lines, index } = segmentPaths(dir, segment);
  return (
    sizeOf(lines) + sizeOf(index) + asideFiles(dir, segment).reduce((sum, file) => sum + sizeOf(file), 0)
  );
}

/** The files with the contents that a segment's records refer to. */
export function asideFiles(dir: string, segment: number): string[] {
  const aside = asideDir(dir, segment);
  return ignoring("ENOENT", () => readdirSync(aside).map((name) => join(aside, name))) ?? [];
}

function removeSegment(dir: string, segment: number): void {
  rmSync(asideDir(dir, segment), { recursive: true, force: true });
  const { index, head, closed, settled, settling, owner, lines } = segmentPaths(dir, segment);
  for (const file of [index, head, closed, settled, settling, owner, lines]) removeIfThere(file);
}
