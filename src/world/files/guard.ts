import { closeSync, fstatSync, lstatSync, readSync } from "node:fs";
import path from "node:path";
import { ToolError } from "../../contract/errors.js";
import type { FileStat, PathVerdict } from "../../contract/ports/files.js";
import { notRegularFile, pathRefused, withPath } from "./file-errors.js";
import { toFileStat } from "./file-stat.js";
import type { Guard, GuardedFile, GuardOptions } from "./guard-types.js";
import { listDirectory } from "./list-directory.js";
import { type GuardDeps, openExisting, resolveAndJudge, toLexicalPath } from "./locate.js";
import { makeDirectory } from "./make-directory.js";
import { chooseOpener } from "./opener.js";
import { toShownPath } from "./raw-path.js";
import type { PathRules } from "./path-rules.js";
import { relativeTo, isWithin, resolveIn } from "./path-text.js";
import { openForReading, readFileBytes } from "./read-file.js";
import { realPathOf } from "./real-path.js";
import { removeTree } from "./remove-tree.js";
import { resolveLinks } from "./resolve-links.js";
import { createSpareMemory } from "./spare-memory.js";
import { walkFiles } from "./walk-files.js";
import { watchPath } from "./watch-path.js";

/** Build the guard that file operations go through. Changes of files are made by the journal, which uses its rules and opener. */
export function createGuard(options: GuardOptions): Guard {
  const { rules, maxFileSize, sync = true, spare = createSpareMemory() } = options;
  const deps = { rules, opener: options.opener ?? chooseOpener(rules.platform) };
  const shared = { ...options, opener: deps.opener, spare };
  const display = (real: string): string => toShownPath(displayPath(rules.workspace, real));
  return {
    root: rules.workspace,
    maxFileSize,
    rules,
    kind: deps.opener.kind,
    check: (text, access = "read", { follow = true } = {}) => checkPath(deps, text, { access, follow }),
    checkText: (text, access = "read") => toVerdict(() => lexicalPath(rules, text, access)),
    canonical: (text, isReal) => canonicalPath(deps, text, isReal),
    display,
    openRead: (text) => openRead(deps, text, display),
    stat: (text, { follow = true } = {}) => statPath(deps, text, follow),
    glance: (text) => glanceAt(rules, text),
    read: async (text, range) => (await readFileBytes(deps, text, { range, maxBytes: maxFileSize })).bytes,
    async lend(text) {
      const { bytes, stat } = await readFileBytes(deps, text, { maxBytes: maxFileSize, spare });
      return { bytes, stat, giveBack: () => spare.giveBack(bytes) };
    },
    list: (text) => listDirectory(deps, text, display),
    walk: (text, walk = {}, signal) => walkFiles(deps, text, { ...walk, display, signal }),
    makeDirectory: (text) => makeDirectory({ ...deps, sync }, text),
    removeTree: (text) => removeTree(deps, text, sync),
    watch: (text, signal) => watchPath(deps, text, { signal, display }),
    narrow: (paths) => createGuard({ ...shared, rules: rules.narrow(paths) }),
    screen: (readable) => createGuard({ ...shared, rules: rules.screen(readable) }),
  };
}

function displayPath(workspace: string, real: string): string {
  if (!isWithin(real, workspace)) return real;
  return relativeTo(real, workspace) || ".";
}

function checkPath(
  deps: GuardDeps,
  text: string,
  wanted: { readonly access: "read" | "write"; readonly follow: boolean },
): PathVerdict {
  return toVerdict(() => {
    const lexical = toLexicalPath(deps.rules, text, wanted.access);
    const { real, stat } = resolveAndJudge(deps.rules, lexical, { text, wanted });
    const isUsable = stat === null || stat.isFile() || stat.isDirectory();
    if (!isUsable && (wanted.follow || !stat.isSymbolicLink())) throw notRegularFile(text);
    return real;
  });
}

/** The path by its text alone, judged by every rule. */
function lexicalPath(rules: PathRules, text: string, access: "read" | "write"): string {
  const lexical = toLexicalPath(rules, text, access);
  const verdict = rules.judge(lexical, access);
  if (!verdict.allowed) throw pathRefused(text, verdict);
  return verdict.path;
}

/** The path that `judge` returns, or why it throws. */
function toVerdict(judge: () => string): PathVerdict {
  try {
    return { allowed: true, path: judge() };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { allowed: false, code: error.code, reason: error.message };
  }
}

function canonicalPath(deps: GuardDeps, text: string, isReal = false): string {
  const { rules } = deps;
  if (isReal && deps.opener.kind !== "portable") return resolveIn(rules.workspace, text);
  const verdict = rules.toAbsolute(text);
  if (!verdict.allowed) return path.resolve(rules.workspace, typeof text === "string" ? text : typeof text);
  const found = resolveLinks(verdict.path, rules, true);
  if ("allowed" in found) return verdict.path;
  // On other systems a name can have several spellings: use the one on the disk.
  return deps.opener.kind === "portable" ? realPathOf(found.real) : found.real;
}

function openRead(deps: GuardDeps, text: string, display: (real: string) => string): GuardedFile {
  const { fd, real, stat } = withPath(text, () => openForReading(deps, text));
  return {
    fd,
    real,
    stat,
    path: display(real),
    readInto: (buffer, position) => withPath(text, () => readSync(fd, buffer, 0, buffer.length, position)),
    look: () => toFileStat(fstatSync(fd, { bigint: true })),
    close: closeOnce(fd),
  };
}

/** A function that closes a descriptor only once, because descriptor numbers are reused. */
function closeOnce(fd: number): () => void {
  let open = true;
  return () => {
    if (!open) return;
    open = false;
    closeSync(fd);
  };
}

function statPath(deps: GuardDeps, text: string, follow: boolean): FileStat | null {
  try {
    const handle = openExisting(deps, text, { access: "list", follow });
    handle.close();
    return toFileStat(handle.stat);
  } catch (error) {
    if (error instanceof ToolError && isAbsence(error)) return null;
    throw error;
  }
}

function glanceAt(rules: PathRules, text: string): FileStat | null {
  const stat = lstatSync(lexicalPath(rules, text, "read"), { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() === true ? toFileStat(stat) : null;
}

/** A path below a file does not exist either. */
function isAbsence(error: ToolError): boolean {
  return error.code === "RESOURCE_NOT_FOUND" || error.details?.["errno"] === "ENOTDIR";
}
