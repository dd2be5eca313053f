import { createHash, hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import type { ContentDelta, FileImage } from "../../contract/ports/journal.js";
import { holdsBytes, readSource, type Source, type SourceDeps } from "./sources.js";

/** Smaller files are stored whole: a difference would save almost nothing. */
const minBytes = 1 << 12;
/** Up to this size the hash of the previous content is stored too, so that later versions can be traced back to it. */
const hashedBytes = 1 << 20;
/** A replaced part of up to this size is stored in the journal's row itself. */
const inlineBytes = 1 << 12;

/** What two contents have in common at their ends. */
export interface CommonEnds {
  readonly prefix: number;
  readonly suffix: number;
}

/** Whether storing only the replaced part of a file is worthwhile. */
export function isWorthDelta(before: Uint8Array, { prefix, suffix }: CommonEnds): boolean {
  return before.length >= minBytes && before.length - prefix - suffix <= before.length / 4;
}

/** What two contents have in common at their ends. */
export function commonEnds(before: Uint8Array, after: Uint8Array): CommonEnds {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (
    suffix < shorter - prefix &&
    before[before.length - 1 - suffix] === after[after.length - 1 - suffix]
  ) {
    suffix += 1;
  }
  return { prefix, suffix };
}

/**
 * Move the ends to line boundaries: a stored difference then contains whole lines, so that a secret to be purged
 * is never split.
 */
export function atLineEnds(before: Uint8Array, { prefix, suffix }: CommonEnds): CommonEnds {
  const newline = 0x0a;
  const lineStart = prefix === 0 ? 0 : before.lastIndexOf(newline, prefix - 1) + 1;
  const from = before.length - suffix;
  const isAtEnd = from > 0 && before[from - 1] === newline;
  const next = isAtEnd ? from - 1 : before.indexOf(newline, from);
  return { prefix: lineStart, suffix: next === -1 ? 0 : before.length - next - 1 };
}

/** The hash of a previous content of which only a difference is stored; empty where computing it would cost too much. */
export function hashPrevious(before: Uint8Array): string {
  return before.length > hashedBytes ? "" : hash("sha256", before);
}

/** Store only the part that the next content replaces. */
export async function storeDelta(
  blobs: BlobStore,
  before: Uint8Array,
  { prefix, suffix }: CommonEnds,
): Promise<{ readonly delta: ContentDelta; readonly blobs: readonly BlobRef[] }> {
  const middle = before.subarray(prefix, before.length - suffix);
  if (middle.length <= inlineBytes) {
    return { delta: { prefix, suffix, middle: { bytes: toBuffer(middle).toString("base64") } }, blobs: [] };
  }
  const ref = await blobs.put(middle);
  return { delta: { prefix, suffix, middle: { hash: ref.hash } }, blobs: [ref] };
}

/** The previous content, made from the one that replaced it. */
export function fromDelta(
  { prefix, suffix, middle }: ContentDelta,
  base: { readonly source: Source; readonly size: number },
): Source {
  return {
    kind: "spliced",
    base: base.source,
    head: prefix,
    middle: toSource(middle),
    tail: base.size - suffix,
  };
}

/**
 * Whether a content is the previous one, as far as that can be determined without the next: it has the same size,
 * and the stored part is in its place.
 */
export async function matchesDelta(
  deps: SourceDeps,
  { source, size }: { readonly source: Source; readonly size: number },
  image: FileImage,
): Promise<boolean> {
  if (image.delta === undefined || size !== image.size) return false;
  const { prefix, suffix, middle } = image.delta;
  const parts: Uint8Array[] = [];
  let position = 0;
  for await (const chunk of readSource(deps, source)) {
    const [from, to] = [Math.max(prefix - position, 0), Math.max(size - suffix - position, 0)];
    parts.push(Buffer.from(chunk.subarray(Math.min(from, chunk.length), Math.min(to, chunk.length))));
    position += chunk.length;
  }
  return holdsBytes(deps, toSource(middle), Buffer.concat(parts));
}

function toSource(middle: ContentDelta["middle"]): Source {
  if ("hash" in middle) return { kind: "blob", hash: middle.hash };
  return { kind: "data", data: Buffer.from(middle.bytes, "base64") };
}

/** The blobs that an image needs. */
export function blobsOfFile({ hash, delta }: FileImage): string[] {
  if (delta === undefined) return [hash];
  return "hash" in delta.middle ? [delta.middle.hash] : [];
}

const sliceBytes = 1 << 20;

/** The hash of a content in pieces; other work on the event loop gets a turn in between. */
export async function hashPieces(pieces: readonly Uint8Array[]): Promise<string> {
  const digest = createHash("sha256");
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      digest.update(piece.subarray(at, at + sliceBytes));
      await nextTurn();
    }
  }
  return digest.digest("hex");
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
