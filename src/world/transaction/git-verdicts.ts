import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ignoring } from "../../contract/errno.js";
import { foldName } from "../files/fold-name.js";
import { isWithin } from "../files/path-text.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import {
  gitFolderPaths,
  namedGitFolder,
  type GitDeps,
  type JudgedPath,
} from "../sandbox/quarantine/git-paths.js";
import { judgeChange, type PathContent } from "../sandbox/quarantine/judge-change.js";
import { readSnapshot } from "../sandbox/quarantine/snapshots.js";
import type { Verdict } from "./name-verdict.js";

/** The two sides of a layer; paths are relative to the workspace. */
export interface LayerSides {
  readonly workspace: string;
  readonly upper: string;
  /** Whether the command changed a path; `gone` if it removed it, with a folder above it or by itself. */
  readonly stateOf: (path: string) => "same" | "changed" | "gone";
}

/** Finds the git folders that changes belong to, and judges what git runs or obeys there. */
export interface GitJudge {
  /** Note a path that the command changed; nothing can be below it unless it is or was a folder. */
  add(path: string, isFolder?: boolean): void;
  /** The changes that are held back, by path. */
  verdicts(): ReadonlyMap<string, Verdict>;
}

const contentRoles = new Map([
  [".gitmodules", "modules"],
  [".gitattributes", "attributes"],
] as const);

export function createGitJudge(sides: LayerSides): GitJudge {
  const { workspace, upper } = sides;
  const seen = new Set<string>();
  const folders = new Set<string>();
  const judged = new Map<string, JudgedPath>();
  const isInside = (path: string): boolean => isWithin(path, workspace) || isWithin(path, upper);
  const exists = (path: string): boolean => [workspace, upper].some((root) => isThere(join(root, path)));
  /** A repository whose folder contains a changed path, or a bare one. */
  const addAncestors = (path: string): void => {
    for (let at = path; ; at = dirname(at)) {
      if (seen.has(at)) return;
      seen.add(at);
      const git = at === "." ? ".git" : `${at}/.git`;
      if (basename(foldName(at)) === ".git" || (isGitFolder(at, exists) && at !== ".")) folders.add(at);
      else if (exists(git)) folders.add(git);
      if (at === ".") return;
    }
  };
  return {
    add(path, isFolder = true) {
      const name = foldName(basename(path));
      const role = contentRoles.get(name as ".gitmodules");
      if (role !== undefined) judged.set(path, { path, role, rule: `git ${role}` });
      addAncestors(isFolder || name === ".git" ? path : dirname(path));
    },
    verdicts() {
      for (const folder of folders) {
        for (const found of pathsOf(folder, sides, isInside)) {
          if (!judged.has(found.path)) judged.set(found.path, found);
        }
      }
      const held = new Map<string, Verdict>();
      for (const folder of folders) if (isLost(folder, sides)) held.set(folder, lostRepository);
      for (const about of judged.values()) {
        const verdict = judgeOne(about, sides, isInside);
        if (verdict !== undefined) held.set(about.path, verdict);
      }
      return held;
    },
  };
}

/** A git folder that was removed by itself. One that goes with its work tree obeys nothing any more. */
export const lostRepository: Verdict = Object.freeze({
  kind: "hold",
  reason: "it is the repository of files that stay, with their history and settings",
  rule: "git folder",
});

/** Whether a git folder was removed, or is none any more, though its work tree is still there. */
function isLost(folder: string, { workspace, stateOf }: LayerSides): boolean {
  const head = `${folder}/HEAD`;
  if (foldName(basename(folder)) !== ".git" || !isThere(join(workspace, head)) || stateOf(head) !== "gone")
    return false;
  const tree = dirname(folder);
  return (
    entryAt(join(workspace, folder))?.state.kind === "folder" && (tree === "." || stateOf(tree) !== "gone")
  );
}

/** A folder that its owner cannot read is held back as a whole. */
function isThere(path: string): boolean {
  return ignoring("EACCES", () => entryAt(path) !== undefined) ?? false;
}

function isGitFolder(path: string, exists: (path: string) => boolean): boolean {
  if (!exists(`${path}/HEAD`)) return false;
  return exists(`${path}/commondir`) || (exists(`${path}/objects`) && exists(`${path}/refs`));
}

/** What git obeys in a git folder, on both sides. */
function pathsOf(
  folder: string,
  { workspace, upper }: LayerSides,
  isInside: (path: string) => boolean,
): JudgedPath[] {
  const toRelative = (path: string): string | undefined => {
    const root = isWithin(path, upper) ? upper : workspace;
    return isWithin(path, root) && path !== root ? path.slice(root.length + 1) : undefined;
  };
  const deps: GitDeps = {
    isInside,
    // Settings from before the command: what it added is judged, not obeyed.
    settingsOf: (path) => textAt(join(workspace, toRelative(path) ?? "")),
    placesOf(path) {
      const relative = toRelative(path);
      return relative === undefined ? [path] : [path, linkOnTheWay(upper, relative) ?? join(upper, relative)];
    },
  };
  return [workspace, upper].flatMap((root) => {
    const place = join(root, folder);
    const kind = entryAt(place)?.state.kind;
    if (kind === undefined) return [];
    const own = [{ path: place, role: "git-file", rule: "git file" } as const];
    const named = kind === "folder" ? place : namedGitFolder(place);
    const paths = named !== undefined && isInside(named) ? gitFolderPaths(named, deps) : [];
    return [...(kind === "folder" ? [] : own), ...paths].flatMap((each) => {
      const path = toRelative(each.path);
      return path === undefined ? [] : [{ ...each, path }];
    });
  });
}

/** The first link that leads to something else than what was there; paths in the layer cannot be followed. */
function linkOnTheWay(root: string, path: string): string | undefined {
  const names = path.split("/");
  return names
    .map((_, at) => join(root, ...names.slice(0, at + 1)))
    .find((place) => entryAt(place)?.state.kind === "link");
}

function judgeOne(
  about: JudgedPath,
  { workspace, upper, stateOf }: LayerSides,
  isInside: (path: string) => boolean,
): Verdict | undefined {
  const state = stateOf(about.path);
  if (state === "same") return undefined;
  const path = join(workspace, about.path);
  const before = contentAt(path);
  const after = state === "gone" ? undefined : contentAt(join(upper, about.path));
  const verdict = judgeChange({ ...about, path, before, after }, { isInside });
  if (!verdict.held) return undefined;
  const { reason, rule, instead } = verdict;
  return { kind: "hold", reason, rule, ...(instead !== undefined && { instead }) };
}

function contentAt(path: string): PathContent | undefined {
  if (entryAt(path) === undefined) return undefined;
  const stat = lstatSync(path);
  return stat.isDirectory() ? undefined : readSnapshot(path, stat).content;
}

function textAt(path: string): string | undefined {
  const content = contentAt(path);
  return content?.kind === "file" ? Buffer.from(content.bytes).toString("utf8") : undefined;
}
