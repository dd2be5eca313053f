import { lstatSync, readdirSync } from "node:fs";
import type { NodeImage } from "../../contract/ports/journal.js";
import { gitFileRole, type GitFileRole } from "../../text/git-file.js";
import { pathRefused } from "../files/file-errors.js";
import { isWithin, relativeTo } from "../files/path-text.js";
import type { PathRules } from "../files/path-rules.js";
import { judgeChange, type PathContent } from "../sandbox/quarantine/judge-change.js";
import { isInDependencies } from "../sandbox/quarantine/dependency-folders.js";
import { readSnapshot } from "../sandbox/quarantine/snapshots.js";
import { readBytes, type SourceDeps } from "./sources.js";

/**
 * The rules for undoing: what commands change although its name is protected can be undone, too. These are git's own
 * files, of which only contents that git obeys are judged, and what package managers install.
 */
export function undoRules(rules: PathRules): PathRules {
  return {
    ...rules,
    judge(real, access) {
      const verdict = rules.judge(real, access);
      if (verdict.allowed || !verdict.rule.startsWith("protected: ") || !isWithin(real, rules.workspace))
        return verdict;
      const { name = real } = verdict;
      const path = isWithin(name, rules.workspace) ? relativeTo(name, rules.workspace) : name;
      const role = gitFileRole(path);
      // By another name only data can be told from what git obeys.
      const isKnown = verdict.name === undefined ? role !== undefined : role === "data";
      const isGit = isKnown && gitRules.has(verdict.rule);
      return isGit || isInDependencies(path) ? { allowed: true, path: real } : verdict;
    },
  };
}

/** The protection that Tenon comes with; a person's own patterns hold for undoing, too. */
const gitRules = new Set(["protected: **/.git/**", "protected: **/.gitmodules"]);

/** What an undo brings back: the place of a file that was kept, or its image. */
export type Restored = { readonly stored: string } | { readonly image: NodeImage };

/** Throws if an undo would bring back something that git runs or obeys and that is not there now. */
export async function judgeRestored(
  deps: SourceDeps & { readonly rules: PathRules },
  { real, text, restored }: { readonly real: string; readonly text: string; readonly restored: Restored },
): Promise<void> {
  const { workspace } = deps.rules;
  const role = roleIn(workspace, real);
  if (role === undefined || role === "data") return;
  const after = await contentOf(deps, restored);
  if (after === undefined && (role !== "hook" || !hasHooks(restored))) return;
  const verdict = judgeChange(
    { path: real, role, rule: `git ${role}`, before: contentAt(real), after: after ?? { kind: "other" } },
    { isInside: (path) => isWithin(path, workspace) },
  );
  if (!verdict.held) return;
  const reason = `cannot be restored by an undo, because ${verdict.reason}`;
  throw pathRefused(text, { allowed: false, code: "PATH_FORBIDDEN", rule: verdict.rule, reason });
}

/** Whether a folder that git runs files of has any. */
function hasHooks(restored: Restored): boolean {
  if ("image" in restored) return restored.image.type === "directory" && restored.image.tree !== null;
  return readdirSync(restored.stored).some((name) => !name.endsWith(".sample"));
}

/** Whether git runs or obeys the content of a path. */
export function isObeyedByGit({ workspace }: PathRules, real: string): boolean {
  const role = roleIn(workspace, real);
  return role !== undefined && role !== "data";
}

function roleIn(workspace: string, real: string): GitFileRole | undefined {
  return isWithin(real, workspace) ? gitFileRole(relativeTo(real, workspace)) : undefined;
}

/** `undefined` for a folder. */
async function contentOf(deps: SourceDeps, restored: Restored): Promise<PathContent | undefined> {
  if ("stored" in restored) return contentAt(restored.stored);
  const { image } = restored;
  if (image.type === "directory") return undefined;
  if (image.type === "symlink") return { kind: "link", target: image.target };
  if (image.hash === "" || image.delta !== undefined) return { kind: "other" };
  return { kind: "file", bytes: await readBytes(deps, { kind: "blob", hash: image.hash }) };
}

function contentAt(path: string): PathContent | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isDirectory() ? undefined : readSnapshot(path, stats).content;
}
