import { lstatSync, readlinkSync, type Stats } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../contract/errno.js";
import { relativeTo, isWithin, joinName, splitPath } from "./path-text.js";
import type { PathRules } from "./path-rules.js";
import { type PathRefusal, refusal } from "./path-verdict.js";

/** Where a path leads once its links are followed, judged by the names alone. */
export interface Resolution {
  /** The physical path; what does not exist is appended as written. */
  readonly real: string;
  /** What exists there, or `null`. */
  readonly stat: Stats | null;
  /** How many of the last names do not exist. */
  readonly missing: number;
  /** The error code that ended the walk early, unless only a name was missing. */
  readonly errno: string | undefined;
}

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/**
 * Follow the links of a path name by name. A link that leaves the roots is refused by its text, before
 * anything outside is touched, so that a refusal does not reveal what exists there; magic links of /proc are
 * only text here. The result must be confirmed by a descriptor: names can be swapped while they are read.
 */
export function resolveLinks(
  absolute: string,
  rules: PathRules,
  followLast: boolean,
): Resolution | PathRefusal {
  const root = rules.roots.find((each) => isWithin(absolute, each.real));
  if (root === undefined) return leavesRoots();
  const walk: LinkWalk = {
    at: root.real,
    stat: absolute === root.real ? lstatOrNull(root.real) : null,
    todo: reversedNames(relativeTo(absolute, root.real), rules),
    links: 0,
    missing: 0,
  };
  let errno: string | undefined;
  while (walk.todo.length > 0) {
    const step = stepForward(walk, rules, followLast);
    if ("allowed" in step) return step;
    walk.stat = step.stat;
    errno ??= step.errno;
  }
  if (!rules.roots.some((each) => isWithin(walk.at, each.real))) return leavesRoots();
  return { real: walk.at, stat: walk.stat, missing: walk.missing, errno };
}

interface LinkWalk {
  at: string;
  /** What exists at `at`; `null` where it is missing or an ancestor of a root. */
  stat: Stats | null;
  /** Names still to go, the next one last. */
  readonly todo: string[];
  links: number;
  missing: number;
}

interface WalkStep {
  readonly stat: Stats | null;
  readonly errno?: string;
}

function stepForward(walk: LinkWalk, rules: PathRules, followLast: boolean): WalkStep | PathRefusal {
  const name = walk.todo.pop() ?? ".";
  if (name === "." || name === "..") return stepDots(walk, name, rules);
  const next = joinName(walk.at, name);
  const territory = territoryOf(next, rules);
  if (territory === "outside") return leavesRoots();
  if (territory !== "inside") {
    walk.at = territory;
    return { stat: null };
  }
  return stepInto(walk, next, { rules, follow: followLast || walk.todo.length > 0 });
}

/** As in the kernel, `.` and `..` need a directory to apply to; what follows is still checked for leaving the roots. */
function stepDots(walk: LinkWalk, name: "." | "..", rules: PathRules): WalkStep {
  const standing = walk.stat === null || walk.stat.isDirectory() ? undefined : "ENOTDIR";
  const errno = walk.missing > 0 ? "ENOENT" : standing;
  if (name === "..") {
    walk.at = path.dirname(walk.at);
    walk.missing = Math.max(0, walk.missing - 1);
  }
  const stat = statPosition(walk, rules);
  return errno === undefined ? { stat } : { stat, errno };
}

function stepInto(
  walk: LinkWalk,
  next: string,
  { rules, follow }: { rules: PathRules; follow: boolean },
): WalkStep | PathRefusal {
  if (walk.missing > 0) return stepIntoMissing(walk, next);
  let stat: Stats;
  try {
    stat = lstatSync(next);
  } catch (error) {
    const code = errnoOf(error) ?? "EIO";
    return stepIntoMissing(walk, next, code === "ENOENT" ? undefined : code);
  }
  if (!stat.isSymbolicLink()) {
    walk.at = next;
    return { stat };
  }
  // On Windows a reparse point can lead anywhere, by rules of its own kind.
  if (rules.strict.noSymlinks || rules.platform === "win32") {
    return refusal(
      "PATH_SYMLINK",
      "strict.noSymlinks",
      "is or passes a symbolic link, and none is allowed here",
    );
  }
  if (!follow) {
    walk.at = next;
    return { stat };
  }
  return followLink(walk, next, rules);
}

function followLink(walk: LinkWalk, link: string, rules: PathRules): WalkStep | PathRefusal {
  walk.links += 1;
  if (walk.links > MAX_LINKS)
    return refusal("PATH_SYMLINK", "links", "leads in a circle through symbolic links");
  let target: string;
  try {
    target = readlinkSync(link);
  } catch {
    // It is no longer a link; opening the path will show what it is now.
    return stepIntoMissing(walk, link, "ESTALE");
  }
  const names = reversedNames(target, rules);
  // A slash at the end asks for a directory.
  if (/[\\/]$/.test(target)) names.unshift(".");
  walk.todo.push(...names);
  if (!path.isAbsolute(target)) return { stat: statPosition(walk, rules) };
  walk.at = path.parse(target).root;
  return { stat: null };
}

function stepIntoMissing(walk: LinkWalk, next: string, errno?: string): WalkStep {
  walk.at = next;
  walk.missing += 1;
  return errno === undefined ? { stat: null } : { stat: null, errno };
}

/**
 * "inside" a root; "outside"; or, for an ancestor of a root, the path to continue from: itself, or the
 * root's real path where this is the path it was given by.
 */
function territoryOf(absolute: string, rules: PathRules): string {
  if (rules.roots.some((root) => isWithin(absolute, root.real))) return "inside";
  const alias = rules.roots.find((root) => root.given === absolute);
  if (alias !== undefined) return alias.real;
  const above = rules.roots.some((root) => isWithin(root.real, absolute) || isWithin(root.given, absolute));
  return above ? absolute : "outside";
}

function statPosition(walk: LinkWalk, rules: PathRules): Stats | null {
  const inside = rules.roots.some((root) => isWithin(walk.at, root.real));
  return inside && walk.missing === 0 ? lstatOrNull(walk.at) : null;
}

function lstatOrNull(absolute: string): Stats | null {
  try {
    return lstatSync(absolute);
  } catch {
    return null;
  }
}

function reversedNames(text: string, rules: PathRules): string[] {
  return splitPath(
    text.slice(path.isAbsolute(text) ? path.parse(text).root.length : 0),
    rules.platform,
  ).toReversed();
}

function leavesRoots(): PathRefusal {
  return refusal(
    "PATH_SYMLINK",
    "links",
    "leads outside the workspace and the allowed paths through a symbolic link",
  );
}
