import { hash } from "node:crypto";

/** The hash that the first line of a chain refers to. */
export const genesis = "0".repeat(64);

/** Places in one segment of the log; a record's place in the whole is `segment × linesPerSegment + line`. */
export const linesPerSegment = 1_000_000;

const opening = '{"hash":"';
const hashEnd = opening.length + 64;
/** Everything from here to the end of the line is hashed, with the hash of the line before in it. */
const bodyStart = hashEnd + 2;
const previousStart = bodyStart + '"previous":"'.length;
/** Where a line goes on behind its hashes. */
export const afterHashes = previousStart + 64 + '",'.length;
const seqStart = previousStart + 64 + '","seq":'.length;

/** What the first bytes of a line say, without parsing the rest. */
export interface LineFacts {
  readonly hash: string;
  readonly previous: string;
  readonly seq: number;
  /** The hash that the line must have. */
  readonly actual: string;
  readonly kind: "call" | "start" | "marker";
  /** A purge removed contents from the line; its hash is that of the original. */
  readonly purged: boolean;
  /** The start record that this one ends. */
  readonly start?: number | undefined;
}

/** A line in the buffer that it was written to. */
export interface SealedLine {
  readonly hash: string;
  /** Where it ends, behind its line end. */
  readonly end: number;
  /** It says more than that a call ended: that one begins, or ends what another line began, or a marker. */
  readonly isLinked: boolean;
}

/**
 * Write one line, chained to the one before; `rest` is what follows the place, from the comma to the closing brace.
 * The text is turned into bytes once, and these are hashed.
 */
export function sealLine(
  bytes: Buffer,
  from: number,
  { previous, seq, rest }: { readonly previous: string; readonly seq: number; readonly rest: string },
): SealedLine {
  const place = `"previous":"${previous}","seq":${seq}`;
  const start = from + bodyStart;
  const end = start + bytes.write(`${place}${rest}`, start);
  const own = hash("sha256", bytes.subarray(start, end));
  bytes.write(`${opening}${own}",`, from, "latin1");
  bytes[end] = lineEnd;
  return { hash: own, end: end + 1, isLinked: bytes[start + place.length + 2] !== firstOfCallId };
}

const lineEnd = 10;
/** The records of calls without a start record begin with `,"callId"`. */
const firstOfCallId = 99;

/** The most bytes that a line takes: so many for each character of its rest, and so many more. */
export const maxLineBytes = { perChar: 3, more: 256 };

/** A line that keeps its old hash though its body changed: what a purge leaves. */
export function keepHash(oldHash: string, body: string): string {
  return `${opening}${oldHash}",${body}`;
}

export function hashOf(body: string | Uint8Array): string {
  return hash("sha256", body);
}

/** The hashed part of a line. */
export function bodyOf(line: string): string {
  return line.slice(bodyStart);
}

/** Inspect a line without its line end; `undefined` if it is not a line of the log. */
export function inspectLine(line: Buffer): LineFacts | undefined {
  if (line.length < seqStart + 2 || line.toString("latin1", 0, opening.length) !== opening) return undefined;
  if (line.toString("latin1", hashEnd, previousStart) !== `","previous":"`) return undefined;
  if (line.toString("latin1", previousStart + 64, seqStart) !== '","seq":') return undefined;
  const [seq, at] = readNumber(line, seqStart);
  return {
    hash: line.toString("latin1", opening.length, hashEnd),
    previous: line.toString("latin1", previousStart, previousStart + 64),
    seq,
    actual: hash("sha256", line.subarray(bodyStart)),
    ...linkAt(line, at),
  };
}

/** The kind of a line, without checking its hash. */
export function inspectLink(line: Buffer): LineLink & Pick<LineFacts, "seq"> {
  const [seq, at] = readNumber(line, seqStart);
  return { seq, ...linkAt(line, at) };
}

/** Whether the hashes of a line stand where they are written. */
export function beginsWithHashes(line: Uint8Array): boolean {
  const isEndAt = (at: number): boolean => line[at] === 34 && line[at + 1] === 44 && line[at + 2] === 34;
  return isEndAt(hashEnd) && isEndAt(previousStart + 64);
}

type LineLink = Pick<LineFacts, "kind" | "start" | "purged">;

/** How the part of a start record begins that follows its place. */
export const startMark = ',"kind":"start"';
/** The same of a record that ends a call with a start record. */
export const endMark = ',"start":';

function linkAt(line: Buffer, at: number): LineLink {
  const after = line.toString("latin1", at, at + startMark.length);
  if (after === startMark) return { kind: "start", purged: false };
  if (after.startsWith(endMark))
    return { kind: "call", start: readNumber(line, at + endMark.length)[0], purged: false };
  if (after.startsWith(',"kind":')) return { kind: "marker", purged: false };
  return after.startsWith(',"purged":') ? linkOfPurged(line) : { kind: "call", purged: false };
}

/** A purge rewrites a line, so its fields are no longer at their old positions. */
function linkOfPurged(line: Buffer): LineLink {
  try {
    const { kind, start } = JSON.parse(line.toString()) as { kind?: unknown; start?: unknown };
    if (kind === "start") return { kind, purged: true };
    return { kind: "call", purged: true, ...(typeof start === "number" && { start }) };
  } catch {
    return { kind: "call", purged: true }; // a damaged line, which its hash tells
  }
}

function readNumber(line: Buffer, from: number): [value: number, end: number] {
  let at = from;
  let value = 0;
  for (let digit = (line[at] ?? 0) - 48; digit >= 0 && digit <= 9; digit = (line[++at] ?? 0) - 48)
    value = value * 10 + digit;
  return [value, at];
}
