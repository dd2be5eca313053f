import type { FileMutation } from "../../contract/ports/files.js";
import { planPatch, type PlannedPatch } from "../../text/apply-patch.js";
import type { FilePatch } from "../../text/file-patch.js";
import { lastLineOf, unionRuns } from "../../text/line-runs.js";
import { splitLines } from "../../text/line-table.js";
import type { LineSpan } from "../../text/splice.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { decodeText } from "../../text/decode-text.js";
import { describeEdit } from "./describe-edit.js";
import { toStagedFile, type StagedFile, type DiffStage } from "./diff-stage.js";
import { bytesAfter, editText, knownAfter, type EditedText } from "./edited-text.js";
import { nothingKnown, type KnownLines } from "./known-lines.js";
import { checkCreatable, requireAllSeen, requireUnchanged } from "./layers.js";
import {
  createExists,
  existsAlready,
  fileMissing,
  modifiedSinceRead,
  needsRecursive,
  notRead,
  notText,
} from "./layer-errors.js";
import { hunkRefused } from "./hunk-refused.js";
import { compareSeen } from "./freshness.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";
import { requireFresh } from "./plan-file-edit.js";
import { plural } from "../../text/plural.js";

/** The effect of one file of a diff. */
export interface PatchedFile {
  readonly mutations: readonly FileMutation[];
  readonly added: number;
  readonly removed: number;
  readonly diff: string;
}

/** Check one file of a diff and apply it to the stage. */
export function patchFile(stage: DiffStage, patch: FilePatch): Promise<PatchedFile> {
  refuseSpecialModes(patch);
  const { kind, oldPath = "", newPath = "" } = patch;
  if (kind === "create") return createPatched(stage, patch, newPath);
  if (kind === "delete") return deletePatched(stage, patch, oldPath);
  if (kind === "modify") return modifyPatched(stage, patch, oldPath);
  return transferPatched(stage, patch, { from: oldPath, to: newPath });
}

/** Git represents symbolic links and submodules as files with a special mode. */
function refuseSpecialModes({ oldMode, newMode, newPath, oldPath }: FilePatch): void {
  for (const mode of [oldMode, newMode]) {
    if (mode === undefined || mode.startsWith("100")) continue;
    throw notText(newPath ?? oldPath ?? "", "is a symbolic link or submodule in the diff");
  }
}

async function createPatched(stage: DiffStage, patch: FilePatch, path: string): Promise<PatchedFile> {
  const stat = await stage.stat(path);
  if (stat !== null && stat.type === "file" && stat.size > 0)
    throw createExists(path, "Update the file instead of adding it, or choose another path.");
  if (stat === null) await checkCreatable(stage.deps, path);
  const empty = await stage.read(path);
  const plan = fitPatch(path, empty, patch);
  const edited = editText(empty.bytes, empty.lines, plan.splices);
  const data = bytesAfter(edited);
  stage.put(path, toStagedFile(data, empty, knownAfter(nothingKnown, edited)));
  const options = { ...(stat === null && { create: true }), ...modeOf(patch) };
  const { diff } = describeEdit({ oldPath: null, newPath: path }, edited);
  return { mutations: [{ op: "write", path, data, options }], ...countLines(patch), diff };
}

async function modifyPatched(stage: DiffStage, patch: FilePatch, path: string): Promise<PatchedFile> {
  const file = await requireOld(stage, path);
  const { edited, known } = editFresh(path, file, patch);
  stage.put(path, toStagedFile(bytesAfter(edited), file, known));
  const { diff } = describeEdit({ path }, edited);
  return { mutations: [toSplice(path, edited, patch)], ...countLines(patch), diff };
}

async function deletePatched(stage: DiffStage, patch: FilePatch, path: string): Promise<PatchedFile> {
  if (patch.style === "begin-patch") return deleteUnread(stage, path);
  const file = await requireOld(stage, path);
  if (patch.hunks.length > 0) {
    const { edited } = editFresh(path, file, patch);
    if (decodeText(bytesAfter(edited), file.encoding).text !== "") {
      throw hunkRefused(path, {
        reason: "context not found",
        hunkText: patch.hunks[0]?.source() ?? "",
        message: "The diff deletes the file, but the file contains more lines than the diff removes.",
      });
    }
  } else if (file.present !== undefined) requireAllSeen(file.present);
  stage.put(path, null);
  const diff = unifiedDiff({
    oldPath: path,
    newPath: null,
    before: decodeText(file.bytes, file.encoding).text,
    after: "",
  });
  return { mutations: [{ op: "delete", path, ifContent: file.bytes }], ...countLines(patch), diff };
}

/** '*** Delete File' shows no lines, so it follows the rules of delete_file: any file, unless it changed since it was read. */
async function deleteUnread(stage: DiffStage, path: string): Promise<PatchedFile> {
  const stat = await stage.stat(path);
  if (stat === null) throw await fileMissing(stage.deps, path);
  if (stat.type === "directory")
    throw needsRecursive(
      path,
      "A patch deletes single files. Call delete_file with recursive for a directory.",
    );
  const onDisk = stage.isStaged(path) ? null : await stage.deps.files.stat(path);
  if (onDisk !== null) await requireUnchanged(stage.deps, path, onDisk);
  const before = await stage.textOf(path);
  stage.put(path, null);
  const diff =
    before === undefined
      ? `deleted file ${path} (${plural(stat.size, "byte")})\n`
      : unifiedDiff({ oldPath: path, newPath: null, before, after: "" });
  const removed = before === undefined ? 0 : splitLines(before).length;
  const ifIdentity = onDisk === null ? {} : { ifIdentity: onDisk.identity };
  return { mutations: [{ op: "delete", path, ...ifIdentity }], added: 0, removed, diff };
}

