import { resolve } from "node:path";
import type { BlockedPath } from "../../contract/ports/processes.js";
import type { CommandPaths } from "../../contract/session.js";

import { isWithin, relativeTo } from "../files/path-text.js";
import { toShownPath } from "../files/raw-path.js";
import { realPathOf } from "../files/real-path.js";
import type { Mount } from "./mount-plan.js";
import type { SandboxView } from "./sandbox-view.js";

/** What decides which paths a command could not use. */
export interface BlockedPathOptions {
  readonly command: { readonly argv: readonly string[]; readonly paths?: CommandPaths | undefined };
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly view: Pick<SandboxView, "workspace" | "writable" | "readable" | "linkedGit" | "home"> & {
    readonly system: Pick<SandboxView["system"], "roots">;
    readonly tools: Pick<SandboxView["tools"], "programs">;
  };
}

const maxLines = 200;
const maxPaths = 10;

/** How programs report a path that they could not use. */
const faults = {
  missing: /no such file or directory|ENOENT|\[Errno 2\]/i,
  denied: /permission denied|EACCES|EPERM|operation not permitted|\[Errno 13\]/i,
  readOnly: /read-only file system|EROFS|\[Errno 30\]/i,
  busy: /device or resource busy|EBUSY|\[Errno 16\]/i,
};

/** Find the paths in the messages of a command that the sandbox kept from it. */
export function findBlockedPaths(output: string, options: BlockedPathOptions): BlockedPath[] {
  const found = new Map<string, BlockedPath>();
  for (const line of output.split("\n").slice(-maxLines)) {
    const kinds = kindsOf(line);
    if (kinds.size === 0) continue;
    const message = withoutProgram(line);
    const quoted = blockedAmong(quotedIn(message), kinds, options);
    // A quoted path with spaces would be several words.
    const blocked = quoted.length > 0 ? quoted : blockedAmong(wordsIn(message), kinds, options);
    for (const each of blocked) if (found.size < maxPaths) found.set(each.path, each);
  }
  return [...found.values()];
}

function blockedAmong(
  words: readonly string[],
  kinds: ReadonlySet<Fault>,
  options: BlockedPathOptions,
): BlockedPath[] {
  return words.flatMap((word) => {
    const path = resolve(options.cwd, word);
    const how = causeOf({ word, path, kinds }, options);
    if (how !== undefined) return [toBlocked(path, how, options)];
    const target = realPathOf(path);
    const behindLink = target === path ? undefined : causeOf({ word, path: target, kinds }, options);
    return behindLink === undefined ? [] : [toBlocked(target, behindLink, options)];
  });
}

function toBlocked(
  path: string,
  how: BlockedPath["how"],
  { command: { paths: rules }, view: { workspace } }: BlockedPathOptions,
): BlockedPath {
  if (rules === undefined || (how !== "hidden" && how !== "read-only")) return { path, how };
  const shown = isWithin(path, workspace) ? relativeTo(path, workspace) || "." : path;
  const ruling = rules.judge(shown, how === "hidden" ? "read" : "write");
  if (ruling === undefined || ruling.decision === "allow") return { path, how };
  return { path, how, rule: { id: ruling.rule, asks: ruling.decision === "ask" } };
}

type Fault = keyof typeof faults;

function kindsOf(message: string): ReadonlySet<Fault> {
  const kinds = (Object.keys(faults) as Fault[]).filter((kind) => faults[kind].test(message));
  return new Set(kinds);
}

/** Without the program that reports it, as in "/bin/bash: line 1: a/b: Read-only file system". */
function withoutProgram(message: string): string {
  return message.replace(/^\S*\/s?bin\/[^\s:]+: (?=.*: )/, "");
}

function quotedIn(message: string): string[] {
  return [...message.matchAll(/['"`‘]([^'"`’]{1,1000})['"`’]/g)].map(([, text = ""]) => text);
}

/** Colons end a word. */
function wordsIn(message: string): string[] {
  return message.split(/[\s:'"`‘’(),]+/).filter((word) => /[\w/]/.test(word) && word.length <= 1000);
}

interface Candidate {
  readonly word: string;
  readonly path: string;
  readonly kinds: ReadonlySet<Fault>;
}

function causeOf(
  { word, path, kinds }: Candidate,
  { command, mounts, view }: BlockedPathOptions,
): BlockedPath["how"] | undefined {
  const around = mounts.filter((mount) => isWithin(path, toShownPath(mount.path)));
  const innermost = around.at(-1);
  if (innermost?.kind === "mask" && (kinds.has("denied") || kinds.has("missing"))) return "hidden";
  if (innermost?.kind === "fix" && (kinds.has("readOnly") || kinds.has("busy"))) return "read-only";
  if (kinds.has("busy") && mounts.some((mount) => toShownPath(mount.path) === path)) return "pinned";
  // Any word could be the name of a file in the current folder, so only paths count from here on.
  if (!word.startsWith("/") || isWithin(path, view.workspace)) return undefined;
  if (kinds.has("readOnly")) return "outside";
  if (!kinds.has("missing") && !kinds.has("denied")) return undefined;
  return isNamed(path, command.argv.join(" "), view.home) && !isVisible(path, view)
    ? "not visible"
    : undefined;
}

function isNamed(path: string, line: string, home: string | undefined): boolean {
  if (line.includes(path)) return true;
  if (home === undefined || !path.startsWith(`${home}/`)) return false;
  const below = path.slice(home.length);
  return ["~", "$HOME", "${HOME}"].some((name) => line.includes(`${name}${below}`));
}

/** Paths that the sandbox makes itself. */
const own = ["/tmp", "/var/tmp", "/dev", "/proc", "/bin", "/sbin", "/lib", "/lib64"];

function isVisible(path: string, view: BlockedPathOptions["view"]): boolean {
  const roots = [...view.writable, ...view.readable, ...view.linkedGit, ...view.tools.programs];
  if (roots.some((root) => isWithin(path, root))) return true;
  if (view.home !== undefined && isWithin(path, view.home)) return false;
  return [...view.system.roots, ...own].some((root) => isWithin(path, root));
}
