import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt, ignoring } from "../../../contract/errno.js";
import { isWithin } from "../../files/path-text.js";
import { realPathOf } from "../../files/real-path.js";
import { entryAt } from "../layer/entry-state.js";
import type { EntryState } from "../layer/layer-types.js";
import { isInDependencies } from "./dependency-folders.js";
import { parseGitConfig } from "./git-config.js";
import { gitlinksIn } from "./gitlinks.js";
import type { PathRole } from "./judge-change.js";

/** A path whose changes are judged, whether it exists or not. */
export interface JudgedPath {
  readonly path: string;
  readonly role: PathRole;
  readonly rule: string;
}

/** What finding git paths needs. */
export interface GitDeps {
  readonly isInside: (path: string) => boolean;
  /** The settings from before a run, because additions by the run are held back. */
  readonly settingsOf: (path: string) => string | undefined;
  /** Where a path that settings name can be: a layer has two sides. @default the path itself */
  readonly placesOf?: (path: string) => readonly string[];
}

/** A larger tree of submodules is not searched completely. */
const maxFolders = 200;
const maxDepth = 6;
const maxIndexBytes = 64 * 1024 * 1024;

/** The files of a git folder that git runs or obeys; everything else in it is data. */
export function gitFolderPaths(gitDir: string, deps: GitDeps): JudgedPath[] {
  const folders = [gitDir, ...moduleFolders(join(gitDir, "modules"), maxDepth)].slice(0, maxFolders);
  return folders.flatMap((folder) => [
    ...obeyedIn(folder),
    ...linksIn(folder),
    ...remotesIn(folder, "remotes", "remote"),
    ...remotesIn(folder, "branches", "branch"),
    ...foldersIn(join(folder, "worktrees")).flatMap(obeyedInWorktree),
    ...hooksIn(join(folder, "hooks"), deps),
    ...namedBySettings(folder, join(folder, "config"), deps),
    ...namedBySettings(folder, join(folder, "config.worktree"), deps),
  ]);
}

/** The git folder that a file `.git` names. */
export function namedGitFolder(file: string): string | undefined {
  const named = /^gitdir: (.+?)\s*$/.exec(readSettings(file) ?? "")?.[1];
  return named === undefined ? undefined : realPathOf(resolve(dirname(file), named));
}

/** Repositories in folders of dependencies that the index of a git folder leads git to. */
export function linkedDependencies(gitDir: string): string[] {
  const file = join(gitDir, "index");
  const size = sizeOf(file);
  if (size === undefined || size > maxIndexBytes) return [];
  const isLong = /objectformat\s*=\s*"?sha256/i.test(readSettings(join(gitDir, "config")) ?? "");
  const links = gitlinksIn(readFileSync(file), isLong ? 32 : 20);
  return links
    .filter((path) => isInDependencies(`${path}/.git`))
    .map((path) => join(dirname(gitDir), path, ".git"));
}

function obeyedIn(folder: string): JudgedPath[] {
  const at = (path: string, role: PathRole): JudgedPath => ({
    path: join(folder, path),
    role,
    rule: `git ${role}`,
  });
  return [
    at("config", "settings"),
    at("config.worktree", "settings"),
    at("commondir", "commondir"),
    at("info/attributes", "attributes"),
    at("objects/info/alternates", "alternates"),
    at("rebase-merge/git-rebase-todo", "todo"),
    at("rebase-merge/strategy", "strategy"),
    at("sequencer/opts", "sequencer"),
  ];
}

/** Old forms of remotes: git reads the files directly in these folders. */
function remotesIn(folder: string, name: string, role: "remote" | "branch"): JudgedPath[] {
  return entriesOf(join(folder, name))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ path: join(folder, name, entry.name), role, rule: "git remote" }));
}

/** Folders that git creates; a link instead of one could lead git to files that were not judged. */
const ownFolders = [
  "info",
  "objects",
  "objects/info",
  "rebase-merge",
  "sequencer",
  "remotes",
  "branches",
  "modules",
  "worktrees",
];

function linksIn(folder: string): JudgedPath[] {
  const below = ["modules", "worktrees"].flatMap((name) =>
    entriesOf(join(folder, name)).flatMap((entry) =>
      entry.isSymbolicLink() ? [`${name}/${entry.name}`] : [],
    ),
  );
  return [...ownFolders, ...below]
    .map((name) => join(folder, name))
    .filter(isLink)
    .map((path) => ({ path, role: "named", rule: "git folder" }));
}