async function transferPatched(
  stage: DiffStage,
  patch: FilePatch,
  { from, to }: { from: string; to: string },
): Promise<PatchedFile> {
  if ((await stage.stat(to)) !== null)
    throw existsAlready(to, "Choose another path, or delete the existing file earlier in the same patch.");
  await checkCreatable(stage.deps, to);
  const file = await requireOld(stage, from);
  const { edited, known } = editFresh(from, file, patch);
  const op = patch.kind === "copy" ? "copy" : "move";
  const isChanged = edited.changes.length > 0 || patch.newMode !== undefined;
  if (op === "move") stage.put(from, null);
  stage.put(to, toStagedFile(bytesAfter(edited), file, known));
  const { diff } = describeEdit({ oldPath: from, newPath: to }, edited);
  const head = `${op === "move" ? "rename" : "copy"} from ${from}\n${op === "move" ? "rename" : "copy"} to ${to}\n`;
  return {
    mutations: [{ op, from, to }, ...(isChanged ? [toSplice(to, edited, patch)] : [])],
    ...countLines(patch),
    diff: head + diff,
  };
}

/** Layers 5 and 6. */
async function requireOld(stage: DiffStage, path: string): Promise<StagedFile> {
  const stat = await stage.stat(path);
  if (stat === null) throw await fileMissing(stage.deps, path);
  if (stat.type === "directory") throw notText(path, "is a directory");
  return stage.read(path);
}

/** Layers 7 to 9: the hunks match, and the lines that they cover were seen and are unchanged. */
function editFresh(path: string, file: StagedFile, patch: FilePatch) {
  if (patch.hunks.length === 0) return { edited: editText(file.bytes, file.lines, []), known: knownOf(file) };
  if (patch.style === "begin-patch") return editMatched(path, file, patch);
  if (file.present !== undefined && file.present.seen === undefined && file.bytes.length > 0) {
    throw notRead(path, placesOf(file, patch));
  }
  const plan = fitPatch(path, file, patch);
  const known = requireKnown(path, file, plan.spans);
  const edited = editText(file.bytes, linesOf(file, plan), plan.splices);
  return { edited, known: knownAfter(known, edited) };
}

/** Of a larger file only the lines of the hunks have to be read. */
const largeBytes = 1 << 16;

/** Which lines to read for a patch; none where it does not match, and for a small file, which is read as a whole. */
function placesOf({ bytes, encoding }: StagedFile, patch: FilePatch): readonly LineSpan[] {
  if (bytes.length <= largeBytes) return [];
  const plan = planPatch(bytes, patch, encoding);
  return plan.ok ? plan.spans : [];
}

/** Lines that the patch shows exactly count as seen; others that it covers must have been seen before. */
function editMatched(path: string, file: StagedFile, patch: FilePatch) {
  const plan = fitPatch(path, file, patch);
  const lines = linesOf(file, plan);
  const { present } = file;
  if (plan.loose.length > 0) {
    if (present !== undefined && present.seen === undefined) throw notRead(path, plan.loose);
    requireKnown(path, file, plan.loose);
  }
  const before = present?.seen === undefined ? file.known : compareSeen(present.seen, lines).known;
  const runs = unionRuns(before.runs, plan.spans, (first, last) => lines.slice(first, last));
  const known = { runs, parts: before.parts };
  const edited = editText(file.bytes, lines, plan.splices);
  return { edited, known: knownAfter(known, edited) };
}

/** The lines of a file; where they are is known from placing the hunks. */
function linesOf(file: StagedFile, { lineStarts: starts }: PlannedPatch): PresentLines {
  return starts === undefined ? file.lines : createPresentLines(file.bytes, file.encoding, { starts });
}

/** The known lines of a file that is moved without edits; it must not have changed either. */
function knownOf({ present, known }: StagedFile): KnownLines {
  if (present?.seen === undefined) return known;
  const fresh = compareSeen(present.seen, present.lines);
  if (!fresh.unchanged) throw modifiedSinceRead(present.path, fresh.firstChange);
  return fresh.known;
}

function requireKnown(path: string, file: StagedFile, spans: readonly LineSpan[]): KnownLines {
  const { present, known, lines } = file;
  const within = spans.filter(({ startLine }) => startLine <= lines.count);
  if (present?.seen !== undefined) return requireFresh(present, present.seen, { spans: within });
  const unread = within.filter(
    (span) => !known.runs.some((run) => run.start <= span.startLine && lastLineOf(run) >= span.endLine),
  );
  if (unread.length > 0) throw notRead(path, unread);
  return known;
}

function fitPatch(path: string, file: StagedFile, patch: FilePatch): PlannedPatch {
  const plan = planPatch(file.bytes, patch, file.encoding);
  if (plan.ok) return plan;
  throw hunkRefused(path, plan, file.present);
}

function toSplice(path: string, { before, splices }: EditedText, patch: FilePatch): FileMutation {
  return { op: "splice", path, before, splices, ...modeOf(patch) };
}

function modeOf({ newMode }: FilePatch): { mode?: number } {
  const mode = Number.parseInt(newMode ?? "", 8);
  return Number.isNaN(mode) ? {} : { mode: mode & 0o777 };
}

function countLines({ hunks }: FilePatch): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines } of hunks) {
    for (const { sign } of lines) {
      if (sign === "+") added += 1;
      else if (sign === "-") removed += 1;
    }
  }
  return { added, removed };
}
