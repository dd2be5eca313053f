import path from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import { createDenyRules, foldLocation, type Location } from "./deny-rules.js";
import { foldName } from "./fold-name.js";
import { judgeBelow, refuseChange, refuseUse, type DeniedRules } from "./path-denials.js";
import { fromAlias, narrowedPaths, resolveRoots, type PathRoot } from "./path-roots.js";
import { relativeTo, isTooLong, isWithin, hasParentSegment, pathTextFault, resolveIn } from "./path-text.js";
import { type PathAccess, type PathRefusal, refusal, type RuleVerdict } from "./path-verdict.js";
import { realPathOf } from "./real-path.js";

/** Stricter rules, all off by default. */
export interface StrictPaths {
  /** Refuse `..` anywhere in a path, even if the path stays inside. */
  readonly noParent?: boolean;
  /** Refuse every symbolic link, even one that stays inside. */
  readonly noSymlinks?: boolean;
  readonly noAbsolute?: boolean;
}

export interface PathRulesOptions {
  readonly workspace: string;
  /** Further directories or files that may be used, absolute or relative to the workspace. */
  readonly allowedPaths?: readonly string[];
  /** Paths or globs that may be neither read nor written; they override everything else. */
  readonly forbiddenPaths?: readonly string[];
  /** Paths or globs that may be read but not changed. */
  readonly protectedGlobs?: readonly string[];
  /** Paths or globs that a person's rules open although they are protected; forbidden ones stay forbidden. */
  readonly unprotectedGlobs?: readonly string[];
  readonly strict?: StrictPaths;
  /** Tenon's own state: forbidden always. */
  readonly stateDir?: string;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform;
}

/** What the rules of one workspace ask of others. */
export interface PathRulesDeps {
  /**
   * The other names of a real path, and of what is below it: a rule about one of them binds the path. @default none
   */
  readonly namesOf?: ((real: string, below: boolean) => readonly string[]) | undefined;
}

/** Which paths may be used, and how. Judging looks at the disk only for other names of a path. */
export interface PathRules {
  /** The real path of the workspace. */
  readonly workspace: string;
  readonly roots: readonly PathRoot[];
  readonly strict: StrictPaths;
  readonly platform: NodeJS.Platform;
  /** Lists of absolute paths, each of which must contain a path. */
  readonly narrowed: readonly (readonly string[])[];
  /** The absolute path that a text stands for before any link is followed. */
  toAbsolute(text: string): RuleVerdict;
  /** Judge a real path by every rule. */
  judge(realPath: string, access: PathAccess): RuleVerdict;
  /** Judge by the deny rules alone, for a path whose links are not resolved yet. */
  judgeDenied(absolute: string, access: PathAccess): RuleVerdict;
  /** Whether reading anything below a real path could be denied, though the path itself is not. */
  mayDenyBelow(realPath: string): boolean;
  /** The same rules, restricted to these paths; this never allows more. */
  narrow(paths: readonly string[]): PathRules;
  /** The same rules, which judge each path by its own name alone. */
  withoutNames(): PathRules;
  /** The same rules, restricted to reading what `readable` accepts; it gets paths inside the workspace relative to it. */
  screen(readable: (path: string) => boolean): PathRules;
}

/** Build the rules for one workspace. */
export function createPathRules(options: PathRulesOptions, { namesOf }: PathRulesDeps = {}): PathRules {
  const platform = options.platform ?? process.platform;
  const roots = resolveRoots(options.workspace, options.allowedPaths ?? []);
  const [workspace] = roots;
  const surroundings = { workspace: workspace.real, realPath: realPathOf };
  const state = options.stateDir === undefined ? [] : [path.resolve(options.stateDir)];
  refuseWorkspaceInState(workspace.real, state);
  const rules: DeniedRules = {
    state: createDenyRules(state, surroundings),
    forbidden: createDenyRules(options.forbiddenPaths ?? [], surroundings),
    protected: createDenyRules(options.protectedGlobs ?? [], surroundings),
    unprotected: createDenyRules(options.unprotectedGlobs ?? [], surroundings),
  };
  return buildRules({
    workspace,
    roots,
    denied: createDenials(rules, (absolute) => locationOf({ roots, workspace }, absolute)),
    strict: options.strict ?? {},
    platform,
    narrowed: [],
    screens: [],
    namesOf,
    namesBindReads: (options.forbiddenPaths ?? []).some((pattern) => pattern.trim() !== ""),
  });
}

