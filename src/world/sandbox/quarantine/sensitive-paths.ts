import type { Dirent } from "node:fs";
import { join } from "node:path";
import { expandBraces } from "../../../glob/expand-braces.js";
import { createDenyRules, foldLocation, type Location } from "../../files/deny-rules.js";
import { foldName } from "../../files/fold-name.js";
import { relativeTo, isWithin } from "../../files/path-text.js";
import { realPathOf } from "../../files/real-path.js";
import { createNameScreen } from "../guarded-names.js";
import { isInDependencies } from "./dependency-folders.js";

/** A path that other programs later run or load as configuration. */
export interface SensitivePath {
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly what: "named" | "git-folder" | "git-file";
  /** The pattern that matches it. */
  readonly rule: string;
}

/** Checks each folder that a walk lists, so that nothing is walked twice. */
export interface SensitivePathFinder {
  look(folder: string, entries: readonly Dirent[]): SensitivePath[];
}

export interface SensitivePathRules {
  /** The workspace first. All are real paths. */
  readonly roots: readonly string[];
  /** Patterns of paths that other programs run or load as configuration. */
  readonly named: readonly string[];
  /** Patterns that a person unprotected. */
  readonly opened: readonly string[];
}

/** The pattern for git folders, which are judged by content. */
const gitPattern = "**/.git/**";

/** Create a finder of sensitive paths in folder listings. */
export function createSensitivePathFinder({ roots, named, opened }: SensitivePathRules): SensitivePathFinder {
  const [workspace = "/"] = roots;
  const space = { workspace, realPath: realPathOf };
  const patterns = named.filter((pattern) => pattern !== gitPattern);
  const rules = { named: createDenyRules(patterns, space), opened: createDenyRules(opened, space) };
  const mayMatch = createNameScreen(patterns);
  const parentNames = parentFolderNames(patterns);
  const locate = (path: string): Location => {
    const root = roots.find((each) => isWithin(path, each)) ?? workspace;
    const relative = isWithin(path, root) ? relativeTo(path, root) : path;
    return foldLocation({ absolute: path, relative, inWorkspace: root === workspace });
  };
  return {
    look(folder, entries) {
      const found: SensitivePath[] = [];
      if (isGitFolder(entries)) {
        found.push({ path: folder, kind: "directory", what: "git-folder", rule: "git" });
      }
      for (const entry of entries) {
        const name = foldName(entry.name);
        const isGit = name === ".git";
        // A walk does not follow links, but programs that use the path do.
        const parentRule = entry.isSymbolicLink() ? parentNames.get(name) : undefined;
        if (!isGit && parentRule === undefined && !mayMatch(entry.name)) continue;
        const path = join(folder, entry.name);
        const location = locate(path);
        if (rules.opened.match(location) !== undefined) continue;
        const kind = kindOf(entry);
        if (isGit) {
          const what = kind === "directory" ? "git-folder" : "git-file";
          found.push({ path, kind, what, rule: "git" });
          continue;
        }
        const rule = parentRule ?? rules.named.match(location);
        if (rule === undefined || isInDependencies(location.relative)) continue;
        found.push({ path, kind, what: "named", rule });
      }
      return found;
    },
  };
}

/** Names of the folders that patterns such as `**\/.cargo/config.toml` lead through, with the pattern. */
function parentFolderNames(patterns: readonly string[]): ReadonlyMap<string, string> {
  const bare = (pattern: string): string => pattern.replace(/(?<=.)(?:\/\*\*)+$/, "");
  return new Map(
    patterns.flatMap((pattern) =>
      expandBraces(foldName(bare(pattern)))
        .flatMap((form) => form.split("/").slice(0, -1))
        .filter((name) => name !== "" && !/[*?[\]]/.test(name))
        .map((name) => [name, pattern] as const),
    ),
  );
}

/** Whether git, started in a folder with these entries, would take it for a git folder: a bare repository. */
function isGitFolder(entries: readonly Dirent[]): boolean {
  let head = false;
  let parts = 0;
  for (const { name } of entries) {
    if (name === "HEAD") head = true;
    else if (name === "objects" || name === "refs") parts += 1;
    else if (name === "commondir") parts += 2;
  }
  return head && parts >= 2;
}

/** What an entry is, without following a link. */
function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): SensitivePath["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}
