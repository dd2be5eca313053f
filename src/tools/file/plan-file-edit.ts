import type { ToolContext } from "../../contract/context.js";
import type { SeenFile } from "../../contract/ports/seen.js";
import { planEdit, type PlannedEdit, type RefusedEdit, type ReplacedSpan } from "../../text/plan-edit.js";
import type { LineSpan } from "../../text/splice.js";
import type { PlannedChange } from "./change-files.js";
import { describeEdit } from "./describe-edit.js";
import { bytesAfter, editText, knownAfter, type EditedText } from "./edited-text.js";
import { compareSeen, isUnchangedInPlace, type Freshness } from "./freshness.js";
import {
  charSpanOf,
  nothingKnown,
  toPlace,
  type CharSpan,
  type KnownLines,
  type UnreadPlace,
} from "./known-lines.js";
import { checkCreatable, requireText, type PresentFile } from "./layers.js";
import {
  createExists,
  modifiedSinceRead,
  noChange,
  notExact,
  notRead,
  oldTextAmbiguous,
  oldTextMissing,
} from "./layer-errors.js";
import { noteWritten } from "./note-written.js";
import { createPresentLines } from "./present-lines.js";

/** A requested edit. */
export interface FileEdit {
  readonly path: string;
  readonly old_str: string;
  readonly new_str: string;
  readonly replace_all: boolean;
}

export interface EditResult {
  path: string;
  replacements: number;
  oldStrLen: number;
  newStrLen: number;
  contextSnippet: string;
  diff: string;
  created: boolean;
  matched: PlannedEdit["how"];
}

type EditDeps = Pick<ToolContext, "files" | "seen">;

/** Check an edit by layers 3 to 9. */
export async function planFileEdit(edit: FileEdit, deps: EditDeps): Promise<PlannedChange<EditResult>> {
  if (edit.old_str === "") return planCreation(edit, deps);
  const file = await requireText(deps, edit.path);
  const { path, old_str: oldStr, new_str: newStr, replace_all: replaceAll } = edit;
  const isLarge = file.bytes.length > largeBytes;
  if (file.seen === undefined && !isLarge) throw notRead(path);
  const plan = planEdit(file.bytes, { oldStr, newStr, replaceAll }, file.encoding);
  if (file.seen === undefined) throw notRead(path, plan.ok ? placesOf(file, plan) : []);
  if (!plan.ok) throw editRefused(file, file.seen, { plan, oldStr });
  // Only lines near these positions are needed, so the rest of the file is not scanned again.
  const positions = plan.spans.map(({ startLine: line, start: byte }) => ({ line, byte }));
  const lines = createPresentLines(file.bytes, file.encoding, { near: positions });
  const known = requireFresh({ path, stat: file.stat, lines }, file.seen, {
    spans: plan.spans,
    oldStr,
    textIn: (at) => charSpanOf({ bytes: file.bytes, lines }, plan.spans[at] as ReplacedSpan),
  });
  if (plan.splices.length === 0) throw noChange("The edit would change nothing in the file.");
  const edited = editText(file.bytes, lines, plan.splices);
  return {
    mutations: [{ op: "splice", path, before: file.bytes, splices: plan.splices }],
    ...describeOutcome(edit, { edited, plan, created: false }),
    refresh: () =>
      noteWritten(deps, path, { edited, known: knownAfter(known, edited), encoding: file.seen?.encoding }),
    giveBack: file.giveBack,
  };
}

/** Of a larger file only the places that would change have to be read. */
const largeBytes = 1 << 16;

function placesOf(file: PresentFile, plan: PlannedEdit): UnreadPlace[] {
  return plan.spans.map((span) => toPlace(span, file.lines, () => charSpanOf(file, span)));
}

