import { statSync, writeFileSync } from "node:fs";
import { removeIfThere } from "../../contract/remove-if-there.js";
import type { AuditStart, InterruptedEffects } from "../../contract/ports/audit.js";
import { interruptedError } from "./interrupted.js";
import { inspectLink, linesPerSegment } from "./line.js";
import { readLines } from "./read-lines.js";
import {
  claim,
  findUnsettled,
  isSettled,
  listSegments,
  readIfThere,
  segmentPaths,
  sizeOf,
} from "./segment-files.js";
import { parseLine } from "./segment-index.js";
import type { SegmentWriter } from "./segment-writer.js";

export interface SettleOptions {
  readonly dir: string;
  /** The identity of this process, by which others check whether it is alive. */
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  /** The end of the log, opened only where something is to be written. */
  readonly writer: () => SegmentWriter;
  /** What is known of what a call did. */
  readonly effectsOf: (start: AuditStart) => Promise<InterruptedEffects>;
}

/** Record the end of every call whose process died. If this process dies too, the next one goes on. */
export async function settleAbandoned(options: SettleOptions): Promise<number> {
  const { dir } = options;
  let settled = 0;
  for (const segment of findUnsettled(options)) {
    if (!claimSettling(segment, options)) continue;
    const { settled: done, settling, lines } = segmentPaths(dir, segment);
    try {
      const size = sizeOf(lines);
      const open = openStarts(dir, segment);
      if (open.size > 0) settled += await writeEnds([...open.values()], options);
      writeFileSync(done, String(size), { mode: 0o600 });
    } finally {
      removeIfThere(settling);
    }
  }
  return settled;
}

async function writeEnds(starts: readonly AuditStart[], options: SettleOptions): Promise<number> {
  const rests: string[] = [];
  for (const start of starts) rests.push(toInterrupted(start, await options.effectsOf(start)));
  const writer = options.writer();
  writer.append(rests);
  await writer.sync();
  return rests.length;
}

function claimSettling(segment: number, { dir, owner, isAlive }: SettleOptions): boolean {
  const paths = segmentPaths(dir, segment);
  const { settling } = paths;
  const other = readIfThere(settling);
  if (other !== undefined && (isAlive(other) || isJustMade(settling, other))) return false;
  if (other !== undefined) removeIfThere(settling);
  if (!claim(settling, owner)) return false;
  // Another process may have finished it in between.
  if (!isSettled(paths)) return true;
  removeIfThere(settling);
  return false;
}

/** A name that is not written yet is soon; its process may have died before it could, though. */
function isJustMade(file: string, name: string): boolean {
  const madeAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return name === "" && madeAt > Date.now() - 10_000;
}

/** The calls of a segment that have no end, neither in it nor in a later one. */
function openStarts(dir: string, segment: number): Map<number, AuditStart> {
  const open = new Map<number, AuditStart>();
  const lines = segmentPaths(dir, segment).lines;
  readLines(lines, (line) => {
    const { seq, kind, start } = inspectLink(line);
    if (start !== undefined) open.delete(start);
    if (kind !== "start") return;
    const record = parseLine(line) as unknown as AuditStart | undefined;
    if (record !== undefined) open.set(seq, record);
  });
  if (open.size === 0) return open;
  for (const later of listSegments(dir).filter((other) => other > segment))
    readLines(segmentPaths(dir, later).lines, (line) => {
      const { start } = inspectLink(line);
      if (start !== undefined && Math.floor(start / linesPerSegment) === segment) open.delete(start);
    });
  return open;
}

function toInterrupted(start: AuditStart, effects: InterruptedEffects): string {
  const { seq, kind: _, hash: __, previous: ___, callId, time, purged: ____, ...rest } = start;
  const fields = { start: seq, callId, time, durationMs: 0, outcome: "interrupted" };
  return `,${JSON.stringify({ ...fields, ...rest, effects, error: interruptedError }).slice(1)}`;
}
