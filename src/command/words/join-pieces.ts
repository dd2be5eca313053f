import { escapeGlob, knownField, worse, type Field } from "./field.js";
import type { Piece } from "./piece.js";

const maxFieldLength = 65_536;

export interface Splitting {
  /** The word as it was written. */
  readonly source: string;
  /** What separates words (`IFS`). */
  readonly blanks: string;
  /** Something else may separate them. */
  readonly unsure: boolean;
}

/** Split the stretches of a word into the words that it becomes. */
export function toFields(pieces: readonly Piece[], { source, blanks, unsure }: Splitting): readonly Field[] {
  if (pieces.length === 0) return [];
  if (pieces.every(isSimple)) return [toOneField(pieces)];
  if (unsure) return toFields(pieces, { source, blanks, unsure: false }).map(asUnsure);
  const words: Piece[][] = [];
  let current: Piece[] | undefined;
  const end = (): void => {
    if (current !== undefined) words.push(current);
    current = undefined;
  };
  for (const piece of pieces) {
    if (piece.breakBefore === true) end();
    if (piece.split !== true || piece.unknown === true) {
      (current ??= []).push(piece);
      continue;
    }
    for (const [at, run] of splitAt(piece.text, blanks).entries()) {
      if (at > 0) end();
      if (run !== "") (current ??= []).push({ ...piece, text: run, glob: /[*?[]/.test(run) });
    }
  }
  end();
  if (words.length > maxFields) return [{ ...knownField(source), known: false, plain: false, many: true }];
  return words.map(toOneField);
}

const maxFields = 512;

function splitAt(text: string, blanks: string): string[] {
  const runs = [""];
  let gap = false;
  for (const letter of text) {
    const blank = blanks.includes(letter);
    if (!blank && gap) runs.push("");
    if (!blank) runs[runs.length - 1] += letter;
    gap = blank;
  }
  if (gap) runs.push("");
  return runs;
}

/** The same word, where it could also be another or several. */
export function asUnsure(field: Field): Field {
  return {
    ...field,
    known: false,
    plain: false,
    many: true,
    guess: field.guess ?? (field.known ? field.text : undefined),
  };
}

function isSimple(piece: Piece): boolean {
  return piece.split !== true && piece.breakBefore !== true;
}

/** Join the stretches of one word. */
export function toOneField(pieces: readonly Piece[]): Field {
  const text = joined(pieces, (piece) => piece.text);
  const known =
    pieces.every(({ unknown, unsure }) => unknown !== true && unsure !== true) &&
    text.length <= maxFieldLength;
  const plain = pieces.every(({ moved, unknown }) => moved !== true && unknown !== true);
  const globs = pieces.some(({ glob, unknown }) => glob === true && unknown !== true);
  const taint = pieces.reduce<Field["taint"]>((found, piece) => worse(found, piece.taint), undefined);
  const substituted = !plain && pieces.every(isPlainOrSubstituted) ? { substituted: true } : {};
  if (known && !globs && taint === undefined) return { text, known, plain, ...substituted };
  const guessable = pieces.every(({ unknown, guess }) => unknown !== true || guess !== undefined);
  return {
    text,
    known,
    plain,
    ...substituted,
    many: pieces.some(
      ({ unknown, unsure, quoted }) => (unknown === true || unsure === true) && quoted !== true,
    ),
    taint,
    ...(globs && {
      pattern: joined(pieces, (piece) => (piece.glob === true ? piece.text : escapeGlob(piece.text))),
    }),
    ...(!known && {
      wild: joined(pieces, (piece) => (piece.unknown === true ? "*" : escapeGlob(piece.text))),
    }),
    ...(!known && guessable && { guess: joined(pieces, (piece) => piece.guess ?? piece.text) }),
  };
}

function isPlainOrSubstituted({ moved, unknown, substituted }: Piece): boolean {
  return substituted === true || (moved !== true && unknown !== true);
}

function joined(pieces: readonly Piece[], toText: (piece: Piece) => string): string {
  return pieces.length === 1 ? toText(pieces[0]!) : pieces.map(toText).join("");
}
