import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import type { ContentDelta, FileImage } from "../../contract/ports/journal.js";
import type { Source } from "./sources.js";

/** Below this a file is kept whole: that is as quick, and simpler. */
const leastBytes = 1 << 18;
/** A replaced part of this size stands in the journal's row itself. */
const inlineBytes = 1 << 12;

/** What two contents have in common at their ends. */
export interface CommonEnds {
  readonly prefix: number;
  readonly suffix: number;
}

/** Whether it is worth to keep only what a file lacks afterwards. */
export function isWorthDelta(before: Uint8Array, { prefix, suffix }: CommonEnds): boolean {
  return before.length >= leastBytes && before.length - prefix - suffix <= before.length / 4;
}

/** Keep only what the next content lacks. */
export async function keepDelta(
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

/** A former content, made from the one that took its place. */
export function fromDelta(
  { prefix, suffix, middle }: ContentDelta,
  base: { readonly source: Source; readonly size: number },
): Source {
  const replaced: Source =
    "hash" in middle
      ? { kind: "blob", hash: middle.hash }
      : { kind: "data", data: Buffer.from(middle.bytes, "base64") };
  return { kind: "spliced", base: base.source, head: prefix, middle: replaced, tail: base.size - suffix };
}

/** The contents that must still be kept for an image. */
export function blobsOfFile({ hash, delta }: FileImage): string[] {
  if (delta === undefined) return [hash];
  return "hash" in delta.middle ? [delta.middle.hash] : [];
}

const sliceBytes = 1 << 20;

/** The hashes of a content and of the next one, whose first piece is its beginning and is hashed once. The loop gets air between. */
export async function hashBoth(
  before: Uint8Array,
  [head = new Uint8Array(), ...rest]: readonly Uint8Array[],
): Promise<{ readonly before: string; readonly after: string }> {
  const common = createHash("sha256");
  await updateSlowly(common, head);
  const other = common.copy();
  await updateSlowly(common, before.subarray(head.length));
  for (const piece of rest) await updateSlowly(other, piece);
  return { before: common.digest("hex"), after: other.digest("hex") };
}

async function updateSlowly(hash: ReturnType<typeof createHash>, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    hash.update(bytes.subarray(at, at + sliceBytes));
    await nextTurn();
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
