import { randomBytes } from "node:crypto";
import { fstatSync, readSync } from "node:fs";
import path from "node:path";
import { ToolError } from "../../contract/errors.js";
import type { FileStat, PathVerdict } from "../../contract/ports/files.js";
import { fileConflict, notRegularFile, withPath } from "./file-errors.js";
import { identityOf, toFileStat } from "./file-stat.js";
import type { Guard, GuardedFile, GuardOptions, ParentHandle, RemovalOptions } from "./guard-types.js";
import { listDirectory } from "./list-directory.js";
import { openExisting, openTarget, toLexicalPath, resolveAndJudge, type Target } from "./locate.js";
import { makeDirectory, parentMaker } from "./make-directory.js";
import { chooseOpener } from "./opener.js";
import { relativeTo, isWithin } from "./path-text.js";
import { openForReading, readFileBytes } from "./read-file.js";
import { realPathOf } from "./real-path.js";
import { type RemoveOptions, removeTree, unlinkPath } from "./remove-tree.js";
import { renamePath } from "./rename-path.js";
import { resolveLinks } from "./resolve-links.js";
import { type StageSource, stageWrite, type WriteDeps } from "./stage-write.js";
import { walkFiles } from "./walk-files.js";
import { watchPath } from "./watch-path.js";

/** Build the guard that every file operation goes through. */
export function createGuard(options: GuardOptions): Guard {
  const { rules, maxFileSize } = options;
  const deps: WriteDeps = {
    rules,
    maxFileSize,
    opener: options.opener ?? chooseOpener(rules.platform),
    sync: options.sync ?? true,
    tempName: options.tempName ?? randomTempName,
  };
  const display = (real: string): string => displayPath(rules.workspace, real);
  const stage: Guard["stage"] = (text, source, write = {}) =>
    stageWrite(deps, text, { source, options: write });
  const writeStaged = async (text: string, source: StageSource, write = {}): Promise<FileStat> =>
    (await stage(text, source, write)).commit();
  return {
    root: rules.workspace,
    rules,
    kind: deps.opener.kind,
    check: (text, access = "read") => checkPath(deps, text, access),
    canonical: (text) => canonicalPath(deps, text),
    display,
    openRead: (text) => openRead(deps, text, display),
    stat: (text, look) => statPath(deps, text, look?.follow ?? true),
    read: (text, range) => readFileBytes(deps, text, { range, maxBytes: maxFileSize }),
    list: (text) => listDirectory(deps, text, display),
    walk: (text, walk = {}, signal) => walkFiles(deps, text, { ...walk, display, signal }),
    openParent: (text, parent = {}) => openParent(deps, text, parent),
    stage,
    replaceFile: (text, data, write) => writeStaged(text, { data }, write),
    appendFile: (text, data) => retryAppend(() => writeStaged(text, { append: data })),
    copyFile: (from, to, copy) => writeStaged(to, { copyOf: from }, { create: copy?.overwrite !== true }),
    makeDirectory: async (text) => ({ created: (await makeDirectory(deps, text)).created }),
    rename: (from, to, rename = {}) => renamePath(deps, { from, to, options: rename }),
    unlink: (text, removal = {}) => unlinkPath(deps, text, removeOptions(deps, text, removal)),
    removeTree: (text, removal = {}) => removeTree(deps, text, removeOptions(deps, text, removal)),
    watch: (text, signal) => watchPath(deps, text, { signal, display }),
    narrow: (paths) => createGuard({ ...options, opener: deps.opener, rules: rules.narrow(paths) }),
    screen: (readable) => createGuard({ ...options, opener: deps.opener, rules: rules.screen(readable) }),
  };
}

function randomTempName(): string {
  return `.tenon-${randomBytes(8).toString("hex")}.tmp`;
}

function displayPath(workspace: string, real: string): string {
  if (!isWithin(real, workspace)) return real;
  return relativeTo(real, workspace) || ".";
}

function checkPath(deps: WriteDeps, text: string, access: "read" | "write"): PathVerdict {
  try {
    const lexical = toLexicalPath(deps.rules, text, access);
    const { real, stat } = resolveAndJudge(deps.rules, lexical, { text, wanted: { access } });
    if (stat !== null && !stat.isFile() && !stat.isDirectory()) throw notRegularFile(text);
    return { allowed: true, path: real };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { allowed: false, code: error.code, reason: error.message };
  }
}

function canonicalPath(deps: WriteDeps, text: string): string {
  const { rules } = deps;
  const verdict = rules.toAbsolute(text);
  if (!verdict.allowed) return path.resolve(rules.workspace, typeof text === "string" ? text : typeof text);
  const found = resolveLinks(verdict.path, rules, true);
  if ("allowed" in found) return verdict.path;
  // Elsewhere than on Linux a name may have several spellings: take the disk's.
  return deps.opener.kind === "portable" ? realPathOf(found.real) : found.real;
}

function openRead(deps: WriteDeps, text: string, display: (real: string) => string): GuardedFile {
  const { fd, real, stat, close } = openForReading(deps, text);
  return {
    fd,
    real,
    stat,
    path: display(real),
    readInto: (buffer, position) => withPath(text, () => readSync(fd, buffer, 0, buffer.length, position)),
    look: () => toFileStat(fstatSync(fd, { bigint: true })),
    close,
  };
}

function statPath(deps: WriteDeps, text: string, follow: boolean): FileStat | null {
  try {
    const handle = openExisting(deps, text, { access: "read", follow });
    handle.close();
    return toFileStat(handle.stat);
  } catch (error) {
    if (error instanceof ToolError && isAbsence(error)) return null;
    throw error;
  }
}

/** A name below a file exists as little as a missing one. */
function isAbsence(error: ToolError): boolean {
  return error.code === "RESOURCE_NOT_FOUND" || error.details?.["errno"] === "ENOTDIR";
}

function openParent(
  deps: WriteDeps,
  text: string,
  { create, follow }: { create?: boolean; follow?: boolean },
): ParentHandle {
  const make = create === true ? { make: parentMaker(deps, text) } : {};
  const { directory, name, real, stat } = openTarget(deps, text, {
    access: "write",
    follow: follow ?? true,
    ...make,
  });
  return {
    name,
    realDir: directory.real,
    real,
    stat: stat === null ? null : toFileStat(stat),
    at: (child = name) => directory.at(child),
    isInPlace: () => directory.isInPlace(),
    close: () => directory.close(),
  };
}

/** Another process may append at the same time; then its bytes are taken along in the next try. */
async function retryAppend(attempt: () => Promise<FileStat>): Promise<FileStat> {
  for (let left = 5; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !(error instanceof ToolError) || error.code !== "FILE_CONFLICT") throw error;
    }
  }
}

function removeOptions(deps: WriteDeps, text: string, removal: RemovalOptions): RemoveOptions {
  const { ifIdentity } = removal;
  const check = ({ stat }: Target): void => {
    if (ifIdentity === undefined || (stat !== null && identityOf(stat) === ifIdentity)) return;
    throw fileConflict(text, "has been changed by someone else");
  };
  return { sync: deps.sync, signal: removal.signal, check };
}