/** Create a file, or fill an empty one. */
async function planCreation(edit: FileEdit, deps: EditDeps): Promise<PlannedChange<EditResult>> {
  const { path, new_str: newStr } = edit;
  const stat = await deps.files.stat(path);
  if (stat === null) await checkCreatable(deps, path);
  // A file of up to 4 bytes may consist of a byte order mark only.
  if (stat !== null && stat.type === "file" && stat.size > 4) throw createExists(path);
  const file = stat === null ? undefined : await requireText(deps, path);
  const before = file?.bytes ?? new Uint8Array();
  const plan = planEdit(before, { oldStr: "", newStr });
  if (!plan.ok) throw plan.fault === "not-exact" ? notExact(path, plan.reason) : createExists(path);
  const edited = editText(before, file?.lines ?? createPresentLines(before), plan.splices);
  const options = file === undefined ? { create: true } : { ifContent: before };
  return {
    mutations: [{ op: "write", path, data: bytesAfter(edited), options }],
    ...describeOutcome(edit, { edited, plan, created: file === undefined }),
    refresh: () => noteWritten(deps, path, { edited, known: knownAfter(nothingKnown, edited) }),
  };
}

/** The lines that an edit covers. */
interface EditedSpans {
  readonly spans: readonly LineSpan[];
  readonly oldStr?: string;
  /** Where the replaced text lies in its lines. @default it is all of them */
  readonly textIn?: (at: number) => CharSpan;
}

/** Layers 7 and 8 for the lines that an edit covers; returns the known lines by their current numbers. */
export function requireFresh(
  file: Pick<PresentFile, "path" | "stat" | "lines">,
  seen: SeenFile,
  { spans, oldStr, textIn }: EditedSpans,
): KnownLines {
  const { path, lines, stat } = file;
  const looksSame = seen.identity === stat.identity;
  if (looksSame && spans.every((span) => isUnchangedInPlace(seen, lines, span))) {
    return { runs: seen.runs, parts: seen.parts ?? [] };
  }
  const fresh = compareSeen(seen, lines);
  const verdicts = spans.map((span, at) => fresh.judge(span, textIn && (() => textIn(at))));
  const unseen = spans.flatMap((span, at) =>
    verdicts[at] === "unseen" ? [toPlace(span, lines, textIn && (() => textIn(at)))] : [],
  );
  if (unseen.length > 0) throw notRead(path, unseen);
  if (verdicts.includes("changed")) throw modifiedSinceRead(path, fresh.firstChange);
  // The text may also have been seen in lines that have changed since, and those may be meant.
  if (oldStr !== undefined && fresh.changedWith(oldStr) !== undefined) {
    throw modifiedSinceRead(path, fresh.firstChange);
  }
  return fresh.known;
}

/** The error for an edit that does not match the file: layers 7 and 8 come before layer 9. */
function editRefused(
  file: PresentFile,
  seen: SeenFile,
  { plan, oldStr }: { readonly plan: RefusedEdit; readonly oldStr: string },
): Error {
  const { path } = file;
  if (plan.fault === "not-exact") return notExact(path, plan.reason);
  const fresh = compareSeen(seen, file.lines);
  if (fresh.changedWith(oldStr) !== undefined) return modifiedSinceRead(path, fresh.firstChange);
  if (plan.fault === "not-found") return oldTextMissing(path, plan.nearest);
  return unseenEverywhere(fresh, plan.lines)
    ? notRead(
        path,
        plan.lines.map((line) => ({ startLine: line, endLine: line })),
      )
    : oldTextAmbiguous(path, plan);
}

function unseenEverywhere(fresh: Freshness, lines: readonly number[]): boolean {
  return lines.every((line) => fresh.judge({ startLine: line, endLine: line }) === "unseen");
}

interface EditOutcome {
  readonly edited: EditedText;
  readonly plan: PlannedEdit;
  readonly created: boolean;
}

function describeOutcome(
  { path, old_str, new_str }: FileEdit,
  { edited, plan, created }: EditOutcome,
): Pick<PlannedChange<EditResult>, "preview" | "result"> {
  const { diff, snippet } = describeEdit(created ? { oldPath: null, newPath: path } : { path }, edited);
  const { replacements, how: matched } = plan;
  const summary = created
    ? `Create ${path}`
    : `Edit ${path}: ${replacements} ${replacements === 1 ? "replacement" : "replacements"}`;
  const lengths = { oldStrLen: old_str.length, newStrLen: new_str.length };
  return {
    preview: { summary, diff },
    result: { path, replacements, ...lengths, contextSnippet: snippet, diff, created, matched },
  };
}
