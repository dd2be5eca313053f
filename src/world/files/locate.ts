import { existsSync, lstatSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { fileNotFound, pathRefused, systemFailure, pathChanged } from "./file-errors.js";
import { foldName } from "./fold-name.js";
import type { Handle, Opener } from "./opener.js";
import type { PathRules } from "./path-rules.js";
import { type PathAccess, refusal, type RuleVerdict } from "./path-verdict.js";
import { joinName } from "./path-text.js";
import { type Resolution, resolveLinks } from "./resolve-links.js";

/** What file operations need: the rules that judge paths, and how paths are opened. */
export interface GuardDeps {
  readonly rules: PathRules;
  readonly opener: Opener;
  /** Whether the call may change a real path that one of its own leads to through a link. @default yes */
  readonly changeable?: ((real: string) => boolean) | undefined;
}

/** What a path is used for. */
export interface AccessRequest {
  readonly access: PathAccess;
  /** Follow a link at the end of the path, where it stays inside. @default true */
  readonly follow?: boolean;
}

/** An open directory whose path was judged, and a name in it that is to be changed. */
export interface Target {
  readonly directory: Handle;
  readonly name: string;
  /** The real path of the name, judged. */
  readonly real: string;
  /** What existed there when the directory was opened. */
  readonly stat: BigIntStats | null;
}

/** How often opening is tried again while other processes change the path. */
const ATTEMPTS = 50;

/**
 * Open what a path names and judge its real path. The first attempt opens the path directly; only if
 * that meets a link, or fails, the links are resolved one by one.
 */
export function openExisting(deps: GuardDeps, text: string, wanted: AccessRequest): Handle {
  const lexical = toLexicalPath(deps.rules, text, wanted.access);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const direct = tryOpen(deps, lexical, text);
    if (direct !== undefined && isExpected(deps, direct, { real: lexical, wanted })) {
      return judgeHandle(deps.rules, direct, { text, access: wanted.access });
    }
    direct?.close();
    const found = resolveAndJudge(deps.rules, lexical, { text, wanted });
    if (found.errno === "ESTALE") continue;
    if (found.errno !== undefined) throw systemFailure(text, found.errno);
    if (found.missing > 0) throw fileNotFound(text);
    const handle = tryOpen(deps, found.real, text);
    if (handle !== undefined && isExpected(deps, handle, { real: found.real, wanted, folded: true })) {
      return judgeHandle(deps.rules, handle, { text, access: wanted.access });
    }
    handle?.close();
    if (handle === undefined && found.stat === null) throw fileNotFound(text);
  }
  throw pathChanged(text);
}

/** Open the directory that contains, or will contain, what a path names. `make` creates missing directories. */
export function openTarget(
  deps: GuardDeps,
  text: string,
  wanted: AccessRequest & { readonly make?: MakeParents },
): Target {
  const lexical = toLexicalPath(deps.rules, text, wanted.access);
  refuseRoot(deps.rules, lexical, { text, wanted });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const direct = tryOpenTarget(deps, lexical, { text, wanted });
    if (direct !== undefined) return direct;
    const found = resolveAndJudge(deps.rules, lexical, { text, wanted });
    if (found.errno === "ESTALE") continue;
    if (found.errno !== undefined) throw systemFailure(text, found.errno);
    if (found.missing > 1) {
      if (wanted.make === undefined) throw fileNotFound(text);
      wanted.make(path.dirname(found.real), found.missing - 1);
    }
    const target = tryOpenTarget(deps, found.real, { text, wanted, folded: true });
    if (target !== undefined) return target;
    if (!existsSync(path.dirname(found.real))) throw fileNotFound(text);
  }
  throw pathChanged(text);
}

/** Open a real path that was listed before; `undefined` where it no longer exists or may not be used. */
export function openPhysical(deps: GuardDeps, real: string, access: PathAccess): Handle | undefined {
  const handle = tryOpen(deps, real, real);
  if (handle === undefined) return undefined;
  if (handle.real === real && deps.rules.judge(real, access).allowed) return handle;
  handle.close();
  return undefined;
}

