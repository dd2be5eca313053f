import type { ToolContext } from "../../contract/context.js";
import type { SeenFile } from "../../contract/ports/seen.js";
import type { LineRun } from "../../text/line-runs.js";
import { planEdit, type PlannedEdit, type RefusedEdit } from "../../text/plan-edit.js";
import type { LineSpan } from "../../text/splice.js";
import type { PlannedChange } from "./change-files.js";
import { describeEdit } from "./describe-edit.js";
import { bytesAfter, editText, runsAfter, type EditedText } from "./edited-text.js";
import { compareSeen, standsAsSeen, type Freshness } from "./freshness.js";
import { checkCreatable, requireFile, requireText, type PresentFile } from "./layers.js";
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

/** An edit as the caller wants it. */
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

type World = Pick<ToolContext, "files" | "seen">;

/** Bring an edit through layers 3 to 9. */
export async function planFileEdit(edit: FileEdit, world: World): Promise<PlannedChange<EditResult>> {
  if (edit.old_str === "") return planCreation(edit, world);
  const file = await requireText(world, edit.path, await requireFile(world, edit.path));
  if (file.seen === undefined) throw notRead(edit.path);
  const { path, old_str: oldStr, new_str: newStr, replace_all: replaceAll } = edit;
  const plan = planEdit(file.bytes, { oldStr, newStr, replaceAll }, file.encoding);
  if (!plan.ok) throw refusal(file, file.seen, { plan, oldStr });
  // Near these places all lines lie that an edit of a few needs; the rest of the file is not looked at again.
  const places = plan.spans.map(({ startLine: line }, at) => ({ line, byte: plan.starts[at] ?? 0 }));
  const lines = createPresentLines(file.bytes, file.encoding, places);
  const runs = requireFresh({ ...file, lines }, file.seen, { spans: plan.spans, oldStr });
  if (plan.splices.length === 0) throw noChange("The edit would change nothing in the file.");
  const edited = editText(file.bytes, lines, plan.splices);
  return {
    mutations: [{ op: "splice", path, before: file.bytes, splices: plan.splices }],
    ...told(edit, { edited, plan, created: false }),
    refresh: () =>
      noteWritten(world, path, { edited, runs: runsAfter(runs, edited), encoding: file.seen?.encoding }),
  };
}

/** A file that is not there, or holds nothing, gets its first text. */
async function planCreation(edit: FileEdit, world: World): Promise<PlannedChange<EditResult>> {
  const { path, new_str: newStr } = edit;
  const stat = await world.files.stat(path);
  if (stat === null) await checkCreatable(world, path);
  // Nothing longer can be a mark of the encoding alone.
  if (stat !== null && stat.type === "file" && stat.size > 4) throw createExists(path);
  const file = stat === null ? undefined : await requireText(world, path, stat);
  const before = file?.bytes ?? new Uint8Array();
  const plan = planEdit(before, { oldStr: "", newStr });
  if (!plan.ok) throw plan.fault === "not-exact" ? notExact(path, plan.reason) : createExists(path);
  const edited = editText(before, file?.lines ?? createPresentLines(before), plan.splices);
  const options = file === undefined ? { create: true } : { ifContent: before };
  return {
    mutations: [{ op: "write", path, data: bytesAfter(edited), options }],
    ...told(edit, { edited, plan, created: file === undefined }),
    refresh: () => noteWritten(world, path, { edited, runs: runsAfter([], edited) }),
  };
}

/** Layers 7 and 8 for the lines that an edit covers; what is known of the file, by the numbers of now. */
export function requireFresh(
  file: PresentFile,
  seen: SeenFile,
  { spans, oldStr }: { readonly spans: readonly LineSpan[]; readonly oldStr?: string },
): readonly LineRun[] {
  const { path, lines, stat } = file;
  const looksSame = seen.identity === stat.identity;
  if (looksSame && spans.every((span) => standsAsSeen(seen, lines, span))) return seen.runs;
  const fresh = compareSeen(seen, lines);
  for (const span of spans) {
    const verdict = fresh.judge(span);
    if (verdict === "unseen") throw notRead(path, span);
    if (verdict === "changed") throw modifiedSinceRead(path, fresh.firstChange);
  }
  // Another place that was seen with this text may be the one that is meant.
  if (oldStr !== undefined && fresh.changedWith(oldStr) !== undefined) {
    throw modifiedSinceRead(path, fresh.firstChange);
  }
  return fresh.runs;
}

/** Why an edit that does not fit the file is refused: layers 7 and 8 come before layer 9. */
function refusal(
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
    ? notRead(path, { startLine: plan.lines[0] ?? 1, endLine: plan.lines[0] ?? 1 })
    : oldTextAmbiguous(path, plan);
}

function unseenEverywhere(fresh: Freshness, lines: readonly number[]): boolean {
  return lines.every((line) => fresh.judge({ startLine: line, endLine: line }) === "unseen");
}

interface Outcome {
  readonly edited: EditedText;
  readonly plan: PlannedEdit;
  readonly created: boolean;
}

function told(
  { path, old_str, new_str }: FileEdit,
  { edited, plan, created }: Outcome,
): Pick<PlannedChange<EditResult>, "preview" | "result"> {
  const { diff, snippet } = describeEdit(created ? { oldPath: null, newPath: path } : { path }, edited);
  const { replacements, how: matched } = plan;
  const summary = created
    ? `Create ${path}`
    : `Edit ${path}: ${replacements} ${replacements === 1 ? "place" : "places"}`;
  const lengths = { oldStrLen: old_str.length, newStrLen: new_str.length };
  return {
    preview: { summary, diff },
    result: { path, replacements, ...lengths, contextSnippet: snippet, diff, created, matched },
  };
}
