import { closeSync, openSync } from "node:fs";
import type {
  AuditGroup,
  AuditQuery,
  AuditRecord,
  AuditStart,
  AuditTally,
  AuditUsage,
  UsageRange,
} from "../../contract/ports/audit.js";
import { Cursor, type Found, type Start } from "./cursor.js";
import { nameHash } from "./index-columns.js";
import { linesPerSegment } from "./line.js";
import { readPart } from "./read-lines.js";
import { loadIndex, outcomes, parseLine, type SegmentIndex } from "./segment-index.js";
import { fittingCalls, groupRows, TalliedCalls } from "./tally.js";
import { listSegments, segmentPaths, sizeOf } from "./segment-files.js";
import { usageOf } from "./usage.js";

export interface AuditSearch {
  /** Index what was written since, in pieces, so that the event loop is not blocked. */
  prepare(): Promise<void>;
  /** Newest first. */
  find(query: AuditQuery): Promise<AuditRecord[]>;
  /** Oldest first, line by line. */
  each(query: AuditQuery): AsyncGenerator<AuditRecord>;
  /** How many calls match, over time. */
  tally(query: AuditQuery, buckets: number): Promise<AuditTally>;
  /** Numbers about the calls that ended in a range of time. */
  usage(range: UsageRange, buckets: number): AuditUsage;
  /** The tasks or sessions with the newest calls. */
  groups(by: "task" | "session", limit: number): readonly AuditGroup[];
  byCallId(callId: string): AuditRecord | undefined;
  bySeq(seq: number): AuditRecord | undefined;
  /** The start record of a call. */
  startOf(callId: string): AuditStart | undefined;
  /** Forget what is known, because contents were changed. */
  forget(): void;
}

const maxRecords = 100_000;
const worthSaving = 2000;
/** Records that are read to count those with a text. */
const maxRead = 5000;

/** Some milliseconds of reading. */
const blocksPerTurn = 32;

/** Search the segments of a directory; what is known of them is kept and brought up to date each time. */
export function createAuditSearch(dir: string): AuditSearch {
  const known = new Map<number, SegmentIndex>();
  const indexes = (): Found[] => {
    const there = listSegments(dir);
    for (const segment of known.keys()) if (!there.includes(segment)) known.delete(segment);
    return there.map((segment) => ({ segment, index: fresh(known, dir, segment) }));
  };
  const segments = (): SegmentIndex[] => indexes().map(({ index }) => index);
  const newest = (
    callId: string,
    isMeant: (index: SegmentIndex, row: number) => boolean,
  ): AuditRecord | undefined => {
    const hash = nameHash(callId);
    for (const { segment, index } of indexes().toReversed()) {
      for (let row = index.rows - 1; row >= 0; row--) {
        if (index.call.at(row) !== hash || !isMeant(index, row)) continue;
        const record = readRow(dir, segment, index, row);
        if (record?.callId === callId) return record;
      }
    }
    return undefined;
  };
  /** The matching records, one after the other; the event loop is not blocked while a text is searched for. */
  async function* walk(query: AuditQuery, way: "up" | "down", limit: number): AsyncGenerator<AuditRecord> {
    const found = indexes();
    const start = startOf(found, query.before);
    const cursors = (way === "down" ? found.toReversed() : found).map(
      (one) => new Cursor(segmentPaths(dir, one.segment).lines, one, { query, start, way }),
    );
    const turn = { blocks: blocksPerTurn };
    try {
      for (let left = limit; left > 0; left--) {
        let first: Cursor | undefined;
        for (const cursor of cursors) {
          if (first !== undefined && !cursor.isAhead(first)) continue;
          while (!cursor.seek(turn)) {
            await new Promise((resolve) => setImmediate(resolve));
            turn.blocks = blocksPerTurn;
          }
          if (cursor.isThere && (first === undefined || cursor.isAhead(first))) first = cursor;
        }
        if (first === undefined) return;
        yield first.take();
      }
    } finally {
      for (const cursor of cursors) cursor.close();
    }
  }
  const find = async (query: AuditQuery): Promise<AuditRecord[]> => {
    const wanted = Math.min(Math.max(Math.trunc(query.limit ?? 100) || 0, 0), maxRecords);
    const records: AuditRecord[] = [];
    for await (const record of walk(query, "down", wanted)) records.push(record);
    return records;
  };
  return {
    async prepare() {
      for (const segment of listSegments(dir)) {
        const before = known.get(segment)?.rows ?? 0;
        if (fresh(known, dir, segment).rows - before >= worthSaving)
          await new Promise((resolve) => setImmediate(resolve));
      }
    },
    find,
    each: (query) => walk(query, "up", query.limit ?? Number.POSITIVE_INFINITY),
    async tally(query, buckets) {
      if (query.text === undefined || query.text === "")
        return fittingCalls(segments(), query).tally(query, buckets);
      const records = await find({ ...query, limit: maxRead });
      const calls = new TalliedCalls();
      for (const { time, outcome } of records) calls.add(time, outcomes.indexOf(outcome));
      const tally = calls.tally(query, buckets);
      return records.length < maxRead ? tally : { ...tally, capped: true };
    },
    usage: (range, buckets) => usageOf(segments(), range, buckets),
    groups: (by, limit) => groupRows(segments(), by, limit),
    byCallId: (callId) => newest(callId, (index, row) => index.isCall(row)),
    startOf: (callId) =>
      newest(callId, (index, row) => index.isStart(row)) as unknown as AuditStart | undefined,
    bySeq(seq) {
      const segment = Math.floor(seq / linesPerSegment);
      const row = seq % linesPerSegment;
      const index = listSegments(dir).includes(segment) ? fresh(known, dir, segment) : undefined;
      if (index === undefined || row >= index.rows || !index.isCall(row)) return undefined;
      return readRow(dir, segment, index, row);
    },
    forget: () => known.clear(),
  };
}

function fresh(known: Map<number, SegmentIndex>, dir: string, segment: number): SegmentIndex {
  const paths = segmentPaths(dir, segment);
  const index = known.get(segment) ?? loadIndex(paths);
  known.set(segment, index);
  if (sizeOf(paths.lines) === index.bytes) return index;
  const before = index.rows;
  index.update();
  if (index.rows - before >= worthSaving) saveQuietly(index);
  return index;
}

/** If the index cannot be saved (a full disk, a read-only copy), the next process builds it again. */
function saveQuietly(index: SegmentIndex): void {
  try {
    index.save();
  } catch {
    // The index is only a cache.
  }
}

function startOf(found: readonly Found[], before: number | undefined): Start | undefined {
  if (before === undefined) return undefined;
  const segment = Math.floor(before / linesPerSegment);
  const index = found.find((one) => one.segment === segment)?.index;
  const row = before % linesPerSegment;
  if (index === undefined || row >= index.rows) return { ended: Number.POSITIVE_INFINITY, seq: before };
  return { ended: index.ended.at(row), seq: before };
}

function readRow(dir: string, segment: number, index: SegmentIndex, row: number): AuditRecord | undefined {
  const fd = openSync(segmentPaths(dir, segment).lines, "r");
  try {
    return parseLine(readPart(fd, index.offset.at(row), index.length.at(row)));
  } finally {
    closeSync(fd);
  }
}
