import type { FileMutation, FileSplice } from "../../contract/ports/files.js";
import { fileConflict } from "../files/file-errors.js";
import { checkContent } from "./plan-content.js";
import {
  atLineEnds,
  commonEnds,
  hashPrevious,
  hashPieces,
  isWorthDelta,
  storeDelta,
  type CommonEnds,
} from "./delta.js";
import { fileImage } from "./images.js";
import type { PreviousContent, Plan } from "./plan.js";
import type { Source } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

type SpliceMutation = Extract<FileMutation, { op: "splice" }>;

/** Up to this size a file is joined in memory. */
export const joinedBytes = 1 << 18;

/** The next content: joined if the file is small, else its pieces, beginning with what stays before the first splice. */
export function sourceAfter({
  path,
  before,
  splices,
}: SpliceMutation): Extract<Source, { kind: "data" | "pieces" }> {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, data } of splices) {
    if (start < from || end < start || end > before.length)
      throw fileConflict(path, "cannot be edited with overlapping or unordered splices");
    pieces.push(before.subarray(from, start), data);
    from = end;
  }
  pieces.push(before.subarray(from));
  if (before.length > joinedBytes) return { kind: "pieces", pieces: joinSmall(pieces) };
  return { kind: "data", data: Buffer.concat(pieces) };
}

const smallBytes = 1 << 16;
const chunkBytes = 1 << 18;

/** A patch with many hunks has many small pieces: each would be a system call of its own. */
function joinSmall(pieces: readonly Uint8Array[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let size = 0;
  const flush = (): void => {
    const [only] = small;
    if (only !== undefined) chunks.push(small.length === 1 ? only : Buffer.concat(small, size));
    small = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (piece.length >= smallBytes || size >= chunkBytes) flush();
    small.push(piece);
    size += piece.length;
  }
  flush();
  return chunks;
}

/** A content and its replacement, which consists of pieces of it and new ones. */
export interface Spliced {
  /** The path to name in errors. */
  readonly text: string;
  readonly before: Uint8Array;
  readonly pieces: readonly Uint8Array[];
  readonly splices: readonly FileSplice[];
}

/**
 * For a small change only the difference is stored. Whether the file still has the expected content is checked as late
 * as possible, while the new content is being written.
 */
export async function previousOfSplice(
  plan: Plan,
  node: VirtualNode | null,
  { text, before, pieces, splices }: Spliced,
): Promise<PreviousContent | undefined> {
  const [first, last] = [splices[0], splices.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const ends = { prefix: first.start, suffix: before.length - last.end };
  return storePrevious(plan, node, { text, before, pieces, ends });
}

/** The same for a content that is replaced as a whole. */
export async function previousOfWrite(
  plan: Plan,
  node: VirtualNode | null,
  { text, before, data }: { readonly text: string; readonly before: Uint8Array; readonly data: Uint8Array },
): Promise<PreviousContent | undefined> {
  return storePrevious(plan, node, { text, before, pieces: [data], ends: commonEnds(before, data) });
}

interface Replaced {
  readonly text: string;
  readonly before: Uint8Array;
  readonly pieces: readonly Uint8Array[];
  readonly ends: CommonEnds;
}

async function storePrevious(
  plan: Plan,
  node: VirtualNode | null,
  { text, before, pieces, ends: shared }: Replaced,
): Promise<PreviousContent | undefined> {
  if (node?.type !== "file") return undefined;
  const ends = atLineEnds(before, shared);
  if (!isWorthDelta(before, ends)) return undefined;
  plan.deps.onBytes(before.length - ends.prefix - ends.suffix);
  const { delta, blobs } = await storeDelta(plan.deps.blobs, before, ends);
  const image = { ...fileImage(node, { hash: hashPrevious(before), size: before.length }), delta };
  return {
    image,
    blobs,
    check: () => checkContent(plan.deps, { text, node, wanted: before }),
    hashAfter: () => hashPieces(pieces),
  };
}
