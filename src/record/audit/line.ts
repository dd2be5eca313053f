import { hash } from "node:crypto";

/** What stands in the place of a hash where nothing came before. */
export const genesis = "0".repeat(64);

/** Places in one segment of the log; a record's place in the whole is `segment × linesPerSegment + line`. */
export const linesPerSegment = 1_000_000;

const opening = '{"hash":"';
const hashEnd = opening.length + 64;
/** Everything from here to the end of the line is hashed, with the hash of the line before in it. */
const bodyStart = hashEnd + 2;
const previousStart = bodyStart + '"previous":"'.length;
const seqStart = previousStart + 64 + '","seq":'.length;

/** A line of the log as its bytes tell, without reading the rest of it. */
export interface LineFacts {
  readonly hash: string;
  readonly previous: string;
  readonly seq: number;
  /** What the hash must be. */
  readonly actual: string;
  readonly kind: "call" | "marker" | "purged";
}

/** Chain one line to the one before; `rest` is what follows the place, from the comma to the closing brace. */
export function sealLine(previous: string, seq: number, rest: string): { hash: string; line: string } {
  const body = `"previous":"${previous}","seq":${seq}${rest}`;
  const own = hash("sha256", body);
  return { hash: own, line: `${opening}${own}",${body}\n` };
}

/** A line that keeps its old hash though its body changed: what a purge leaves. */
export function keepHash(oldHash: string, body: string): string {
  return `${opening}${oldHash}",${body}`;
}

/** The hash that a body has. */
export function hashOf(body: string | Uint8Array): string {
  return hash("sha256", body);
}

/** The hashed part of a line. */
export function bodyOf(line: string): string {
  return line.slice(bodyStart);
}

/** Look at a line without its line end; `undefined` where it is no line of the log. */
export function inspectLine(line: Buffer): LineFacts | undefined {
  if (line.length < seqStart + 2 || line.toString("latin1", 0, opening.length) !== opening) return undefined;
  if (line.toString("latin1", hashEnd, previousStart) !== `","previous":"`) return undefined;
  if (line.toString("latin1", previousStart + 64, seqStart) !== '","seq":') return undefined;
  let at = seqStart;
  let seq = 0;
  for (let digit = line[at]! - 48; digit >= 0 && digit <= 9; digit = (line[++at] ?? 0) - 48)
    seq = seq * 10 + digit;
  return {
    hash: line.toString("latin1", opening.length, hashEnd),
    previous: line.toString("latin1", previousStart, previousStart + 64),
    seq,
    actual: hash("sha256", line.subarray(bodyStart)),
    kind: kindOf(line.toString("latin1", at, at + 10)),
  };
}

function kindOf(after: string): LineFacts["kind"] {
  if (after.startsWith(',"kind":')) return "marker";
  return after === ',"purged":' ? "purged" : "call";
}
