import { decodeText } from "./decode-text.js";
import type { DecodedText } from "./decoded-text.js";
import { createFileLines, type FileLines } from "./file-lines.js";
import type { FilePatch, Hunk } from "./file-patch.js";
import { changesOf, type Change } from "./hunk-changes.js";
import { createSpliceMaker } from "./make-splice.js";
import { nearestText, type NearestText } from "./nearest-text.js";
import { readsAsMeant, runsTogether } from "./reads-as-meant.js";
import { createSearchSpace, type SearchSpace } from "./search-space.js";
import type { LineSpan, Splice } from "./splice.js";

/** What a patch would do to the bytes of a file, or which hunk does not fit. */
export type PatchPlan = PlannedPatch | RefusedPatch;

export interface PlannedPatch {
  readonly ok: true;
  readonly splices: readonly Splice[];
  /** The old lines that each hunk covers, its context included. */
  readonly spans: readonly LineSpan[];
  readonly encoding: string;
}

export interface RefusedPatch {
  readonly ok: false;
  /** The hunk, counted from 0, and as it was written. */
  readonly hunk: number;
  readonly hunkText: string;
  readonly reason: HunkFault;
  /** A sentence about it. */
  readonly message: string;
  /** Where it would fit, if in several places. */
  readonly lines?: readonly number[];
  readonly nearest?: NearestText;
}

/** Plan a patch of one file as splices of its bytes; its context must match, wherever the lines now stand. */
export function planPatch(bytes: Uint8Array, patch: FilePatch, encoding = "auto"): PatchPlan {
  const decoded = decodeText(bytes, encoding);
  const space = createSearchSpace(bytes, decoded);
  const file = createFileLines(space, hasReturnsWithin(patch));
  const changes: NumberedChange[] = [];
  const spans: LineSpan[] = [];
  let placing = { from: 0, drift: 0 };
  for (const [index, hunk] of patch.hunks.entries()) {
    const found = findHunk({ space, file }, hunk, placing);
    if ("reason" in found) return refuse(found, { index, hunk, decoded });
    changes.push(...found.changes.map((change) => ({ ...change, index })));
    spans.push({
      startLine: Math.max(1, found.at + (found.size > 0 ? 1 : 0)),
      endLine: Math.max(1, found.at + found.size),
    });
    const drift =
      hunk.oldStart === undefined || found.size === 0 ? placing.drift : found.at + 1 - hunk.oldStart;
    placing = { from: found.at + found.size, drift };
  }
  return planChanges(bytes, patch, { space, decoded, changes, spans });
}

function hasReturnsWithin({ hunks }: FilePatch): boolean {
  return hunks.some((hunk) => hunk.lines.some((line) => line.sign !== "+" && /\r./.test(line.text)));
}

/** A change and the hunk it comes from. */
interface NumberedChange extends Change {
  readonly index: number;
}

interface Searched {
  readonly space: SearchSpace;
  readonly file: FileLines;
}

interface Misfit {
  readonly reason: HunkFault;
  readonly lines?: readonly number[];
  readonly message?: string;
}

function findHunk(
  { space, file }: Searched,
  hunk: Hunk,
  placing: { readonly from: number; readonly drift: number },
): { at: number; size: number; changes: Change[] } | Misfit {
  const packed = packHunk(hunk, space.pack);
  const place = placeHunk(
    file,
    { ...packed, ...(hunk.oldStart === undefined ? {} : { oldStart: hunk.oldStart }) },
    placing,
  );
  if ("reason" in place) return place;
  const changes = changesOf(file, { hunk, at: place.at, pack: space.pack });
  if (changes === undefined) return { reason: "not at the end of the file" };
  return { at: place.at, size: packed.oldLines.length, changes };
}

interface Found {
  readonly space: SearchSpace;
  readonly decoded: DecodedText;
  readonly changes: readonly NumberedChange[];
  readonly spans: readonly LineSpan[];
}

function planChanges(
  bytes: Uint8Array,
  patch: FilePatch,
  { space, decoded, changes, spans }: Found,
): PatchPlan {
  const toSplice = createSpliceMaker(space, decoded);
  const splices: Splice[] = [];
  const inexact = (message: string, index: number): RefusedPatch =>
    refuse({ reason: "not exact", message }, { index, hunk: patch.hunks[index], decoded });
  for (const { span, newText, index } of changes) {
    const made = toSplice(span, newText);
    if ("reason" in made) return inexact(made.reason, index);
    if (made.data.length > 0 || made.end > made.start) splices.push(made);
  }
  const meant = {
    splices,
    spans: changes.map(({ span }) => span),
    placed: changes.map(({ newText }) => newText),
  };
  if (readsAsMeant(bytes, decoded, meant)) return { ok: true, splices, spans, encoding: decoded.encoding };
  return inexact(runsTogether(decoded.encoding), 0);
}

interface Refused {
  readonly index: number;
  readonly hunk: Hunk | undefined;
  readonly decoded: DecodedText;
}

function refuse({ reason, lines, message }: Misfit, { index, hunk, decoded }: Refused): RefusedPatch {
  const old = hunk?.lines.filter((line) => line.sign !== "+").map((line) => line.text) ?? [];
  const nearest = reason === "context not found" ? nearestText(decoded.text, old.join("\n")) : undefined;
  return {
    ok: false,
    hunk: index,
    hunkText: hunk?.source ?? "",
    reason,
    message: message ?? sentences[reason],
    ...(lines === undefined ? {} : { lines }),
    ...(nearest === undefined ? {} : { nearest }),
  };
}

const sentences: Readonly<Record<HunkFault, string>> = {
  "context not found": "The lines that the hunk keeps or takes out do not stand in the file like this.",
  ambiguous: "The hunk fits in several places and its line number names none of them; give more context.",
  "already applied": "The file already has the lines that the hunk would make.",
  "out of order": "The hunk fits only before or within an earlier hunk; order the hunks by line.",
  "no context": "The hunk has neither context nor a line number; give the lines around the insertion.",
  "not at the end of the file":
    "The hunk says that the file ends here without a newline, but more lines follow.",
  "not exact": "The change cannot be written byte for byte.",
};

/** Why a hunk has no place in a file. */
type HunkFault =
  | "context not found"
  | "ambiguous"
  | "already applied"
  | "out of order"
  | "no context"
  | "not at the end of the file"
  | "not exact";

/** Where the next hunk may stand, and how far the last one was from where it said. */
interface Placing {
  readonly from: number;
  readonly drift: number;
}

type Placed = { readonly at: number } | { readonly reason: HunkFault; readonly lines?: readonly number[] };

/** A hunk's lines in the form in which the file is searched. */
interface PackedHunk {
  /** The lines that the file must have, without line ends. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The old lines end the file. */
  readonly atEnd: boolean;
}

/** Pack the two sides of a hunk; a carriage return at the end of a line is part of its line end. */
function packHunk(hunk: Hunk, pack: (text: string) => string): PackedHunk {
  const side = (sign: "-" | "+") => hunk.lines.filter((line) => line.sign === " " || line.sign === sign);
  const texts = (sign: "-" | "+") => side(sign).map(({ text }) => pack(text.replace(/\r$/, "")));
  return {
    oldLines: texts("-"),
    newLines: texts("+"),
    atEnd: side("-").some((line) => line.noNewline),
  };
}

/** Find the line (from 0) where a hunk stands: where its number says, else the only place where it fits. */
function placeHunk(file: FileLines, hunk: PackedHunk & Pick<Hunk, "oldStart">, placing: Placing): Placed {
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
