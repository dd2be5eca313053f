import { createDiffCursor, diffFault, type DiffCursor } from "./diff-cursor.js";
import { gitNames, headerPath, isNoFile, namesAgree, sameRoot } from "./diff-paths.js";
import type { FilePatch, Hunk } from "./file-patch.js";
import { isHunkHeader, parseHunk, startsFile } from "./parse-hunk.js";

/** Read a unified diff as git or a model writes it; throws where it cannot be understood. */
export function parseUnifiedDiff(diff: string): FilePatch[] {
  const cursor = createDiffCursor(diff);
  const files: FileDraft[] = [];
  for (let line = cursor.peek(); line !== undefined; line = cursor.peek()) {
    if (isHunkHeader(line)) addHunk(cursor, files.at(-1));
    else readHeader(cursor, line, files);
  }
  if (files.length === 0) throw diffFault("No file is named in the diff.", howToWrite);
  return files.map(finish);
}

const howToWrite =
  "Send a unified diff: '--- a/path', '+++ b/path', then hunks that begin with '@@' and whose lines begin with ' ', '-' or '+'.";

/** A file's patch while its header is being read. */
interface FileDraft {
  readonly hunks: Hunk[];
  oldHeader?: string;
  newHeader?: string;
  git?: readonly [string, string];
  renamedFrom?: string;
  renamedTo?: string;
  copied?: boolean;
  oldMode?: string;
  newMode?: string;
  created?: boolean;
  deleted?: boolean;
}

function addHunk(cursor: DiffCursor, file: FileDraft | undefined): void {
  if (file === undefined) throw cursor.fault("A hunk comes before any file is named.", howToWrite);
  file.hunks.push(parseHunk(cursor));
}

function readHeader(cursor: DiffCursor, line: string, files: FileDraft[]): void {
  refuseOtherFormats(cursor, line);
  if (line.startsWith("diff --git ")) {
    files.push({ hunks: [], git: gitNames(line.slice("diff --git ".length)) });
    cursor.skip();
    return;
  }
  if (startsFile(cursor)) {
    readNames(cursor, files);
    return;
  }
  const file = files.at(-1);
  // Only git writes these lines, between its own "diff --git" line and the names; elsewhere they are prose.
  if (file?.git !== undefined && file.newHeader === undefined && file.hunks.length === 0) {
    readExtended(line, file);
  }
  cursor.skip();
}

function refuseOtherFormats(cursor: DiffCursor, line: string): void {
  if (/^\*\*\* (Begin Patch|(Update|Add|Delete) File:)/.test(line)) {
    throw cursor.fault("A unified diff is mixed with the '*** Begin Patch' format.", "Use one format.");
  }
  if (line.startsWith("***************")) throw cursor.fault("This is a context diff.", howToWrite);
  if (line.startsWith("@@@")) throw cursor.fault("This is a combined diff of a merge.", howToWrite);
  if (/^(GIT binary patch|Binary files .* differ|Files .* differ)\r?$/.test(line)) {
    throw cursor.fault(
      "The diff changes a binary file.",
      "Leave binary files out; write them with write_file.",
    );
  }
}

/** "--- old" and "+++ new", either of them possibly missing. */
function readNames(cursor: DiffCursor, files: FileDraft[]): void {
  const last = files.at(-1);
  const isNew = last === undefined || last.hunks.length > 0 || last.newHeader !== undefined;
  const file: FileDraft = isNew ? { hunks: [] } : last;
  if (isNew) files.push(file);
  const at = cursor.position;
  if (cursor.peek()?.startsWith("--- ")) {
    file.oldHeader = headerPath(cursor.peek()?.slice(4) ?? "");
    cursor.skip();
  }
  if (cursor.peek()?.startsWith("+++ ")) {
    file.newHeader = headerPath(cursor.peek()?.slice(4) ?? "");
    cursor.skip();
  }
  file.oldHeader ??= file.newHeader ?? "";
  file.newHeader ??= file.oldHeader;
  if (!belongsToSection(file)) {
    throw cursor.fault(
      `The names below ${JSON.stringify(sectionName(file))} are those of another file.`,
      "Begin every file with a 'diff --git a/path b/path' line of its own, or leave those lines out everywhere.",
      at,
    );
  }
}

