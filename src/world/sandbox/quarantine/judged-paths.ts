import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../../contract/errno.js";
import { foldName } from "../../files/fold-name.js";
import { realPathOf } from "../../files/real-path.js";
import {
  gitFolderPaths,
  linkedDependencies,
  namedGitFolder,
  type GitDeps,
  type JudgedPath,
} from "./git-paths.js";
import type { PathRole } from "./judge-change.js";
import type { SensitivePath } from "./sensitive-paths.js";

/** Folders such as `.vscode` are judged file by file, up to this many. */
const maxEntries = 2000;

/** Every path whose changes are judged, from the sensitive paths of a walk. */
export function judgedPaths(
  sensitive: readonly SensitivePath[],
  gitFolders: readonly string[],
  deps: GitDeps,
): ReadonlyMap<string, JudgedPath> {
  const found = new Map<string, JudgedPath>();
  const add = (paths: readonly JudgedPath[]): void => {
    for (const each of paths) if (!found.has(each.path)) found.set(each.path, each);
  };
  const seen = new Set<string>();
  const addGitFolder = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    add(gitFolderPaths(path, deps));
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
    if (folder !== undefined && deps.isInside(folder)) addGitFolder(folder);
  };
  for (const folder of gitFolders) addGitFolder(folder);
  for (const each of sensitive) {
    if (each.what === "git-folder") addGitFolder(each.path);
    else if (each.what === "git-file") addGitFile(each.path);
    else add(namedPaths(each, deps));
  }
  return found;
}

function namedPaths({ path, kind, rule }: SensitivePath, deps: GitDeps): JudgedPath[] {
  const role = roleOf(path);
  if (kind === "directory") return filesBelow(path, rule);
  const own = { path, role, rule };
  if (kind !== "link") return [own];
  // The target of a link is judged like the link itself.
  const target = realPathOf(path);
  if (target === path || !deps.isInside(target)) return [own];
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return [own, ...(isFolder ? filesBelow(target, rule) : [{ path: target, role, rule }])];
}

/** Some of these files are judged by content. */
function roleOf(path: string): PathRole {
  const name = foldName(basename(path));
  if (name === ".gitmodules") return "modules";
  return name === ".gitattributes" ? "attributes" : "named";
}

function filesBelow(folder: string, rule: string): JudgedPath[] {
  const files: JudgedPath[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of attempt(() => readdirSync(at, { withFileTypes: true })) ?? []) {
      const path = join(at, entry.name);
      const isPackages = basename(dirname(path)) === ".yarn" && /^(?:cache|unplugged)$/.test(entry.name);
      if (entry.isDirectory() && !isPackages && entry.name !== "node_modules") folders.push(path);
      else if (!entry.isDirectory()) files.push({ path, role: roleOf(path), rule });
    }
    // Too many files: the folder is judged as a whole.
    if (files.length > maxEntries) return [{ path: folder, role: "named", rule }];
  }
  return files;
}