/** Why paths may not be used. */
interface Denials extends DeniedRules {
  /** Why a path may neither be read nor changed. */
  readonly use: (absolute: string) => PathRefusal | undefined;
  /** Why a path that may be read may not be changed. */
  readonly change: (absolute: string) => PathRefusal | undefined;
}

/** Judge paths by the rules; the last path is remembered. */
function createDenials(rules: DeniedRules, locate: (absolute: string) => Location): Denials {
  return {
    ...rules,
    use: rememberLast((absolute) => refuseUse(rules, locate(absolute))),
    change: rememberLast((absolute) => refuseChange(rules, locate(absolute))),
  };
}

/** One call judges the same path again and again. */
function rememberLast<Result>(judgePath: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | undefined;
  return (text) => (last?.text === text ? last : (last = { text, result: judgePath(text) })).result;
}

interface RuleParts {
  readonly workspace: PathRoot;
  readonly roots: readonly PathRoot[];
  readonly denied: Denials;
  readonly strict: StrictPaths;
  readonly platform: NodeJS.Platform;
  /** Each list must contain the path. */
  readonly narrowed: readonly (readonly string[])[];
  /** Each must let the path pass. */
  readonly screens: readonly ((path: string) => boolean)[];
  readonly namesOf: PathRulesDeps["namesOf"];
  /** Some rule that has to do with names keeps paths from being read. */
  readonly namesBindReads: boolean;
}

function buildRules(parts: RuleParts): PathRules {
  return Object.freeze({
    workspace: parts.workspace.real,
    roots: parts.roots,
    strict: parts.strict,
    platform: parts.platform,
    narrowed: parts.narrowed,
    toAbsolute: rememberLast((text: string) => place(parts, text)),
    judge: judge.bind(undefined, parts),
    judgeDenied: judgeDenied.bind(undefined, parts),
    mayDenyBelow: mayDenyBelow.bind(undefined, parts),
    withoutNames: () => buildRules({ ...parts, namesOf: undefined }),
    screen: (readable: (path: string) => boolean) =>
      buildRules({ ...parts, screens: [...parts.screens, readable] }),
    narrow: (paths: readonly string[]) =>
      buildRules({ ...parts, narrowed: [...parts.narrowed, narrowedPaths(paths, parts)] }),
  });
}

function place(parts: RuleParts, text: string): RuleVerdict {
  const fault = pathTextFault(text, parts.platform);
  if (fault !== undefined) return refusal("PATH_INVALID", "path", fault);
  if (parts.strict.noAbsolute && path.isAbsolute(text)) {
    return refusal(
      "PATH_OUTSIDE",
      "strict.noAbsolute",
      "is absolute, and only relative paths are allowed here",
    );
  }
  const climbs = hasParentSegment(text, parts.platform);
  if (climbs && parts.strict.noParent) {
    return refusal("PATH_TRAVERSAL", "strict.noParent", 'contains "..", which is not allowed here');
  }
  const absolute = resolveIn(parts.workspace.real, text);
  if (isTooLong(absolute)) return refusal("PATH_INVALID", "path", "is too long for the file system");
  for (const root of parts.roots) {
    if (isWithin(absolute, root.real)) return { allowed: true, path: absolute };
    const mapped = fromAlias(absolute, root, parts.platform);
    if (mapped !== undefined) return { allowed: true, path: mapped };
  }
  if (climbs) return refusal("PATH_TRAVERSAL", "workspace", `climbs out with "..": it ${OUTSIDE}`);
  return refusal("PATH_OUTSIDE", "workspace", OUTSIDE);
}

const OUTSIDE = "is outside the workspace and the allowed paths";