/**
 * Whether "---" and "+++" name the file of the "diff --git" line above them. Git refuses the diff where they do not: what
 * the header says (a rename, a deletion) would happen to one file and the hunks to another.
 */
function belongsToSection(file: FileDraft): boolean {
  const { git, oldHeader = "", newHeader = "" } = file;
  if (git === undefined) return true;
  const isOld = isNoFile(oldHeader)
    ? file.renamedFrom === undefined && file.deleted !== true
    : file.created !== true && namesAgree(oldHeader, file.renamedFrom ?? git[0]);
  const isNew = isNoFile(newHeader)
    ? file.renamedTo === undefined && file.created !== true
    : file.deleted !== true && namesAgree(newHeader, file.renamedTo ?? git[1]);
  return isOld && isNew;
}

function sectionName({ git, renamedTo }: FileDraft): string {
  return renamedTo ?? (git === undefined ? "" : sameRoot(...git)[1]);
}

function readExtended(line: string, file: FileDraft): void {
  const [, words, value] = extendedHeader.exec(line) ?? [];
  if (words === undefined || value === undefined) return;
  const path = headerPath(value);
  if (words === "old mode") file.oldMode = value;
  if (words === "new mode") file.newMode = value;
  if (words === "rename from" || words === "copy from") file.renamedFrom = path;
  if (words === "rename to" || words === "copy to") file.renamedTo = path;
  if (words.startsWith("copy")) file.copied = true;
  if (words === "new file mode") Object.assign(file, { created: true, newMode: value });
  if (words === "deleted file mode") Object.assign(file, { deleted: true, oldMode: value });
}

const extendedHeader =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to) (.+?)\r?$/;

function finish(file: FileDraft): FilePatch {
  const names = namesOf(file);
  const kind = kindOf(file, names);
  const { oldMode, newMode, hunks } = file;
  const changes = hunks.length > 0 || oldMode !== undefined || newMode !== undefined;
  const shown = names.newPath ?? names.oldPath ?? "";
  if (shown === "") throw diffFault("A file in the diff has no name.", howToWrite);
  if (kind === "modify" && !changes) {
    throw diffFault(`The diff names ${JSON.stringify(shown)} but has no hunk for it.`, howToWrite);
  }
  return {
    kind,
    ...(kind === "create" ? {} : { oldPath: names.oldPath ?? shown }),
    ...(kind === "delete" ? {} : { newPath: shown }),
    ...(oldMode === undefined ? {} : { oldMode }),
    ...(newMode === undefined ? {} : { newMode }),
    hunks,
  };
}

interface Names {
  readonly oldPath?: string | undefined;
  readonly newPath?: string | undefined;
}

function namesOf(file: FileDraft): Names {
  if (file.renamedFrom !== undefined && file.renamedTo !== undefined) {
    return { oldPath: file.renamedFrom, newPath: file.renamedTo };
  }
  const oldName = file.oldHeader ?? file.git?.[0] ?? "";
  const newName = file.newHeader ?? file.git?.[1] ?? "";
  const [oldPath, newPath] = sameRoot(oldName, newName);
  return {
    oldPath: isNoFile(oldName) ? undefined : oldPath,
    newPath: isNoFile(newName) ? undefined : newPath,
  };
}

function kindOf(file: FileDraft, { oldPath, newPath }: Names): FilePatch["kind"] {
  if (file.created === true || oldPath === undefined) return "create";
  if (file.deleted === true || newPath === undefined) return "delete";
  if (file.copied === true) return "copy";
  return oldPath === newPath ? "modify" : "rename";
}
