import type { FileLines } from "./file-lines.js";
import type { Hunk } from "./file-patch.js";

/** Why a hunk has no place in a file. */
export type HunkFault =
  | "context not found"
  | "ambiguous"
  | "already applied"
  | "out of order"
  | "no context"
  | "not at the end of the file"
  | "not exact";

/** Where the next hunk may stand, and how far the last one was from where it said. */
export interface Placing {
  readonly from: number;
  readonly drift: number;
}

export type Placed =
  | { readonly at: number }
  | { readonly reason: HunkFault; readonly lines?: readonly number[] };

/** A hunk's lines in the form in which the file is searched. */
export interface PackedHunk {
  /** The lines that the file must have, without line ends. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The old lines end the file. */
  readonly atEnd: boolean;
  /** Whether its lines have neither carriage returns nor a word about a missing line end. */
  readonly isPlain: boolean;
}

/** Pack the two sides of a hunk; a carriage return at the end of a line is part of its line end. */
export function packHunk(hunk: Hunk, pack: (text: string) => string): PackedHunk {
  const oldLines: string[] = [];
  const newLines: string[] = [];
  let atEnd = false;
  let isPlain = true;
  for (const { sign, text, noNewline } of hunk.lines) {
    const packed = pack(text.endsWith("\r") ? text.slice(0, -1) : text);
    isPlain &&= !noNewline && !text.includes("\r");
    if (sign !== "-") newLines.push(packed);
    if (sign === "+") continue;
    oldLines.push(packed);
    atEnd ||= noNewline;
  }
  return { oldLines, newLines, atEnd, isPlain };
}

/** Find the line (from 0) of a hunk: the one that its number names, otherwise the only one where it fits. */
export function placeHunk(
  file: FileLines,
  hunk: PackedHunk & Pick<Hunk, "oldStart">,
  placing: Placing,
): Placed {
  const { oldLines, atEnd, oldStart } = hunk;
  if (oldLines.length === 0) return placeInsertion(file, oldStart, placing);
  const everywhere = file.find(oldLines);
  const fitting = atEnd ? everywhere.filter((at) => at + oldLines.length === file.count) : everywhere;
  const places = fitting.filter((at) => at >= placing.from);
  const [only] = places;
  if (only === undefined) return { reason: whyAbsent(file, hunk, { everywhere, fitting }) };
  if (places.length === 1) return { at: only };
  const chosen = chooseByNumber(new Set(places), oldStart, placing.drift);
  if (chosen !== undefined) return { at: chosen };
  return { reason: "ambiguous", lines: places.slice(0, 20).map((at) => at + 1) };
}

/** After the line that the number names, as git counts. */
function placeInsertion(file: FileLines, oldStart: number | undefined, { from }: Placing): Placed {
  if (file.count === 0) return { at: 0 };
  if (oldStart === undefined) return { reason: "no context" };
  if (oldStart > file.count) return { reason: "context not found" };
  return oldStart < from ? { reason: "out of order" } : { at: oldStart };
}

/** The numbers of a diff are off by the same amount from hunk to hunk, so both readings count. */
function chooseByNumber(
  places: ReadonlySet<number>,
  oldStart: number | undefined,
  drift: number,
): number | undefined {
  if (oldStart === undefined) return undefined;
  const [stated, drifted] = [oldStart - 1, oldStart - 1 + drift];
  const fits = [...new Set([stated, drifted])].filter((at) => places.has(at));
  return fits.length === 1 ? fits[0] : undefined;
}

function whyAbsent(
  file: FileLines,
  hunk: PackedHunk,
  { everywhere, fitting }: { everywhere: readonly number[]; fitting: readonly number[] },
): HunkFault {
  if (fitting.length > 0) return "out of order";
  if (everywhere.length > 0) return "not at the end of the file";
  const isThere = hunk.newLines.length > 0 && file.find(hunk.newLines).length > 0;
  return isThere ? "already applied" : "context not found";
}
