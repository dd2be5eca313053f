import type { RuntimeBase } from "../state/runtime-base.js";
import { dirname, resolve } from "node:path";
import type { RuleGroup } from "../../config/load-config.js";
import type { CallSession } from "../../contract/session.js";
import { protectedPathGlobs } from "../../policy/built-in-rules.js";
import type { Guard } from "../../world/files/guard-types.js";
import { createGuard } from "../../world/files/guard.js";
import { isWithin } from "../../world/files/path-text.js";
import { createPathRules, type PathRules, type PathRulesOptions } from "../../world/files/path-rules.js";
import { createOtherNames, type OtherNames } from "../../world/links/other-names.js";

/** The guards of one workspace: the common one, and narrower ones for tools and sessions. */
export interface Guards {
  common(): Guard;
  /** The rules of the common guard as plain data, for worker threads. */
  commonRules(): PathRulesOptions;
  forCall(toolName: string, session: CallSession): Guard;
  /** For the documents of stages: `files` writes only in their folder, `folder` creates it. */
  documents(): { readonly files: Guard; readonly folder: Guard };
  /** For a person's undo: the documents too. */
  undo(): Guard;
  /** What else the files of the workspace are called. */
  readonly names: OtherNames;
}

type GuardSettings = Pick<RuntimeBase, "config" | "rules" | "workspace" | "stateDir">;

/** Create guards on first use; the paths of a tool are compiled once. */
export function createGuards(options: GuardSettings): Guards {
  const { config } = options;
  const names = createOtherNames(() => placesOf(guardOf(undefined).rules));
  const known = new Map<string | undefined, Guard>();
  const guardOf = (toolName: string | undefined): Guard => {
    const before = known.get(toolName);
    if (before !== undefined) return before;
    const guard = openGuard(options, { toolName, names });
    known.set(toolName, guard);
    return guard;
  };
  // Lists that name a part of the workspace narrow it; what lies outside stays allowed.
  const lists = config.tools.allowedPaths.filter((list) =>
    list.some((path) => isWithin(resolve(options.workspace, path), options.workspace)),
  );
  const forTools = (guard: Guard): Guard =>
    lists.reduce((narrowed, list) => narrowed.narrow([...list, ...config.files.allowedPaths]), guard);
  const narrowed = new Map<string | undefined, Guard>();
  const folder = resolve(options.workspace, config.artifacts.dir);
  let documents: ReturnType<Guards["documents"]> | undefined;
  let undo: Guard | undefined;
  return {
    common: () => guardOf(undefined),
    commonRules: () => rulesOf(options, {}),
    documents: () =>
      (documents ??= {
        files: openGuard(options, { opened: [folder], noLinks: true, names }).narrow([folder]),
        // Protected folders above it are opened only to create the folder.
        folder: openGuard(options, { opened: foldersTo(folder, options.workspace), noLinks: true, names }),
      }),
    undo: () => (undo ??= openGuard(options, { opened: [folder], names })),
    names,
    forCall(toolName, { allowedPaths }) {
      const name = config.tools.perTool[toolName]?.permissions === undefined ? undefined : toolName;
      const guard = narrowed.get(name) ?? forTools(guardOf(name));
      narrowed.set(name, guard);
      return allowedPaths === undefined ? guard : guard.narrow(allowedPaths);
    },
  };
}

/** The paths that the user's own rules allow: only those unprotect paths, and the policy still judges the call. */
export function openedByPerson(groups: readonly RuleGroup[]): string[] {
  const own = groups.filter(({ source }) => source === "command-line" || source === "user");
  const allowing = own.flatMap(({ rules }) => rules.filter(({ decision }) => decision === "allow"));
  return allowing.flatMap(({ path }) => path ?? []).filter((glob) => !glob.startsWith("!"));
}

/** A folder and those above it, up to the workspace. */
function foldersTo(folder: string, workspace: string): string[] {
  const folders: string[] = [folder];
  for (let at = dirname(folder); at.length > workspace.length && at.startsWith(workspace); at = dirname(at))
    folders.push(at);
  return folders;
}

interface GuardOptions {
  readonly toolName?: string | undefined;
  /** Paths that are not protected for this guard. */
  readonly opened?: readonly string[];
  /** Do not follow symbolic links. */
  readonly noLinks?: boolean;
}

/** The folders in which links are looked for: one above the workspace would be too large. */
function placesOf({ workspace, roots }: PathRules): string[] {
  const places = roots.map(({ real }) => real);
  return places.filter((place) => place === workspace || !isWithin(workspace, place));
}

function openGuard(
  options: GuardSettings,
  { names, ...wanted }: GuardOptions & { readonly names: OtherNames },
): Guard {
  const { config } = options;
  const own = wanted.toolName === undefined ? undefined : config.tools.perTool[wanted.toolName]?.permissions;
  const rules = createPathRules(rulesOf(options, wanted), { namesOf: names.of });
  const guard = createGuard({ rules, maxFileSize: config.files.maxFileSize });
  return own?.allowedPaths === undefined ? guard : guard.narrow(own.allowedPaths);
}

function rulesOf(
  { config, rules: groups, workspace, stateDir }: GuardSettings,
  { toolName, opened = [], noLinks = false }: GuardOptions,
): PathRulesOptions {
  const own = toolName === undefined ? undefined : config.tools.perTool[toolName]?.permissions;
  return {
    workspace,
    allowedPaths: config.files.allowedPaths,
    forbiddenPaths: [...config.files.forbiddenPaths, ...(own?.forbiddenPaths ?? [])],
    protectedGlobs: [...protectedPathGlobs, ...config.files.protectedPaths],
    unprotectedGlobs: [...openedByPerson(groups), ...opened],
    strict: noLinks ? { ...config.files.strict, noSymlinks: true } : config.files.strict,
    stateDir,
  };
}
