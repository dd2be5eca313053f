import { applySplices } from "./apply-splices.js";
import { decodeText } from "./decode-text.js";
import type { DecodedText } from "./decoded-text.js";
import { findEncoding } from "./encoding-names.js";
import type { Span } from "./find-match.js";
import type { Splice } from "./splice.js";

/** Splices, and the text that they are meant to make: spans of the old text and what stands there then. */
export interface MeantChange {
  readonly splices: readonly Splice[];
  readonly spans: readonly Span[];
  readonly placed: readonly string[];
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
  for (const [index, { start, end }] of change.spans.entries()) {
    parts.push(decoded.text.slice(at, start), change.placed[index] ?? "");
    at = end;
  }
  parts.push(decoded.text.slice(at));
  return decodeText(applySplices(bytes, change.splices), decoded.encoding).text === parts.join("");
}

/** Why a change was refused that would not. */
export function runsTogether(encoding: string): string {
  return `In ${encoding} the new text would run into the characters around it.`;
}
