import { existsSync } from "node:fs";
import type { AuditHead, AuditVerdict } from "../../contract/ports/audit.js";
import { genesis, inspectLine, inspectLink, linesPerSegment } from "./line.js";
import { createMarkerBook, type MarkerBook } from "./marker-book.js";
import { readLines } from "./read-lines.js";
import { listSegments, readHead, readIfThere, segmentPaths } from "./segment-files.js";
import { plural } from "../../text/plural.js";

export interface VerifyDeps {
  readonly dir: string;
  readonly isAlive: (owner: string) => boolean;
}

/** An invalid record and the reason. */
export interface Flaw {
  readonly seq: number;
  readonly problem: string;
}

/** What was read of one segment. */
interface Walked {
  readonly segment: number;
  /** Of every line, 32 bytes each. */
  readonly hashes: Buffer;
  readonly count: number;
  readonly calls: number;
  readonly torn: number;
  /** Calls that began here and do not end here, by the place of their start. */
  readonly open: Set<number>;
  /** Ends of calls that began elsewhere: their own place, and that of the start. */
  readonly ends: readonly (readonly [seq: number, start: number])[];
  readonly flaw?: Flaw | undefined;
}

/** Walk every line of every segment: each fits its hash, follows the one before, and nothing is missing. */
export async function verifyLog(deps: VerifyDeps, head?: AuditHead | string): Promise<AuditVerdict> {
  const { dir } = deps;
  const book = createMarkerBook();
  const walked = new Map<number, Walked>();
  for (const segment of listSegments(dir)) {
    walked.set(segment, await walk(dir, segment, book));
  }
  const all = [...walked.values()];
  const records = all.reduce((sum, { calls }) => sum + calls, 0);
  const flaws = [
    ...all.flatMap(({ flaw }) => flaw ?? []),
    ...missingSegments(all, book),
    ...all.flatMap((one) => headFlaw(dir, one) ?? []),
    ...promisedFlaws(walked, book),
    ...book.purgeFlaws(),
    ...linkFlaws(deps, walked, book),
    ...(head === undefined ? [] : anchorFlaws(all, head)),
  ].sort((one, other) => one.seq - other.seq);
  const [first] = flaws;
  if (first !== undefined) return { ok: false, records, seq: first.seq, problem: first.problem };
  const notes = all.flatMap((one) => tornNote(deps, one, book) ?? []);
  return { ok: true, records, head: newestHead(all), ...(notes.length > 0 && { notes }) };
}

async function walk(dir: string, segment: number, book: MarkerBook): Promise<Walked> {
  const base = segment * linesPerSegment;
  let hashes = Buffer.allocUnsafe(32 * 1024);
  let previous = genesis;
  let count = 0;
  let calls = 0;
  const open = new Set<number>();
  const ends: [number, number][] = [];
  let flaw: Flaw | undefined;
  const { torn } = readLines(segmentPaths(dir, segment).lines, (line) => {
    const seq = base + count;
    const facts = inspectLine(line);
    if (facts === undefined) flaw = { seq, problem: "it is not a line of the log" };
    else if (facts.seq !== seq) flaw = { seq, problem: `it says that it is record ${facts.seq}` };
    else if (facts.previous !== previous)
      flaw = {
        seq,
        problem: "it does not follow the record before it: one was changed, added or removed",
      };
    else if (facts.actual !== facts.hash && !facts.purged)
      flaw = { seq, problem: "its content does not match its hash" };
    if (flaw !== undefined || facts === undefined) return false;
    if (facts.actual !== facts.hash) book.purged(seq, facts.actual);
    if (facts.kind === "marker") book.take(seq, line.toString());
    else if (facts.kind === "start") open.add(seq);
    else calls++;
    if (facts.start !== undefined && !open.delete(facts.start)) ends.push([seq, facts.start]);
    if (hashes.length < (count + 1) * 32) hashes = Buffer.concat([hashes, Buffer.allocUnsafe(hashes.length)]);
    hashes.write(facts.hash, count * 32, "hex");
    previous = facts.hash;
    count++;
    return undefined;
  });
  await new Promise((resolve) => setImmediate(resolve)); // others get their turn between segments
  return { segment, hashes, count, calls, torn, open, ends, flaw };
}

/** Every end has its start, and every start its end, but for calls that are still under way. */
function linkFlaws(
  { dir, isAlive }: VerifyDeps,
  walked: ReadonlyMap<number, Walked>,
  book: MarkerBook,
): Flaw[] {
  const all = [...walked.values()];
  // The first wrong record of a segment tells more than what was not read behind it.
  if (all.some(({ flaw }) => flaw !== undefined)) return [];
  const orphans = all.flatMap(({ ends }) =>
    ends.flatMap(([seq, start]) => {
      const segment = Math.floor(start / linesPerSegment);
      const isKnown =
        segment < book.floor() ||
        walked.get(segment)?.open.delete(start) === true ||
        (segment !== Math.floor(seq / linesPerSegment) && isStart(dir, start));
      return isKnown ? [] : [{ seq, problem: `it ends a call whose start, record ${start}, is missing` }];
    }),
  );
  const unfinished = all.flatMap(({ segment, open }) => {
    const owner = open.size === 0 ? undefined : readIfThere(segmentPaths(dir, segment).owner);
    if (open.size === 0 || (owner !== undefined && isAlive(owner))) return [];
    const problem = "its call began here, its process is gone, and no record tells how the call ended";
    return [...open].map((seq) => ({ seq, problem }));
  });
  return [...orphans, ...unfinished];
}