function obeyedInWorktree(folder: string): JudgedPath[] {
  return obeyedIn(folder).filter(({ role }) => role !== "attributes" && role !== "alternates");
}

/** Git runs files directly in the folder, except for its samples. */
function hooksIn(folder: string, { isInside }: Pick<GitDeps, "isInside">): JudgedPath[] {
  const toHook = (path: string): JudgedPath => ({ path, role: "hook", rule: "git hook" });
  if (isLink(folder)) return [toHook(folder)];
  return entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith(".sample"))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const target = entry.isSymbolicLink() ? realPathOf(path) : path;
      return [path, ...(target !== path && isInside(target) ? [target] : [])].map(toHook);
    });
}

/** Files and hooks in the work tree that settings refer to. */
function namedBySettings(gitDir: string, file: string, deps: GitDeps): JudgedPath[] {
  const { placesOf = (path) => [path] } = deps;
  return placesInSettings({ gitDir, file }, deps).flatMap(({ path, what }) => {
    const places = placesOf(path);
    if (what === "hooks") return places.flatMap((place) => hooksIn(place, deps));
    const [role, rule] =
      what === "hook" ? (["hook", "git hook"] as const) : (["settings", "git include"] as const);
    return places.map((place): JudgedPath => ({ path: place, role, rule }));
  });
}

/** A place in the work tree that settings name: a file that they include, the folder of the hooks, or one hook. */
export interface NamedPlace {
  /** Real path. */
  readonly path: string;
  readonly what: "settings" | "hooks" | "hook";
}

/** What git runs in a folder of hooks that is the work tree itself, where all other files are none. */
const hookNames =
  `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
  post-commit pre-rebase post-checkout post-merge pre-push post-rewrite pre-receive update proc-receive post-receive
  post-update reference-transaction push-to-checkout pre-auto-gc sendemail-validate fsmonitor-watchman
  post-index-change`.split(/\s+/);

interface SettingsFile {
  readonly gitDir: string;
  readonly file: string;
  /** Where the files are that git checks out, unless the settings say otherwise. @default the folder of the git folder */
  readonly tree?: string;
}

/** The places in the work tree that settings name, and those that included settings name. */
export function placesInSettings(from: SettingsFile, deps: GitDeps, depth = 0): NamedPlace[] {
  const { gitDir, file } = from;
  const settings = parseGitConfig(deps.settingsOf(file) ?? "") ?? [];
  const tree = settings.find(({ section, name }) => section === "core" && name === "worktree")?.value;
  const root = tree === undefined ? (from.tree ?? dirname(gitDir)) : resolve(gitDir, tree);
  return settings.flatMap(({ section, name, value }): NamedPlace[] => {
    if (value.startsWith("~")) return [];
    if ((section === "include" || section === "includeif") && name === "path") {
      const path = resolve(dirname(file), value);
      if (!deps.isInside(path) || isWithin(path, gitDir)) return [];
      const next = { ...from, file: path, tree: root };
      const deeper = depth < maxDepth ? placesInSettings(next, deps, depth + 1) : [];
      return [{ path: realPathOf(path), what: "settings" }, ...deeper];
    }
    if (section !== "core" || name !== "hookspath") return [];
    const folder = realPathOf(resolve(root, value));
    if (!deps.isInside(folder)) return [];
    if (folder !== realPathOf(root)) return [{ path: folder, what: "hooks" }];
    return hookNames.map((hook) => ({ path: join(folder, hook), what: "hook" }));
  });
}

/** The git folders of submodules; one named `libs/x` is a level deeper. */
function moduleFolders(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((each) =>
    sizeOf(join(each, "HEAD")) === undefined
      ? moduleFolders(each, depth - 1)
      : [each, ...moduleFolders(join(each, "modules"), depth - 1)],
  );
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .slice(0, maxFolders)
    .map(({ name }) => join(folder, name));
}

function entriesOf(folder: string) {
  // A missing folder, or a link instead of it, does not contain git's own files.
  if (isLink(folder)) return [];
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function isLink(path: string): boolean {
  return stateAt(path)?.kind === "link";
}

function sizeOf(file: string): number | undefined {
  const found = stateAt(file);
  return found?.kind === "file" ? found.size : undefined;
}

/** What is in a folder that its owner cannot read is held back with it. */
function stateAt(path: string): EntryState | undefined {
  return ignoring("EACCES", () => entryAt(path)?.state);
}

/** The text of a small file; `undefined` if it is none. */
export function readSettings(file: string): string | undefined {
  const size = sizeOf(file);
  return size === undefined || size > 256 * 1024 ? undefined : readFileSync(file, "utf8");
}
