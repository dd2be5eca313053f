import type { ToolContext } from "../../contract/context.js";
import { ToolError } from "../../contract/errors.js";
import type { FileMutation } from "../../contract/ports/files.js";
import { planEdit, type PlannedEdit } from "../../text/plan-edit.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { decodeText } from "../../text/decode-text.js";
import type { PlannedChange } from "./change-files.js";
import { createDiffStage, toStagedFile, type DiffStage, type StagedFile } from "./diff-stage.js";
import { bytesAfter, editText, knownAfter } from "./edited-text.js";
import { compareSeen } from "./freshness.js";
import { charSpanOf, isKnown, nothingKnown, toPlace, type KnownLines } from "./known-lines.js";
import { checkCreatable, type PresentFile } from "./layers.js";
import {
  createExists,
  fileMissing,
  modifiedSinceRead,
  notExact,
  notRead,
  oldTextAmbiguous,
  oldTextMissing,
} from "./layer-errors.js";
import { plural } from "../../text/plural.js";

/** Edits of one file, in order. */
export interface MultiEdit {
  readonly path: string;
  readonly edits: readonly {
    readonly old_str: string;
    readonly new_str: string;
    readonly replace_all: boolean;
  }[];
}

export interface MultiEditResult {
  path: string;
  edits: number;
  replacements: number;
  created: boolean;
  diff: string;
}

/** Check edits by layers 3 to 9, each on the result of those before it. */
export async function planMultiEdit(
  { path, edits }: MultiEdit,
  deps: Pick<ToolContext, "files" | "seen">,
): Promise<PlannedChange<MultiEditResult>> {
  const stage = createDiffStage(deps);
  const stat = await stage.stat(path);
  const created = stat === null;
  if (created && edits[0]?.old_str !== "") throw await fileMissing(deps, path);
  if (created) await checkCreatable(deps, path);
  const original = await stage.read(path);
  const known = original.present === undefined ? nothingKnown : requireRead(original.present, edits);
  let file = toStagedFile(original.bytes, original, known);
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    try {
      const applied = applyEdit(path, file, edit);
      replacements += applied.plan.replacements;
      file = applied.file;
    } catch (error) {
      throw edits.length === 1 ? error : namingEdit(error, index);
    }
  }
  stage.put(path, file);
  const names = created ? { oldPath: null, newPath: path } : { path };
  const textOf = (bytes: Uint8Array): string => decodeText(bytes, original.encoding).text;
  const diff = unifiedDiff({ ...names, before: textOf(original.bytes), after: textOf(file.bytes) });
  return {
    mutations: [toWrite(path, file.bytes, created ? undefined : original.bytes)],
    preview: { summary: `${created ? "Create" : "Edit"} ${path}: ${plural(edits.length, "edit")}`, diff },
    result: { path, edits: edits.length, replacements, created, diff },
    refresh: () => refresh(stage, path),
  };
}

function toWrite(path: string, data: Uint8Array, before: Uint8Array | undefined): FileMutation {
  const options = before === undefined ? { create: true } : { ifContent: before };
  return { op: "write", path, data, options };
}

async function refresh(stage: DiffStage, path: string): Promise<void> {
  await stage.refresh(path);
}

/**
 * Layers 7 and 8 for all edits that match the file as it is now: every line that was not read is named at once. Returns
 * the known lines by their current numbers.
 */
function requireRead(file: PresentFile, edits: MultiEdit["edits"]): KnownLines {
  const { lines, bytes } = file;
  const places = edits.flatMap(({ old_str: oldStr, new_str: newStr, replace_all: replaceAll }) => {
    if (oldStr === "") return [];
    const plan = planEdit(bytes, { oldStr, newStr, replaceAll }, file.encoding);
    if (!plan.ok) return [];
    return plan.spans.map((span) => ({ span, textIn: () => charSpanOf(file, span) }));
  });
  const toPlaces = (all: typeof places) => all.map(({ span, textIn }) => toPlace(span, lines, textIn));
  if (file.seen === undefined) {
    if (bytes.length === 0) return nothingKnown;
    throw notRead(file.path, toPlaces(places));
  }
  const fresh = compareSeen(file.seen, lines);
  const verdicts = places.map(({ span, textIn }) => fresh.judge(span, textIn));
  const unseen = places.filter((_, at) => verdicts[at] === "unseen");
  if (unseen.length > 0) throw notRead(file.path, toPlaces(unseen));
  const isGone = edits.some(({ old_str: text }) => text !== "" && fresh.changedWith(text) !== undefined);
  if (isGone || verdicts.includes("changed")) throw modifiedSinceRead(file.path, fresh.firstChange);
  return fresh.known;
}

function applyEdit(
  path: string,
  file: StagedFile,
  { old_str: oldStr, new_str: newStr, replace_all: replaceAll }: MultiEdit["edits"][number],
): { file: StagedFile; plan: PlannedEdit } {
  const plan = planEdit(file.bytes, { oldStr, newStr, replaceAll }, file.encoding);
  if (!plan.ok) {
    if (plan.fault === "not-exact") throw notExact(path, plan.reason);
    if (oldStr === "") throw createExists(path);
    throw plan.fault === "not-found" ? oldTextMissing(path, plan.nearest) : oldTextAmbiguous(path, plan);
  }
  const { known, lines } = file;
  const unseen = plan.spans.flatMap((span) => {
    const textIn = () => charSpanOf(file, span);
    return isKnown(known, span, textIn) ? [] : [toPlace(span, lines, textIn)];
  });
  if (oldStr !== "" && unseen.length > 0) throw notRead(path, unseen);
  const edited = editText(file.bytes, lines, plan.splices);
  return { file: toStagedFile(bytesAfter(edited), file, knownAfter(known, edited)), plan };
}

/** The same error, with which edit it is about. */
function namingEdit(error: unknown, index: number): unknown {
  if (!(error instanceof ToolError)) return error;
  const Same = error.constructor as new (...args: ConstructorParameters<typeof ToolError>) => ToolError;
  const { code, hint, details } = error;
  return new Same(`Edit ${index + 1}: ${error.message}`, {
    code,
    ...(hint !== undefined && { hint: `Nothing was changed. ${hint}` }),
    details: { ...details, edit: index + 1 },
  });
}
