import { decodeText } from "./decode-text.js";
import type { DecodedText } from "./decoded-text.js";
import { createFileLines, type FileLines } from "./file-lines.js";
import type { FilePatch, Hunk } from "./file-patch.js";
import { changesOf, type Change } from "./hunk-changes.js";
import { createSpliceMaker, readsAsMeant, runsTogether } from "./make-splice.js";
import { nearestText, type NearestText } from "./nearest-text.js";
import { placeByHeading } from "./place-by-heading.js";
import { packHunk, placeHunk, type HunkFault } from "./place-hunk.js";
import { createSearchSpace, type SearchSpace } from "./search-space.js";
import type { LineSpan, Splice } from "./splice.js";

/** The effect of a patch on the bytes of a file, or the hunk that does not fit. */
export type PatchPlan = PlannedPatch | RefusedPatch;

export interface PlannedPatch {
  readonly ok: true;
  readonly splices: readonly Splice[];
  /** The old lines that each hunk covers, its context included. */
  readonly spans: readonly LineSpan[];
  /** Those of them that match only up to trailing blanks and typographic characters. */
  readonly loose: readonly LineSpan[];
  readonly encoding: string;
  /** The byte at which each line of the file begins, if that was found out on the way. */
  readonly lineStarts?: readonly number[] | undefined;
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

/** Plan a patch of one file as splices of its bytes; its context must match, at whatever line. */
export function planPatch(bytes: Uint8Array, patch: FilePatch, encoding = "auto"): PatchPlan {
  const decoded = decodeText(bytes, encoding);
  const space = createSearchSpace(bytes, decoded);
  const searches = patch.hunks.length;
  const file = createFileLines(space, { returnsWithin: hasReturnsWithin(patch), searches });
  const placed = patch.style === "begin-patch" ? findHeaded : findNumbered;
  const hunks = placed({ space, file }, patch.hunks);
  if ("reason" in hunks) return refuse(hunks, { hunk: patch.hunks[hunks.index], decoded });
  const spans = hunks.map(spanOf);
  const loose = spans.filter((_, index) => hunks[index]?.exact === false);
  const plan = planChanges(bytes, patch, { space, decoded, hunks });
  return plan.ok ? { ...plan, spans, loose, lineStarts: lineStartsOf(space, file) } : plan;
}

/** In other encodings than UTF-8 what is searched are not the bytes; and a file has lines of another kind if it has no line feed. */
function lineStartsOf(space: SearchSpace, { starts, mark }: FileLines): readonly number[] | undefined {
  if (!space.isBytes || (mark === "\n" && !space.packed.includes("\n"))) return undefined;
  const from = space.byteOffset(0);
  return from === 0 ? starts : starts.map((at) => from + at);
}

function hasReturnsWithin({ hunks }: FilePatch): boolean {
  return hunks.some((hunk) => hunk.lines.some(({ sign, text }) => sign !== "+" && hasReturnWithin(text)));
}

function hasReturnWithin(text: string): boolean {
  const at = text.indexOf("\r");
  return at !== -1 && at < text.length - 1;
}

interface Searched {
  readonly space: SearchSpace;
  readonly file: FileLines;
}

interface Misfit {
  readonly index: number;
  readonly reason: HunkFault;
  readonly lines?: readonly number[];
  readonly message?: string;
}

/** A hunk, the first of the lines that it covers (from 0), and how many these are. */
interface PlacedHunk {
  readonly at: number;
  readonly size: number;
  readonly exact: boolean;
  readonly changes: readonly Change[];
}

function spanOf({ at, size }: PlacedHunk): LineSpan {
  return { startLine: Math.max(1, at + (size > 0 ? 1 : 0)), endLine: Math.max(1, at + size) };
}

/** Place the hunks of a unified diff one after the other: where their numbers say, or where only they match. */
function findNumbered({ space, file }: Searched, hunks: readonly Hunk[]): PlacedHunk[] | Misfit {
  const placed: PlacedHunk[] = [];
  let placing = { from: 0, drift: 0 };
  for (const [index, hunk] of hunks.entries()) {
    const packed = packHunk(hunk, space.pack);
    const { oldStart } = hunk;
    const place = placeHunk(file, { ...packed, ...(oldStart === undefined ? {} : { oldStart }) }, placing);
    if ("reason" in place) return { index, ...place };
    const { at } = place;
    const size = packed.oldLines.length;
    const asWritten = packed.isPlain && file.endsWithFeeds(at, size);
    const changes = changesOf(file, { hunk, at, pack: space.pack, asWritten });
    if (changes === undefined) return { index, reason: "not at the end of the file" };
    placed.push({ at, size, exact: true, changes });
    const drift = oldStart === undefined || size === 0 ? placing.drift : at + 1 - oldStart;
    placing = { from: at + size, drift };
  }
  return placed;
}

/** Place hunks in the `*** Begin Patch` format, all of them together. */
function findHeaded({ space, file }: Searched, hunks: readonly Hunk[]): PlacedHunk[] | Misfit {
  const packed = hunks.map((hunk) => {
    const { oldLines, newLines, isPlain } = packHunk(hunk, space.pack);
    const { headings = [], atEnd = false, oldStart } = hunk;
    return { oldLines, newLines, isPlain, headings, atEnd, oldStart };
  });
  const places = placeByHeading(file, packed);
  if ("reason" in places) return places;
  return places.map(({ at, size, exact }, index) => {
    const asWritten = exact && packed[index]?.isPlain === true && file.endsWithFeeds(at, size);
    const hunk = hunks[index] as Hunk;
    const changes = changesOf(file, { hunk, at, pack: space.pack, asWritten }) ?? [];
    return { at, size, exact, changes };
  });
}

interface Found {
  readonly space: SearchSpace;
  readonly decoded: DecodedText;
  readonly hunks: readonly PlacedHunk[];
}

/** The changes of a patch as splices of the file's bytes. */
type PlannedChanges = Pick<PlannedPatch, "ok" | "splices" | "encoding">;

function planChanges(
  bytes: Uint8Array,
  patch: FilePatch,
  { space, decoded, hunks }: Found,
): PlannedChanges | RefusedPatch {
  const toSplice = createSpliceMaker(space, decoded);
  const splices: Splice[] = [];
  const inexact = (message: string, index: number): RefusedPatch =>
    refuse({ index, reason: "not exact", message }, { hunk: patch.hunks[index], decoded });
  for (const [index, { changes }] of hunks.entries()) {
    for (const { span, newText } of changes) {
      const made = toSplice(span, newText);
      if ("reason" in made) return inexact(made.reason, index);
      if (made.data.length > 0 || made.end > made.start) splices.push(made);
    }
  }
  const changes = hunks.flatMap((hunk) => hunk.changes);
  if (space.isBytes || readsAsMeant(bytes, decoded, { splices, changes })) {
    return { ok: true, splices, encoding: decoded.encoding };
  }
  return inexact(runsTogether(decoded.encoding), 0);
}

interface Refused {
  readonly hunk: Hunk | undefined;
  readonly decoded: DecodedText;
}

function refuse({ index, reason, lines, message }: Misfit, { hunk, decoded }: Refused): RefusedPatch {
  const old = hunk?.lines.filter((line) => line.sign !== "+").map((line) => line.text) ?? [];
  const nearest = reason === "context not found" ? nearestText(decoded.text, old.join("\n")) : undefined;
  return {
    ok: false,
    hunk: index,
    hunkText: hunk?.source() ?? "",
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
