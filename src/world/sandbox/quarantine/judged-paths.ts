import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { foldName } from "../../files/fold-name.js";
import { realPathOf } from "../../files/real-path.js";
import {
  gitFolderPaths,
  linkedDependencies,
  namedGitFolder,
  type GitSpace,
  type JudgedPath,
} from "./git-paths.js";
import type { PathRole } from "./judge-change.js";
import type { SurveyedPath } from "./survey.js";

/** Folders such as `.vscode` are looked at file by file, up to this many. */
const maxEntries = 2000;

/** Every path whose changes are judged, from what a walk named; the same path counts once. */
export function judgedPaths(
  surveyed: readonly SurveyedPath[],
  gitFolders: readonly string[],
  space: GitSpace,
): ReadonlyMap<string, JudgedPath> {
  const found = new Map<string, JudgedPath>();
  const add = (paths: readonly JudgedPath[]): void => {
    for (const each of paths) if (!found.has(each.path)) found.set(each.path, each);
  };
  const seen = new Set<string>();
  const addGitFolder = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    add(gitFolderPaths(path, space));
    for (const dotGit of linkedDependencies(path)) addDotGit(dotGit);
  };
  const addDotGit = (path: string): void => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) addGitFolder(path);
    else addGitFile(path);
  };
  const addGitFile = (path: string): void => {
    add([{ path, role: "git-file", rule: "git file" }]);
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const folder = isLink ? realPathOf(path) : namedGitFolder(path);
    if (folder !== undefined && space.isInside(folder)) addGitFolder(folder);
  };
  for (const folder of gitFolders) addGitFolder(folder);
  for (const each of surveyed) {
    if (each.what === "git-folder") addGitFolder(each.path);
    else if (each.what === "git-file") addGitFile(each.path);
    else add(namedPaths(each, space));
  }
  return found;
}

function namedPaths({ path, kind, rule }: SurveyedPath, space: GitSpace): JudgedPath[] {
  const role = roleOf(path);
  if (kind === "directory") return filesBelow(path, rule);
  const own = { path, role, rule };
  if (kind !== "link") return [own];
  // What a link of the person's leads to counts as if it were there.
  const target = realPathOf(path);
  if (target === path || !space.isInside(target)) return [own];
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return [own, ...(isFolder ? filesBelow(target, rule) : [{ path: target, role, rule }])];
}

/** Some files that are named by the lists are judged by content. */
function roleOf(path: string): PathRole {
  const name = foldName(basename(path));
  if (name === ".gitmodules") return "modules";
  return name === ".gitattributes" ? "attributes" : "named";
}

function filesBelow(folder: string, rule: string): JudgedPath[] {
  const files: JudgedPath[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name);
      const isPackages = basename(dirname(path)) === ".yarn" && /^(?:cache|unplugged)$/.test(entry.name);
      if (entry.isDirectory() && !isPackages && entry.name !== "node_modules") folders.push(path);
      else if (!entry.isDirectory()) files.push({ path, role: roleOf(path), rule });
    }
    // Too much to look at one by one: the folder counts as one thing.
    if (files.length > maxEntries) return [{ path: folder, role: "named", rule }];
  }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
