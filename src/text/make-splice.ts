import type { DecodedText } from "./decoded-text.js";
import { findEncoding } from "./encoding-names.js";
import type { Span } from "./find-match.js";
import type { SearchSpace } from "./search-space.js";
import type { Splice } from "./splice.js";
import { decodeText } from "./decode-text.js";

/** Turns a span and what shall stand there into a splice, or says why that cannot be byte-exact. */
export type SpliceMaker = (span: Span, newText: string) => Splice | { readonly reason: string };

/** Make the function that cuts replacements down to what differs; equal ones are worked out once. */
export function createSpliceMaker(space: SearchSpace, decoded: DecodedText): SpliceMaker {
  let last: { old: string; newText: string; cut: Cut } | undefined;
  return (span, newText) => {
    const old = space.slice(span.start, span.end);
    if (last?.old !== old || last.newText !== newText) {
      last = { old, newText, cut: cutDown(space, old, newText) };
    }
    const { head, tail, data } = last.cut;
    if (data === undefined) return { reason: unwritable(newText, decoded) };
    const [start, end] = [span.start + head, span.end - tail];
    if (!space.isExact(start, end)) return { reason: inexact(decoded) };
    return { start: space.byteOffset(start), end: space.byteOffset(end), data };
  };
}

/** Say that a text has characters which the file's encoding has not. */
export function unwritable(text: string, decoded: DecodedText): string {
  const char = Array.from(text).find((one) => decoded.encode(one) === undefined);
  const shown = char === undefined ? "the new text" : `${JSON.stringify(char)} (${codePoint(char)})`;
  return `The file is encoded in ${decoded.encoding}, which cannot hold ${shown}.`;
}

export function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function inexact(decoded: DecodedText): string {
  if (findEncoding(decoded.encoding)?.family === "stateful") {
    return `In ${decoded.encoding} what bytes mean hangs on all before them, so a part cannot be replaced; write the whole file in UTF-8 instead.`;
  }
  return `The bytes of the old text are not the ones that ${decoded.encoding} would write for it, so they cannot be kept exact.`;
}

interface Cut {
  readonly head: number;
  readonly tail: number;
  readonly data: Uint8Array | undefined;
}

/** Leave out what both texts begin and end with, whole characters only. */
function cutDown(space: SearchSpace, old: string, newText: string): Cut {
  const shorter = Math.min(old.length, newText.length);
  let head = 0;
  while (head < shorter && old.charCodeAt(head) === newText.charCodeAt(head)) head += 1;
  while (head > 0 && !(space.canCut(old, head) && space.canCut(newText, head))) head -= 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    old.charCodeAt(old.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)
  ) {
    tail += 1;
  }
  // Behind the last character a text can always be cut.
  while (!(space.canCut(old, old.length - tail) && space.canCut(newText, newText.length - tail))) tail -= 1;
  return { head, tail, data: space.toBytes(newText.slice(head, newText.length - tail)) };
}

/** Make the new bytes: the old ones with each splice (ascending, not overlapping) put in. */
export function applySplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const result = new Uint8Array(sizeAfter(bytes, splices));
  let from = 0;
  let to = 0;
  for (const { start, end, data } of splices) {
    result.set(bytes.subarray(from, start), to);
    to += start - from;
    result.set(data, to);
    to += data.length;
    from = end;
  }
  result.set(bytes.subarray(from), to);
  return result;
}

function sizeAfter(bytes: Uint8Array, splices: readonly Splice[]): number {
  let size = bytes.length;
  let last = 0;
  for (const { start, end, data } of splices) {
    // Splices out of order would duplicate or drop bytes without a sound.
    if (start < last || end < start || end > bytes.length) {
      throw new RangeError(`Splice ${start}..${end} does not fit ${bytes.length} bytes after ${last}.`);
    }
    last = end;
    size += data.length - (end - start);
  }
  return size;
}

/** Splices, and the text that they should make: spans of the old text with their new content. */
interface MeantChange {
  readonly splices: readonly Splice[];
  readonly changes: readonly { readonly span: Span; readonly newText: string }[];
}

/**
 * Whether the bytes after a change read as the text that is meant. In most encodings they cannot but; in
 * those where a byte's meaning hangs on the one before it, the proof is to read the result.
 */
export function readsAsMeant(bytes: Uint8Array, decoded: DecodedText, change: MeantChange): boolean {
  const family = findEncoding(decoded.encoding)?.family;
  if (family !== "multi" && family !== "whole") return true;
  const parts: string[] = [];
  let at = 0;
  for (const { span, newText } of change.changes) {
    parts.push(decoded.text.slice(at, span.start), newText);
    at = span.end;
  }
  parts.push(decoded.text.slice(at));
  return decodeText(applySplices(bytes, change.splices), decoded.encoding).text === parts.join("");
}

/** Why a change was refused that would not. */
export function runsTogether(encoding: string): string {
  return `In ${encoding} the new text would run into the characters around it.`;
}
