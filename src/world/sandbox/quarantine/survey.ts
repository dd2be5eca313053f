import type { Dirent } from "node:fs";
import { join } from "node:path";
import { expandBraces } from "../../../glob/expand-braces.js";
import { createDenyRules, foldLocation, type Location } from "../../files/deny-rules.js";
import { foldName } from "../../files/fold-name.js";
import { relativeTo, isWithin } from "../../files/path-text.js";
import { realPathOf } from "../../files/real-path.js";
import { createNameScreen } from "../guarded-names.js";
import { isInDependencies } from "./dependency-folders.js";

/** A path that counts for what runs later, as a walk finds it. */
export interface SurveyedPath {
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly what: "named" | "git-folder" | "git-file";
  /** The pattern that names it. */
  readonly rule: string;
}

/** Looks at each folder that a walk lists, so that nothing is walked twice. */
export interface Survey {
  look(folder: string, entries: readonly Dirent[]): SurveyedPath[];
}

export interface SurveyRules {
  /** The workspace first. All are real paths. */
  readonly roots: readonly string[];
  /** Patterns of paths that other programs run or obey. */
  readonly named: readonly string[];
  /** Patterns that a person opened. */
  readonly opened: readonly string[];
}

/** The pattern that stands for all of git's own; it is judged by content. */
const gitPattern = "**/.git/**";

/** Prepare to find, in the listings of folders, what other programs run or obey later. */
export function createSurvey({ roots, named, opened }: SurveyRules): Survey {
  const [workspace = "/"] = roots;
  const space = { workspace, realPath: realPathOf };
  const patterns = named.filter((pattern) => pattern !== gitPattern);
  const rules = { named: createDenyRules(patterns, space), opened: createDenyRules(opened, space) };
  const mayMatch = createNameScreen(patterns);
  const onTheWay = namesOnTheWay(patterns);
  const locate = (path: string): Location => {
    const root = roots.find((each) => isWithin(path, each)) ?? workspace;
    const relative = isWithin(path, root) ? relativeTo(path, root) : path;
    return foldLocation({ absolute: path, relative, inWorkspace: root === workspace });
  };
  return {
    look(folder, entries) {
      const found: SurveyedPath[] = [];
      if (isGitFolder(entries)) {
        found.push({ path: folder, kind: "directory", what: "git-folder", rule: "git" });
      }
      for (const entry of entries) {
        const name = foldName(entry.name);
        const isGit = name === ".git";
        // A walk does not go through links, but the programs that look for the path do.
        const way = entry.isSymbolicLink() ? onTheWay.get(name) : undefined;
        if (!isGit && way === undefined && !mayMatch(entry.name)) continue;
        const path = join(folder, entry.name);
        const place = locate(path);
        if (rules.opened.match(place) !== undefined) continue;
        const kind = kindOf(entry);
        if (isGit) {
          const what = kind === "directory" ? "git-folder" : "git-file";
          found.push({ path, kind, what, rule: "git" });
          continue;
        }
        const rule = way ?? rules.named.match(place);
        if (rule === undefined || isInDependencies(place.relative)) continue;
        found.push({ path, kind, what: "named", rule });
      }
      return found;
    },
  };
}

/** Names of the folders that patterns such as `**\/.cargo/config.toml` lead through, with the pattern. */
function namesOnTheWay(patterns: readonly string[]): ReadonlyMap<string, string> {
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
export function kindOf(
  entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">,
): SurveyedPath["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}