/** A worker that was taken for gone may still have recorded the end of its call: then there are two ends, in two segments. */
function isStart(dir: string, place: number): boolean {
  let found = false;
  readLines(segmentPaths(dir, Math.floor(place / linesPerSegment)).lines, (line) => {
    const { seq, kind } = inspectLink(line);
    if (seq === place) found = kind === "start";
    return seq < place ? undefined : false;
  });
  return found;
}

/** Segments are numbered without gaps; those that retention dropped are noted. */
function missingSegments(all: readonly Walked[], book: MarkerBook): Flaw[] {
  const there = new Set(all.map(({ segment }) => segment));
  const last = Math.max(-1, ...there, ...book.promised().map(([segment]) => segment));
  const flaws: Flaw[] = [];
  for (let segment = book.floor(); segment <= last; segment++) {
    if (there.has(segment)) continue;
    flaws.push({ seq: segment * linesPerSegment, problem: `the whole segment ${segment} is missing` });
  }
  return flaws;
}

/** The lines that the segment's writer last noted must exist. */
function headFlaw(dir: string, one: Walked): Flaw | undefined {
  const head = readHead(segmentPaths(dir, one.segment).head);
  if (head === undefined || head.count === 0) return undefined;
  return mismatch(one, [one.segment, head.count, head.hash]);
}

/** What other segments state about this one must be true. */
function promisedFlaws(walked: ReadonlyMap<number, Walked>, book: MarkerBook): Flaw[] {
  return book.promised().flatMap((promise) => {
    const one = walked.get(promise[0]);
    return one === undefined ? [] : (mismatch(one, promise) ?? []);
  });
}

function mismatch(one: Walked, [segment, count, hash]: readonly [number, number, string]): Flaw | undefined {
  const base = segment * linesPerSegment;
  if (one.flaw !== undefined) return undefined; // the first wrong record tells more
  if (count > one.count)
    return {
      seq: base + one.count,
      problem: `the log ends before it: ${plural(count - one.count, "record")} cut off`,
    };
  if (count > 0 && one.hashes.toString("hex", (count - 1) * 32, count * 32) !== hash)
    return { seq: base + count - 1, problem: "it is not the record that was noted here" };
  return undefined;
}

/** A head as `tenon log head` prints it: the number and the hash of a record, or the hash alone. */
export const headPattern: RegExp = /^(?:(\d+):)?([0-9a-f]{64})$/i;

function anchorFlaws(all: readonly Walked[], head: AuditHead | string): Flaw[] {
  const text = typeof head === "string" ? head.trim() : `${head.seq}:${head.hash}`;
  const found = headPattern.exec(text);
  if (found === null) return [{ seq: 0, problem: `"${text.slice(0, 80)}" is not a valid head` }];
  const hash = (found[2] ?? "").toLowerCase();
  const place = found[1] === undefined ? undefined : Number(found[1]);
  if (hash === genesis) return [];
  const seq = placeOf(all, hash);
  if (seq !== undefined && (place === undefined || place === seq)) return [];
  return [
    {
      seq: place ?? newestHead(all).seq + 1,
      problem:
        "the given head is not in the log: the records up to it were changed, cut off, or dropped by retention",
    },
  ];
}

function placeOf(all: readonly Walked[], hash: string): number | undefined {
  const wanted = Buffer.from(hash, "hex");
  for (const { segment, hashes, count } of all) {
    for (let at = hashes.indexOf(wanted); at >= 0 && at < count * 32; at = hashes.indexOf(wanted, at + 1))
      if (at % 32 === 0) return segment * linesPerSegment + at / 32;
  }
  return undefined;
}

/** Half a line at the end belongs to a call that was never answered: its write did not return. */
function tornNote({ dir, isAlive }: VerifyDeps, one: Walked, book: MarkerBook): string | undefined {
  if (one.torn === 0 || book.isKnownTorn(one.segment)) return undefined;
  const { owner } = segmentPaths(dir, one.segment);
  const writing = existsSync(owner) && isAlive(readIfThere(owner) ?? "");
  if (writing) return undefined;
  const seq = one.segment * linesPerSegment + one.count;
  return `The end of segment ${one.segment} is torn: ${one.torn} bytes of record ${seq}, whose call was never answered.`;
}

function newestHead(all: readonly Walked[]): AuditHead {
  const last = all.findLast(({ count }) => count > 0);
  if (last === undefined) return { seq: 0, hash: genesis };
  return {
    seq: last.segment * linesPerSegment + last.count - 1,
    hash: last.hashes.toString("hex", (last.count - 1) * 32, last.count * 32),
  };
}