function judge(parts: RuleParts, realPath: string, access: PathAccess): RuleVerdict {
  const root = rootOf(parts, realPath);
  if (root === undefined) return refusal("PATH_OUTSIDE", "workspace", OUTSIDE);
  const system = SYSTEM_TREES.find((tree) => isWithin(realPath, tree) && !isWithin(root.real, tree));
  if (system !== undefined)
    return refusal("PATH_FORBIDDEN", "system", "is in a virtual file system of the kernel");
  const leadsTo = access === "list";
  const whitelist = parts.narrowed.find(
    (list) =>
      !list.some((allowed) => isWithin(realPath, allowed) || (leadsTo && isWithin(allowed, realPath))),
  );
  if (whitelist !== undefined) {
    const names = new Set(whitelist.map((allowed) => path.relative(parts.workspace.real, allowed) || "."));
    return refusal(
      "PATH_OUTSIDE",
      "allowedPaths",
      `is outside the paths that this call is allowed: ${[...names].slice(0, 10).join(", ")}`,
    );
  }
  const denied = judgeDenied(parts, realPath, access);
  if (!denied.allowed || access !== "remove") return denied;
  if (parts.roots.some((each) => isWithin(each.real, realPath))) {
    return refusal(
      "PATH_FORBIDDEN",
      "workspace",
      "is the workspace or an allowed path itself, or contains it",
    );
  }
  return denied;
}

/** Devices, kernel files and magic links; a root inside one of them allows its own part. */
const SYSTEM_TREES = ["/proc", "/sys", "/dev"];

function judgeDenied(parts: RuleParts, absolute: string, access: PathAccess): RuleVerdict {
  const { denied, namesOf } = parts;
  const reads = access === "read" || access === "list";
  const forbidden = denied.use(absolute) ?? (reads ? undefined : denied.change(absolute));
  if (forbidden !== undefined) return forbidden;
  const kept = access === "remove" ? judgeBelow(denied, locationOf(parts, absolute)) : undefined;
  if (kept !== undefined) return kept;
  if (namesOf !== undefined && (!reads || parts.namesBindReads)) {
    for (const name of namesOf(absolute, access === "remove")) {
      const refused = judgeName(parts, name, { absolute, reads });
      if (refused !== undefined) return refused;
    }
  }
  if (!reads || parts.screens.length === 0) return { allowed: true, path: absolute };
  return judgeScreens(parts, absolute);
}

/** Why a path may not be used, by another name of it. What a person opened by its own name stays open. */
function judgeName(
  parts: RuleParts,
  name: string,
  { absolute, reads }: { readonly absolute: string; readonly reads: boolean },
): PathRefusal | undefined {
  const { denied } = parts;
  const location = locationOf(parts, name);
  const opened = !reads && denied.unprotected.match(locationOf(parts, absolute)) !== undefined;
  const refused =
    refuseUse(denied, location) ?? (reads || opened ? undefined : refuseChange(denied, location));
  return refused && { ...refused, name, reason: `is also ${shownIn(parts, name)}, which ${refused.reason}` };
}

function judgeScreens(parts: RuleParts, absolute: string): RuleVerdict {
  const { screens } = parts;
  if (screens.every((passes) => passes(shownIn(parts, absolute)))) return { allowed: true, path: absolute };
  return refusal(
    "PATH_FORBIDDEN",
    "policy",
    "may not be read: a policy rule denies it, or asks about exactly this path",
  );
}

/** Relative to the workspace where it is inside. */
function shownIn({ workspace }: Pick<RuleParts, "workspace">, absolute: string): string {
  return isWithin(absolute, workspace.real) ? relativeTo(absolute, workspace.real) || "." : absolute;
}

function mayDenyBelow(parts: RuleParts, realPath: string): boolean {
  if (parts.screens.length > 0) return true;
  if (parts.narrowed.some((list) => !list.some((allowed) => isWithin(realPath, allowed)))) return true;
  const location = locationOf(parts, realPath);
  return parts.denied.state.mayMatchBelow(location) || parts.denied.forbidden.mayMatchBelow(location);
}

function locationOf(parts: Pick<RuleParts, "roots" | "workspace">, absolute: string): Location {
  const root = rootOf(parts, absolute);
  return foldLocation({
    absolute,
    relative: root === undefined ? absolute : relativeTo(absolute, root.real),
    inWorkspace: root === parts.workspace,
  });
}

function rootOf(parts: Pick<RuleParts, "roots">, realPath: string): PathRoot | undefined {
  return parts.roots.find((root) => isWithin(realPath, root.real));
}

function refuseWorkspaceInState(workspace: string, state: readonly string[]): void {
  const inside = state.some((dir) => isWithin(foldName(workspace), foldName(realPathOf(dir))));
  if (!inside) return;
  throw new ToolValidationError("The workspace is inside Tenon's state directory.", {
    code: "VALUE_INVALID",
    hint: "Choose another workspace, or another state directory (TENON_STATE_DIR).",
  });
}
