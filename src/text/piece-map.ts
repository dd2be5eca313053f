import type { Decoding } from "./decoded-text.js";
import { lastAtOrBefore } from "./last-at-or-before.js";

/**
 * A run of characters that lie in the bytes in one way: exact ones encode to their bytes; the others are
 * broken bytes, one character each, or one character whose bytes another encoder would not choose.
 */
export interface Piece {
  readonly charStart: number;
  readonly byteStart: number;
  readonly exact: boolean;
}

export interface PieceMapOptions {
  readonly text: string;
  /** In order, without gaps. */
  readonly pieces: readonly Piece[];
  readonly byteLength: number;
  /** How many bytes characters of an exact piece take. */
  readonly sizeOf: (text: string) => number;
  /** Whether the text can be cut here without cutting a character. */
  readonly canCut: (text: string, index: number) => boolean;
}

/** Map characters to bytes without a table for every character: pieces, and a cursor for the last one asked. */
export function createPieceMap({ text, pieces, byteLength, sizeOf, canCut }: PieceMapOptions): Decoding {
  const cursor = { char: 0, byte: 0 };

  const exactOffset = (piece: Piece, index: number): number => {
    const resume = cursor.char >= piece.charStart && cursor.char <= index;
    const from = resume ? cursor.char : piece.charStart;
    cursor.byte = (resume ? cursor.byte : piece.byteStart) + sizeOf(text.slice(from, index));
    cursor.char = index;
    return cursor.byte;
  };

  return {
    text,
    byteOffset(asked) {
      const index = canCut(text, asked) ? asked : asked - 1;
      if (index <= 0) return 0;
      if (index >= text.length) return byteLength;
      const piece = pieces[pieceAt(pieces, index)];
      if (piece === undefined) return byteLength;
      return piece.exact ? exactOffset(piece, index) : piece.byteStart + index - piece.charStart;
    },
    isExact(start, end) {
      if (!canCut(text, start) || !canCut(text, end)) return false;
      for (let at = pieceAt(pieces, start); at < pieces.length; at += 1) {
        const piece = pieces[at];
        if (piece === undefined || piece.charStart >= end) return true;
        if (!piece.exact) return false;
      }
      return true;
    },
  };
}

/** The last piece that begins at or before the character. */
function pieceAt(pieces: readonly Piece[], index: number): number {
  return lastAtOrBefore(pieces.length, (at) => pieces[at]?.charStart ?? 0, index);
}
