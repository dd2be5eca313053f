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
import { compileQuery } from "./compile-query.js";
import { linesPerSegment } from "./line.js";
import { readPart } from "./read-lines.js";
import { loadIndex, nameHash, outcomes, parseLine, type SegmentIndex } from "./segment-index.js";
import { fittingCalls, groupRows, TalliedCalls } from "./tally.js";
import { listSegments, segmentPaths, sizeOf } from "./segment-files.js";
import { usageOf } from "./usage.js";
import { linesPerBlock, slotsOf } from "./text-filter.js";

export interface AuditSearch {
  /** Take in what was written since, in pieces, so that others get their turn. */
  prepare(): Promise<void>;
  /** Newest first. */
  find(query: AuditQuery): AuditRecord[];
  /** Oldest first, line by line. */
  each(query: AuditQuery): Generator<AuditRecord>;
  /** How many calls fit, over time. */
  tally(query: AuditQuery, buckets: number): AuditTally;
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
  const find = (query: AuditQuery): AuditRecord[] => {
    const found = indexes();
    const wanted = Math.min(Math.max(Math.trunc(query.limit ?? 100) || 0, 0), maxRecords);
    const cursors = found.map((one) => new Cursor(dir, one, query, startOf(found, query.before)));
    const records: AuditRecord[] = [];
    try {
      while (records.length < wanted) {
        const newest = newestOf(cursors);
        if (newest === undefined) break;
        records.push(newest.take());
      }
    } finally {
      for (const cursor of cursors) cursor.close();
    }
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
    *each(query) {
      const found = indexes();
      const cursors = found.map((one) => new Cursor(dir, one, query, startOf(found, query.before), "up"));
      try {
        for (let left = query.limit ?? Number.POSITIVE_INFINITY; left > 0; left--) {
          const oldest = oldestOf(cursors);
          if (oldest === undefined) return;
          yield oldest.take();
        }
      } finally {
        for (const cursor of cursors) cursor.close();
      }
    },
    tally(query, buckets) {
      if (query.text === undefined || query.text === "")
        return fittingCalls(segments(), query).tally(query, buckets);
      const records = find({ ...query, limit: maxRead });
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

interface Found {
  readonly segment: number;
  readonly index: SegmentIndex;
}

/** Which records come later than the place that a page starts before. */
interface Start {
  readonly ended: number;
  readonly seq: number;
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

/** A place that cannot be written (a full disk, a read-only copy) costs the next process time, nothing else. */
function saveQuietly(index: SegmentIndex): void {
  try {
    index.save();
  } catch {
    // The lines are what counts.
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

function newestOf(cursors: readonly Cursor[]): Cursor | undefined {
  let best: Cursor | undefined;
  for (const cursor of cursors) {
    if (!cursor.seek()) continue;
    if (best === undefined || cursor.isAfter(best)) best = cursor;
  }
  return best;
}

function oldestOf(cursors: readonly Cursor[]): Cursor | undefined {
  let best: Cursor | undefined;
  for (const cursor of cursors) {
    if (!cursor.seek()) continue;
    if (best === undefined || best.isAfter(cursor)) best = cursor;
  }
  return best;
}

/** Walks the rows of one segment that fit a query. */
class Cursor {
  readonly #found: Found;
  readonly #file: string;
  readonly #fits: (row: number) => boolean;
  readonly #step: 1 | -1;
  readonly #needle: string | undefined;
  readonly #slots: readonly number[];
  #row: number;
  #record: AuditRecord | undefined;
  #fd: number | undefined;
  readonly #since: number;

  constructor(dir: string, found: Found, query: AuditQuery, start?: Start, way: "up" | "down" = "down") {
    this.#found = found;
    this.#file = segmentPaths(dir, found.segment).lines;
    const { index } = found;
    const fits = compileQuery(index, query);
    this.#since = query.since ?? Number.NEGATIVE_INFINITY;
    this.#step = way === "up" ? 1 : -1;
    const seqOf = (row: number): number => found.segment * linesPerSegment + row;
    const isBefore = (row: number): boolean =>
      start === undefined ||
      index.ended.at(row) < start.ended ||
      (index.ended.at(row) === start.ended && seqOf(row) < start.seq);
    this.#fits = (row) => fits !== undefined && isBefore(row) && fits(row);
    this.#row = fits === undefined ? -1 : way === "up" ? 0 : index.rows - 1;
    this.#needle = query.text === undefined || query.text === "" ? undefined : needleOf(query.text);
    this.#slots = this.#needle === undefined ? [] : slotsOf(this.#needle);
  }

  /** Stand on the next row that fits; `false` where there is none. */
  seek(): boolean {
    const { index } = this.#found;
    while (this.#record === undefined && this.#row >= 0 && this.#row < index.rows) {
      // What ended before the time that is asked for also came before it, and so did all further down.
      if (this.#step < 0 && index.ended.at(this.#row) < this.#since) break;
      if (this.#skipBlock()) continue;
      if (this.#fits(this.#row)) this.#record = this.#read(this.#row);
      if (this.#record === undefined) this.#row += this.#step;
    }
    return this.#record !== undefined;
  }

  take(): AuditRecord {
    const record = this.#record as AuditRecord;
    this.#record = undefined;
    this.#row += this.#step;
    return record;
  }

  isAfter(other: Cursor): boolean {
    const own = this.#found.index.ended.at(this.#row);
    const theirs = other.#found.index.ended.at(other.#row);
    if (own !== theirs) return own > theirs;
    return this.#found.segment === other.#found.segment
      ? this.#row > other.#row
      : this.#found.segment > other.#found.segment;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Jump over the lines of a block that cannot hold the text. */
  #skipBlock(): boolean {
    if (this.#slots.length === 0) return false;
    const block = Math.floor(this.#row / linesPerBlock);
    if (this.#found.index.filter.mayHold(block, this.#slots)) return false;
    this.#row = this.#step > 0 ? (block + 1) * linesPerBlock : block * linesPerBlock - 1;
    return true;
  }

  #read(row: number): AuditRecord | undefined {
    const { index } = this.#found;
    this.#fd ??= openSync(this.#file, "r");
    const bytes = readPart(this.#fd, index.offset.at(row), index.length.at(row));
    if (this.#needle !== undefined && !bytes.toString().toLowerCase().includes(this.#needle))
      return undefined;
    const record = parseLine(bytes);
    return record !== undefined && (this.#needle === undefined || hasText(record, this.#needle))
      ? record
      : undefined;
  }
}

/** The text as it stands in a line of JSON. */
function needleOf(text: string): string {
  return JSON.stringify(text).slice(1, -1).toLowerCase();
}

function hasText({ tool, arguments: args, error }: AuditRecord, needle: string): boolean {
  return JSON.stringify([tool, args, error]).toLowerCase().includes(needle);
}
