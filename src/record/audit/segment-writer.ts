import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import type { AuditHead } from "../../contract/ports/audit.js";
import { endMark, genesis, linesPerSegment, maxLineBytes, sealLine, startMark } from "./line.js";
import {
  beginSegment,
  findAbandoned,
  knownHeads,
  noteClosed,
  openSegment,
  type OpenedSegment,
  type SegmentDeps,
} from "./open-segment.js";
import { removeIfThere } from "../../contract/remove-if-there.js";
import { segmentPaths, writeHead, type SegmentHead } from "./segment-files.js";
import { makeFolder } from "../../contract/make-folder.js";

const syncData = promisify(fdatasync);

export interface SegmentWriterOptions extends SegmentDeps {
  readonly now: () => number;
  /** A segment is full and another one was begun. */
  readonly onRotated?: (() => void) | undefined;
}

/** The end of the log that this process writes: a segment of its own, chained to those of other processes. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  /** Reused for small writes: a new buffer for each would cost more than the write. */
  #shared = Buffer.allocUnsafeSlow(64 * 1024);
  #open: OpenedSegment;
  #count: number;
  #hash: string;
  #bytes: number;
  #synced: number;
  #retiring: Promise<void> = Promise.resolve();
  /** The heads of other segments that were chained in last. */
  #others = new Map<number, string>();
  /** The starts of calls that have no end yet. */
  readonly #underWay = new Set<number>();
  /** Segments that are full, but hold the start of a call that is under way. */
  readonly #held = new Set<number>();

  constructor(options: SegmentWriterOptions) {
    makeFolder(options.dir, 0o700);
    this.#options = options;
    this.#open = openSegment(options);
    ({ count: this.#count, hash: this.#hash, bytes: this.#bytes, count: this.#synced } = this.#open);
  }

  get segment(): number {
    return this.#open.segment;
  }

  get head(): AuditHead {
    if (this.#count === 0) return { seq: 0, hash: genesis };
    return { seq: this.#open.segment * linesPerSegment + this.#count - 1, hash: this.#hash };
  }

  /** Whether something was written since the last sync began. */
  get unsynced(): boolean {
    return this.#synced !== this.#count;
  }

  /** Write lines, all or none, so that the operating system has them. Returns the position of the first. */
  append(rests: readonly string[]): number {
    const full =
      this.#bytes >= this.#options.segmentBytes || this.#count + rests.length >= linesPerSegment - 1;
    if (full) this.rotate();
    if (this.#count === 0) this.#writeOpening();
    const place = this.#open.segment * linesPerSegment + this.#count;
    // A segment counts as in use while a call is under way that began in it.
    for (const [seq, rest] of this.#write(rests)) {
      if (rest.startsWith(startMark)) this.#underWay.add(seq);
      else if (rest.startsWith(endMark)) this.#ended(Number.parseInt(rest.slice(endMark.length, 32), 10));
    }
    return place;
  }

  #ended(place: number): void {
    this.#underWay.delete(place);
    if (this.#held.size === 0) return;
    const segment = Math.floor(place / linesPerSegment);
    if (this.#held.has(segment) && !this.#isUsed(segment)) {
      this.#held.delete(segment);
      removeIfThere(segmentPaths(this.#options.dir, segment).owner);
    }
  }

  #isUsed(segment: number): boolean {
    for (const place of this.#underWay) if (Math.floor(place / linesPerSegment) === segment) return true;
    return false;
  }

  /** Returns the lines that begin or end a call, with their positions. */
  #write(rests: readonly string[]): readonly [seq: number, rest: string][] {
    if (rests.length === 0) return none;
    const base = this.#open.segment * linesPerSegment;
    const bytes = this.#roomFor(rests);
    let { hash, count, end } = { hash: this.#hash, count: this.#count, end: 0 };
    let linked: [number, string][] | undefined;
    for (const rest of rests) {
      const seq = base + count++;
      const sealed = sealLine(bytes, end, { previous: hash, seq, rest });
      ({ hash, end } = sealed);
      if (sealed.isLinked) (linked ??= []).push([seq, rest]);
    }
    this.#bytes += writeWhole(this.#open.fd, { bytes, end, before: this.#bytes });
    this.#hash = hash;
    this.#count = count;
    return linked ?? none;
  }

  #roomFor(rests: readonly string[]): Buffer {
    let room = 0;
    for (const rest of rests) room += rest.length * maxLineBytes.perChar + maxLineBytes.more;
    if (room <= this.#shared.length) return this.#shared;
    const bytes = Buffer.allocUnsafeSlow(room);
    if (room <= maxShared) this.#shared = bytes;
    return bytes;
  }

  /** Resolves when all that was written before is on disk, and noted as such. */
  async sync(): Promise<void> {
    const open = this.#open;
    const head = this.#noted();
    this.#synced = this.#count;
    const retiring = this.#retiring;
    await syncData(open.fd);
    if (open === this.#open) writeHead(open.headFd, head);
    await retiring;
  }

  /** Chain in the new lengths of other segments; returns the head that covers all. */
  coverAll(): AuditHead {
    const heads = knownHeads(this.#options.dir, this.segment);
    const news = heads.filter(([segment, , hash]) => this.#others.get(segment) !== hash);
    if (news.length > 0) {
      this.append([marker("heads", { time: this.#options.now(), heads: news })]);
      for (const [segment, , hash] of news) this.#others.set(segment, hash);
    }
    return this.head;
  }

  /** Begin a new segment; the old one is synced and released meanwhile. */
  rotate(): void {
    const old = this.#open;
    const head = this.#noted();
    this.#open = beginSegment(this.#options, old.segment + 1);
    ({ count: this.#count, hash: this.#hash, bytes: this.#bytes, count: this.#synced } = this.#open);
    const before = this.#retiring;
    const retired = (async () => {
      await before;
      await syncData(old.fd).finally(() => this.#release(old, head));
    })();
    this.#retiring = retired;
    retired.catch(() => {}); // told by the next sync
    this.#options.onRotated?.();
  }

  /** Sync, and release the segment. */
  async close(): Promise<void> {
    await this.#retiring.catch(() => {});
    try {
      if (this.unsynced) fdatasyncSync(this.#open.fd);
    } finally {
      this.#release(this.#open, this.#noted());
    }
  }

  #release(open: OpenedSegment, head: SegmentHead): void {
    writeHead(open.headFd, head);
    closeSync(open.fd);
    closeSync(open.headFd);
    // Another process that finds a dead owner's file closes what was under way; without the file none would.
    if (this.#isUsed(open.segment)) this.#held.add(open.segment);
    else removeIfThere(segmentPaths(this.#options.dir, open.segment).owner);
  }

  #writeOpening(): void {
    const { dir, now } = this.#options;
    const closed = findAbandoned(this.#options, this.segment);
    const heads = knownHeads(dir, this.segment);
    this.#write([marker("segment", { time: now(), heads, ...(closed.length > 0 && { closed }) })]);
    this.#others = new Map(heads.map(([segment, , hash]) => [segment, hash]));
    noteClosed(dir, closed);
  }

  #noted(): SegmentHead {
    return { count: this.#count, hash: this.#hash, bytes: this.#bytes };
  }
}

/** A line about the log itself, not about a call. */
export function marker(kind: string, fields: Readonly<Record<string, unknown>>): string {
  return `,${JSON.stringify({ kind, ...fields }).slice(1)}`;
}

const maxShared = 1024 * 1024;
const none: readonly [number, string][] = [];

/** All bytes, or the file as it was: half a line in the middle would break the chain for good. */
function writeWhole(
  fd: number,
  { bytes, end, before }: { readonly bytes: Buffer; readonly end: number; readonly before: number },
): number {
  try {
    let written = 0;
    while (written < end) written += writeSync(fd, bytes, written, end - written);
    return written;
  } catch (error) {
    ftruncateSync(fd, before);
    throw error;
  }
}