/** Make the last `count` directories of a physical path. */
export type MakeParents = (directory: string, count: number) => void;

/** Resolve the links of a path without opening anything, and judge the result. */
export function resolveAndJudge(
  rules: PathRules,
  lexical: string,
  { text, wanted }: { text: string; wanted: AccessRequest },
): Resolution {
  const found = resolveLinks(lexical, rules, wanted.follow ?? true);
  if ("allowed" in found) throw pathRefused(text, found);
  requireAllowed(rules.judge(found.real, wanted.access), text);
  return found;
}

/** The absolute path that a text stands for, refused where the text alone breaks a rule. */
export function toLexicalPath(rules: PathRules, text: string, access: PathAccess): string {
  const lexical = requireAllowed(rules.toAbsolute(text), text);
  // A forbidden name is refused whether or not it exists, even if it is a link to somewhere else.
  return requireAllowed(rules.judgeDenied(lexical, access === "remove" ? "write" : access), text);
}

function requireAllowed(verdict: RuleVerdict, text: string): string {
  if (!verdict.allowed) throw pathRefused(text, verdict);
  return verdict.path;
}

/** `undefined` where something is missing or in the way; resolving the names will tell what. */
function tryOpen(deps: GuardDeps, absolute: string, text: string): Handle | undefined {
  try {
    return deps.opener.open(absolute);
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    if (code === "EMFILE" || code === "ENFILE" || code === "ENOMEM") throw systemFailure(text, code);
    return undefined;
  }
}

interface ExpectedHandle {
  readonly real: string;
  readonly wanted: AccessRequest;
  /** Accept another spelling of the same names, as on case-insensitive file systems. */
  readonly folded?: boolean;
}

function isExpected(deps: GuardDeps, handle: Handle, { real, wanted, folded }: ExpectedHandle): boolean {
  const same = handle.real === real || (folded === true && foldName(handle.real) === foldName(real));
  if (!same) return false;
  if (!handle.stat.isSymbolicLink()) return true;
  return wanted.follow === false && deps.rules.strict.noSymlinks !== true;
}

function judgeHandle(
  rules: PathRules,
  handle: Handle,
  { text, access }: { text: string; access: PathAccess },
): Handle {
  const verdict = rules.judge(handle.real, access);
  if (verdict.allowed) return handle;
  handle.close();
  throw pathRefused(text, verdict);
}

/** Open a real path as a target; `undefined` where its directory is not there or its name is a link to follow. */
function tryOpenTarget(
  deps: GuardDeps,
  physical: string,
  { text, wanted, folded }: { text: string; wanted: AccessRequest; folded?: boolean },
): Target | undefined {
  const parent = path.dirname(physical);
  const directory = tryOpen(deps, parent, text);
  if (directory === undefined) return undefined;
  const name = path.basename(physical);
  try {
    const real = joinName(directory.real, name);
    const fits =
      directory.stat.isDirectory() &&
      isExpected(deps, directory, { real: parent, wanted, ...(folded && { folded }) });
    const stat = fits ? statEntry(directory, name) : undefined;
    const linked = stat?.isSymbolicLink() && (wanted.follow !== false || deps.rules.strict.noSymlinks);
    if (stat !== undefined && !linked) {
      requireAllowed(deps.rules.judge(real, wanted.access), text);
      return { directory, name, real, stat };
    }
  } catch (error) {
    directory.close();
    throw error;
  }
  directory.close();
  return undefined;
}

/** What exists at a name in an open directory; links are not followed. */
export function statEntry(directory: Handle, name: string): BigIntStats | null {
  try {
    return lstatSync(directory.at(name), { bigint: true });
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** A root that is a directory cannot be changed itself; one that is a file may be written. */
function refuseRoot(
  rules: PathRules,
  lexical: string,
  { text, wanted }: { text: string; wanted: AccessRequest },
): void {
  if (!rules.roots.some((root) => root.real === lexical)) return;
  requireAllowed(rules.judge(lexical, wanted.access), text);
  if (lstatSync(lexical, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const reason = "is the workspace or an allowed path itself";
  throw pathRefused(text, refusal("PATH_FORBIDDEN", "workspace", reason));
}
