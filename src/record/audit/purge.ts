import { closeSync, fdatasyncSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import type { AuditRecord } from "../../contract/ports/audit.js";
import { bodyOf, hashOf, keepHash } from "./line.js";
import { readLines } from "./read-lines.js";
import { asideFiles } from "./retention.js";
import { parseLine } from "./segment-index.js";
import { removeIfThere } from "../../contract/remove-if-there.js";
import { listSegments, segmentPaths } from "./segment-files.js";
import { marker, type SegmentWriter } from "./segment-writer.js";

/** What to remove from the log: records that match any of these. */
export interface PurgeRequest {
  /** Texts to remove wherever they occur. */
  readonly texts?: readonly string[] | undefined;
  /** Contents of calls before this time. */
  readonly before?: number | undefined;
  /** Contents of calls of this session. */
  readonly sessionId?: string | undefined;
  /** Only count what would be removed. @default false */
  readonly dryRun?: boolean | undefined;
}

/** What was removed from the log. */
export interface Purged {
  readonly records: number;
  readonly contents: number;
}

interface NewLine {
  readonly seq: number;
  readonly offset: number;
  readonly line: string;
  readonly hash: string;
  readonly callId: string;
  /** What its contents aside are found by, where the record has nothing of them any more. */
  readonly digests: readonly string[];
}

const mark = "[purged]";
const perMarker = 1000;

/**
 * Take contents out of the log. A record keeps its place, its hash and its length; what its body hashes to
 * since is noted in the chain before it is overwritten, so that a verification tells a purge from a forgery.
 */
export async function purgeLog(
  { dir, writer, now }: { readonly dir: string; readonly writer: SegmentWriter; readonly now: () => number },
  asked: PurgeRequest,
): Promise<Purged> {
  const request = { ...asked, texts: withEscaped(asked.texts ?? []) };
  // A call that may change something has two records, its end perhaps not yet; it counts once.
  const calls = new Set<string>();
  let contents = 0;
  for (const segment of listSegments(dir)) {
    const changed = findLines(segmentPaths(dir, segment).lines, request, now());
    for (const { callId } of changed) calls.add(callId);
    const aside = { request, whole: new Set(changed.flatMap(({ digests }) => digests)) };
    if (request.dryRun === true) {
      contents += asideToPurge(dir, segment, aside).length;
      continue;
    }
    for (let at = 0; at < changed.length; at += perMarker) {
      const some = changed.slice(at, at + perMarker).map(({ seq, hash }) => [seq, hash]);
      writer.append([marker("purge", { time: now(), changed: some })]);
    }
    await writer.sync();
    overwrite(segmentPaths(dir, segment).lines, changed);
    if (changed.length > 0) removeIfThere(segmentPaths(dir, segment).index);
    contents += purgeAside(dir, segment, aside);
  }
  const records = calls.size;
  if (request.dryRun === true) return { records, contents };
  writer.append([marker("purged", { time: now(), records, contents })]);
  await writer.sync();
  return { records, contents };
}

function findLines(file: string, request: PurgeRequest, time: number): NewLine[] {
  const needles = needlesOf(request);
  const found: NewLine[] = [];
  readLines(file, (bytes, offset) => {
    const isMeant = isOld(bytes, request) || needles.some((needle) => bytes.includes(needle));
    if (!isMeant) return;
    const line = bytes.toString();
    const record = parseLine(line);
    if (record?.callId === undefined) return;
    const body = purgedBody(record, line, { request, time });
    if (body === undefined) return;
    const { seq, callId } = record;
    const digests = isWhole(body) ? digestsOf(record) : [];
    found.push({ seq, offset, line: keepHash(record.hash, body), hash: hashOf(body), callId, digests });
  });
  return found;
}

function isOld(bytes: Buffer, { before, sessionId }: PurgeRequest): boolean {
  if (before === undefined && sessionId === undefined) return false;
  const record = parseLine(bytes);
  if (record?.callId === undefined) return false;
  return (
    (before !== undefined && record.time < before) ||
    (sessionId !== undefined && record.sessionId === sessionId)
  );
}

/** The body without the removed contents, at the same length; `undefined` if there is nothing to remove. */
function purgedBody(
  record: AuditRecord,
  line: string,
  { request, time }: { readonly request: PurgeRequest; readonly time: number },
): string | undefined {
  const room = Buffer.byteLength(bodyOf(line));
  const wholly = isOld(Buffer.from(line), request);
  const {
    hash: _,
    previous,
    seq,
    salt: __,
    purged: ___,
    kind,
    start,
    ...rest
  } = record as AuditRecord & Record<string, unknown>;
  const head = { previous, seq, purged: time, kind, start };
  const bare = { ...rest, arguments: mark, result: undefined, effects: undefined, error: bareError(record) };
  const clean = without(wholly ? bare : rest, request.texts ?? []) as Record<string, unknown>;
  const emptied = without({ ...bare, decision: undefined }, request.texts ?? []) as Record<string, unknown>;
  for (const fields of [
    clean,
    emptied,
    { callId: rest["callId"], time: rest["time"], durationMs: 0, outcome: rest["outcome"] },
  ]) {
    const text = JSON.stringify({ ...head, ...fields }).slice(1);
    const spare = room - Buffer.byteLength(text);
    if (spare >= 0) return text.slice(0, -1) + " ".repeat(spare) + "}";
  }
  return undefined;
}

function bareError({ error }: AuditRecord): unknown {
  return error && { type: error.type, code: error.code, message: mark, retryable: error.retryable };
}

function without(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string") return texts.reduce((left, text) => left.replaceAll(text, mark), value);
  if (Array.isArray(value)) return value.map((item) => without(item, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [without(key, texts) as string, without(item, texts)]),
  );
}

/** Each text, before it as it stands where a string holds JSON: arguments often do. */
function withEscaped(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [JSON.stringify(text).slice(1, -1), text]))];
}

/** Each text, escaped as in JSON and as it is. */
function needlesOf({ texts = [] }: PurgeRequest): Buffer[] {
  const once = texts.map((text) => JSON.stringify(text).slice(1, -1));
  return [...new Set([...once, ...texts])].map((text) => Buffer.from(text));
}

function overwrite(file: string, lines: readonly NewLine[]): void {
  if (lines.length === 0) return;
  const fd = openSync(file, "r+");
  try {
    for (const { line, offset } of lines) writeSync(fd, line, offset);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether a purge left nothing of the contents in a record; one that is short has not even the mark. */
function isWhole(body: string): boolean {
  const left = parseLine(`{${body}`);
  return left?.arguments === mark || left?.tool === undefined;
}

function digestsOf({ argumentsDigest, resultDigest }: AuditRecord): string[] {
  return [argumentsDigest?.sha256, resultDigest?.sha256].flatMap((digest) => digest ?? []);
}

interface AsidePurge {
  readonly request: PurgeRequest;
  readonly whole: ReadonlySet<string>;
}

function asideToPurge(dir: string, segment: number, { request, whole }: AsidePurge): string[] {
  const needles = needlesOf(request);
  return asideFiles(dir, segment).filter((file) => {
    if (whole.has(file.slice(file.lastIndexOf("/") + 1))) return true;
    if (needles.length === 0) return false;
    const content = readFileSync(file);
    return needles.some((needle) => content.includes(needle));
  });
}

function purgeAside(dir: string, segment: number, request: AsidePurge): number {
  const doomed = asideToPurge(dir, segment, request);
  for (const file of doomed) unlinkSync(file);
  return doomed.length;
}
