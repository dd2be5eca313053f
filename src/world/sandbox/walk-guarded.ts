import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createDenyRules, foldLocation, type DenyRules, type Location } from "../files/deny-rules.js";
import { below, isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { createNameScreen } from "./guarded-names.js";
import type { Survey, SurveyedPath } from "./quarantine/survey.js";

/** A file or folder that exists. */
export interface GuardedPath {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** What a walk found below the roots. */
export interface Guarded {
  /** Neither to be read nor written. */
  readonly hidden: readonly GuardedPath[];
  /** To be read, not to be written. */
  readonly fixed: readonly GuardedPath[];
  /** Git's own folders: most of each is writable, what git runs is not. */
  readonly gitDirs: readonly string[];
  /** What the survey named, for the judgement of changes. */
  readonly surveyed: readonly SurveyedPath[];
}

export interface GuardedRules {
  /** The workspace first. All are real paths. */
  readonly roots: readonly string[];
  readonly hidden: readonly string[];
  readonly fixed: readonly string[];
  /** Opened by the person although a pattern of `fixed` matches. */
  readonly opened: readonly string[];
  /** Looks at every folder that is listed. */
  readonly survey?: Survey | undefined;
}

/** The search for what the rules name. */
export interface Walk {
  find(depth: number): Promise<Guarded>;
  isOpened(path: string): boolean;
}

/** Built-in protection of all that git has; inside a sandbox git itself must work, so it is handled apart. */
const gitPattern = "**/.git/**";
/** A tree beyond this is not searched to its end; what lies near the roots is found first. */
const maxEntries = 300_000;
const parallel = 8;

/** Prepare the search for what the rules name below the roots, down to a depth. */
export function createWalk(rules: GuardedRules): Walk {
  const judge = createJudge(rules);
  return { find, isOpened: judge.isOpened };

  async function find(depth: number): Promise<Guarded> {
    const found = {
      hidden: [] as GuardedPath[],
      fixed: [] as GuardedPath[],
      gitDirs: [] as string[],
      surveyed: [] as SurveyedPath[],
    };
    let level = [...rules.roots];
    let left = maxEntries;
    for (let at = 0; at < depth && level.length > 0 && left > 0; at += 1) {
      const next: string[] = [];
      // Level by level, so that a limit leaves out what is deepest.
      for (let start = 0; start < level.length && left > 0; start += parallel) {
        const folders = level.slice(start, start + parallel);
        const lists = await Promise.all(folders.map(entriesOf));
        for (const [index, entries] of lists.entries()) {
          left -= entries.length;
          if (rules.survey !== undefined) found.surveyed.push(...rules.survey.look(folders[index]!, entries));
          for (const entry of entries) await take(join(folders[index]!, entry.name), entry, next);
        }
      }
      level = next;
    }
    return found;

    async function take(path: string, entry: Dirent, next: string[]): Promise<void> {
      const verdict = judge.place(path, entry.name);
      if (verdict === undefined) {
        if (entry.isDirectory() && judge.isWorthIt(path, entry.name)) next.push(path);
        return;
      }
      if (verdict === "git" && entry.isDirectory()) found.gitDirs.push(path);
      const target = entry.isSymbolicLink() ? await follow(path, rules.roots) : asGuarded(path, entry);
      if (verdict === "hidden" && target !== undefined) found.hidden.push(target);
      if (verdict === "fixed" || (verdict === "git" && !entry.isDirectory())) {
        if (target !== undefined) found.fixed.push(target);
      }
    }
  }
}

type Place = "hidden" | "fixed" | "git" | undefined;

function createJudge({ roots, hidden, fixed, opened }: GuardedRules) {
  const [workspace = "/"] = roots;
  const compile = (patterns: readonly string[]): DenyRules =>
    createDenyRules(patterns, { workspace, realPath: realPathOf });
  const ownFixed = fixed.filter((pattern) => pattern !== gitPattern);
  const rules = { hidden: compile(hidden), fixed: compile(ownFixed), opened: compile(opened) };
  const mayMatch = createNameScreen([...hidden, ...ownFixed]);
  // A rule for names anywhere holds in installed packages too; the built-in ones guard what people open.
  const searchesPackages = hidden.some((pattern) => !pattern.startsWith("/"));
  const locate = (path: string): Location => {
    const root = roots.find((each) => isWithin(path, each)) ?? workspace;
    const relative = isWithin(path, root) ? below(path, root) : path;
    return foldLocation({ absolute: path, relative, inWorkspace: root === workspace });
  };
  return {
    isOpened: (path: string): boolean => rules.opened.match(locate(path)) !== undefined,
    place(path: string, name: string): Place {
      const isGit = name === ".git";
      if (!isGit && !mayMatch(name)) return undefined;
      const place = locate(path);
      if (rules.hidden.match(place) !== undefined) return "hidden";
      if (rules.opened.match(place) !== undefined) return undefined;
      if (rules.fixed.match(place) !== undefined) return "fixed";
      return isGit ? "git" : undefined;
    },
    isWorthIt: (path: string, name: string): boolean =>
      (name !== "node_modules" || searchesPackages) && !path.endsWith("/.git/objects"),
  };
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  // What cannot be read now cannot be read by the command either.
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function asGuarded(path: string, entry: Dirent): GuardedPath {
  return { path, kind: entry.isDirectory() ? "directory" : "file" };
}

/** A mount cannot lie on a link, but on what the link leads to; outside the roots nothing is visible anyway. */
async function follow(path: string, roots: readonly string[]): Promise<GuardedPath | undefined> {
  const real = realPathOf(path);
  if (!roots.some((root) => real !== root && isWithin(real, root))) return undefined;
  const found = await stat(real).catch(() => undefined);
  return found && { path: real, kind: found.isDirectory() ? "directory" : "file" };
}
