import { isSecretName } from "../../command/judge/secret-names.js";
import type { CommandPaths, PathRuling } from "../../contract/session.js";
import { createDenyRules, foldLocation, type DenyRules, type Location } from "../files/deny-rules.js";
import { relativeTo, isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { createNameScreen } from "./guarded-names.js";
import { isInDependencies } from "./quarantine/dependency-folders.js";
import type { SensitivePathFinder } from "./quarantine/sensitive-paths.js";

/** The rules that apply to all commands. */
export interface SharedRules {
  /** The real path that patterns are relative to; it need not be a root. */
  readonly workspace: string;
  /** Real paths of the visible folders. */
  readonly roots: readonly string[];
  /** Not readable or writable: forbidden paths, and what the sandbox hides. */
  readonly hidden: readonly string[];
  /** Read-only. */
  readonly fixed: readonly string[];
  /** Writable by configuration although a pattern of `fixed` matches. */
  readonly opened: readonly string[];
  /** The other names of a path: a rule about one of them binds the path. @default none */
  readonly namesOf?: ((real: string, below: boolean) => readonly string[]) | undefined;
  /** Checks every open folder that is listed. */
  readonly sensitivePathFinder?: SensitivePathFinder | undefined;
}

/**
 * What a command may do with a path. `hidden`: a rule denies reading it. `consent`: a person must be asked first.
 * `secret`: hidden only from a command that runs without asking.
 */
export interface PathState {
  readonly read: "open" | "hidden" | "consent" | "secret";
  readonly write: "open" | "fixed";
  /** Whether it is a git folder: mostly writable, except for what git runs. */
  readonly git: boolean;
  /** Whether everything below has the same state. */
  readonly below: boolean;
}

/** An open path, as most are. */
export const openState: PathState = Object.freeze({ read: "open", write: "open", git: false, below: false });

/** What a command may read and write, compiled from all rules about paths. */
export interface AccessRules {
  readonly roots: readonly string[];
  /** Whether a rule may apply to a file or folder with that name; false positives are possible, false negatives are not. */
  mayMatch(name: string): boolean;
  /** Rules with the same key have the same `mayMatch`. */
  readonly key: string;
  judge(path: string, name: string): PathState;
  /** Whether hidden paths may be anywhere: if so, folders that cannot be searched are hidden. */
  readonly hidesAnywhere: boolean;
  /** Whether installed packages are searched too. */
  readonly searchesPackages: boolean;
  /** Whether a person allowed writing the path although it is protected. */
  isOpened(path: string): boolean;
}

/** Compile the shared rules; the returned function adds the rules of a call. */
export function compileAccessRules(rules: SharedRules): (paths?: CommandPaths) => AccessRules {
  const shared = compileShared(rules);
  const screens = new Map<string, (name: string) => boolean>();
  const screenOf = (key: string, patterns: readonly string[]): ((name: string) => boolean) => {
    const known = screens.get(key);
    if (known !== undefined) return known;
    if (screens.size >= maxScreens) screens.clear();
    const screen = createNameScreen([...shared.patterns, ...patterns.map(normalizePattern)]);
    screens.set(key, screen);
    return screen;
  };
  return (paths) => {
    const patterns = paths?.patterns ?? [];
    const key = `${paths?.unasked === undefined ? "" : "unasked"}\0${patterns.join("\0")}`;
    return createAccessRules({ rules, shared, paths, key, screen: screenOf(key, patterns) });
  };
}

const maxScreens = 16;
/** The built-in protection of git folders; git must work inside the sandbox, so it is handled separately. */
const gitPattern = "**/.git/**";

interface CompiledShared {
  readonly patterns: readonly string[];
  readonly hidden: DenyRules;
  readonly fixed: DenyRules;
  readonly opened: DenyRules;
  readonly locate: (path: string) => Location;
}

function compileShared({ workspace, roots, hidden, fixed, opened }: SharedRules): CompiledShared {
  const compile = (patterns: readonly string[]): DenyRules =>
    createDenyRules(patterns, { workspace, realPath: realPathOf });
  const ownFixed = fixed.filter((pattern) => pattern !== gitPattern);
  return {
    patterns: [...hidden, ...ownFixed],
    hidden: compile(hidden),
    fixed: compile(ownFixed),
    opened: compile(opened),
    locate(path) {
      const root = [workspace, ...roots].find((each) => isWithin(path, each)) ?? workspace;
      const relative = isWithin(path, root) ? relativeTo(path, root) : path;
      return foldLocation({ absolute: path, relative, inWorkspace: root === workspace });
    },
  };
}

interface AccessRulesOptions {
  readonly rules: SharedRules;
  readonly shared: CompiledShared;
  readonly paths: CommandPaths | undefined;
  readonly key: string;
  readonly screen: (name: string) => boolean;
}

function createAccessRules({ rules, shared, paths, key, screen }: AccessRulesOptions): AccessRules {
  const { roots, workspace } = rules;
  const policy = paths === undefined ? undefined : createPathRulings(paths, workspace);
  const unasked = paths?.unasked !== undefined;
  // A rule for a whole root applies to everything in it, whatever its name.
  const coversRoot = roots.some(
    (root) => policy?.read(root) !== undefined || policy?.write(root) !== undefined,
  );
  const hiding = [...rules.hidden, ...(paths?.patterns ?? [])];
  return {
    roots,
    key: coversRoot ? `${key}\0all` : key,
    mayMatch: (name) => coversRoot || name === ".git" || screen(name) || (unasked && isSecretName(name)),
    hidesAnywhere: coversRoot || hiding.some(matchesAnyDepth),
    searchesPackages:
      coversRoot || hiding.some((pattern) => matchesAnyDepth(pattern) || pattern.includes("node_modules")),
    isOpened: (path) => shared.opened.match(shared.locate(path)) !== undefined,
    judge(path, name) {
      const location = shared.locate(path);
      if (shared.hidden.match(location) !== undefined) return forbidden;
      const others = rules.namesOf?.(path, false) ?? [];
      if (others.some((other) => shared.hidden.match(shared.locate(other)) !== undefined)) return forbidden;
      const read = strictest([path, ...others].map((each) => policy?.read(each)));
      const isFixed =
        shared.fixed.match(location) !== undefined && shared.opened.match(location) === undefined;
      const write = isFixed ? undefined : strictest([path, ...others].map((each) => policy?.write(each)));
      const isGit = name === ".git";
      // A protected folder may still contain hidden paths or exceptions.
      const isMixed = (isFixed || isGit) && (policy !== undefined || mayDifferBelow(shared, location));
      const isSecret = unasked && isSecretName(name) && !isThirdParty(location.relative);
      return {
        read: readState(read) ?? (isSecret ? "secret" : "open"),
        write: isFixed || deniesWrite(write) ? "fixed" : "open",
        git: isGit,
        below: !isMixed && coversBelow(read) && coversBelow(write),
      };
    },
  };
}

/** The ruling that says least: an allowance by one name does not lift what is said about another. */
function strictest([own, ...others]: readonly (PathRuling | undefined)[]): PathRuling | undefined {
  const tightening = others.filter((ruling) => ruling !== undefined && ruling.decision !== "allow");
  if (tightening.length === 0 || own?.decision === "deny") return own;
  return tightening.find((ruling) => ruling?.decision === "deny") ?? (deniesWrite(own) ? own : tightening[0]);
}

function mayDifferBelow({ opened, hidden }: CompiledShared, location: Location): boolean {
  return opened.mayMatchBelow(location) || hidden.mayMatchBelow(location);
}

function deniesWrite(ruling: PathRuling | undefined): boolean {
  return ruling !== undefined && ruling.decision !== "allow";
}

function coversBelow(ruling: PathRuling | undefined): boolean {
  return ruling?.below ?? true;
}

/** Dependencies and git data are not treated as secrets. */
function isThirdParty(relative: string): boolean {
  return isInDependencies(relative) || `/${relative}`.includes("/.git/");
}

/** Whether a pattern can match at any depth. */
function matchesAnyDepth(pattern: string): boolean {
  if (pattern.startsWith("/")) return false;
  const [first = "", ...rest] = pattern.split("/");
  return /[*?[\]{}()!+@|\\]/.test(first) || rest.length === 0;
}

const forbidden: PathState = Object.freeze({ read: "hidden", write: "fixed", git: false, below: true });

function readState(ruling: PathRuling | undefined): "hidden" | "consent" | undefined {
  if (ruling === undefined || ruling.decision === "allow") return undefined;
  return ruling.decision === "deny" ? "hidden" : "consent";
}

interface PathRulings {
  read(path: string): PathRuling | undefined;
  write(path: string): PathRuling | undefined;
}

/** The policy's rulings; consent covers a path that the command names, and everything below it. */
function createPathRulings(paths: CommandPaths, workspace: string): PathRulings {
  const { named } = paths;
  const ruling = (path: string, access: "read" | "write"): PathRuling | undefined => {
    const shown = isWithin(path, workspace) ? relativeTo(path, workspace) || "." : path;
    const found = paths.judge(shown, access);
    if (found?.decision !== "ask") return found;
    if (named.some((each) => isWithin(path, each))) return undefined;
    return { ...found, below: found.below && !named.some((each) => isWithin(each, path)) };
  };
  return { read: (path) => ruling(path, "read"), write: (path) => ruling(path, "write") };
}

/** A pattern with `..` resolved; one that names a root matches any name. */
function normalizePattern(pattern: string): string {
  const names: string[] = [];
  for (const name of pattern.split("/")) {
    if (name === "..") names.pop();
    else if (name !== ".") names.push(name);
  }
  const text = names.join("/");
  return text === "" || text === "/" ? "**" : text;
}
