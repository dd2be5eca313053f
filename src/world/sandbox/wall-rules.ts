import { isSecretName } from "../../command/judge/secret-names.js";
import type { CommandPaths, PathRuling } from "../../contract/session.js";
import { createDenyRules, foldLocation, type DenyRules, type Location } from "../files/deny-rules.js";
import { relativeTo, isWithin } from "../files/path-text.js";
import { realPathOf } from "../files/real-path.js";
import { createNameScreen } from "./guarded-names.js";
import { isInDependencies } from "./quarantine/dependency-folders.js";
import type { Survey } from "./quarantine/survey.js";

/** The rules that stay the same for all commands. */
export interface GuardedRules {
  /** The workspace first. All are real paths. */
  readonly roots: readonly string[];
  /** Neither to be read nor written: forbidden paths, and what the sandbox hides. */
  readonly hidden: readonly string[];
  /** To be read, not to be written. */
  readonly fixed: readonly string[];
  /** Opened by the person although a pattern of `fixed` matches. */
  readonly opened: readonly string[];
  /** Looks at every open folder that is listed. */
  readonly survey?: Survey | undefined;
}

/**
 * How a path stands to a command. `hidden`: a rule denies to read it. `consent`: a person would have to be
 * asked first. `secret`: only a line that runs unasked must not meet it.
 */
export interface PathState {
  readonly read: "open" | "hidden" | "consent" | "secret";
  readonly write: "open" | "fixed";
  /** A git folder: most of it is writable, what git runs is not. */
  readonly git: boolean;
  /** Everything below has the same state. */
  readonly below: boolean;
}

/** An open path, as most are. */
export const openState: PathState = Object.freeze({ read: "open", write: "open", git: false, below: false });

/** The one description of what a command may read and write, compiled from every rule about paths. */
export interface WallRules {
  readonly roots: readonly string[];
  /** Whether a file or folder of that name can be meant by a rule at all. It says yes too often, never too seldom. */
  mayMatch(name: string): boolean;
  /** Two descriptions with the same key have the same `mayMatch`. */
  readonly key: string;
  judge(path: string, name: string): PathState;
  /** Whether anything below a path in an open folder could be hidden: then folders that cannot be searched are. */
  readonly hidesAnywhere: boolean;
  /** Whether installed packages are searched too. */
  readonly searchesPackages: boolean;
  /** Whether a person opened the path although it is protected. */
  isOpened(path: string): boolean;
}

/** Compile the fixed rules; the result adds those of a command's own call. */
export function compileWall(rules: GuardedRules): (paths?: CommandPaths) => WallRules {
  const fixedPart = compileFixed(rules);
  const screens = new Map<string, (name: string) => boolean>();
  const screenOf = (key: string, patterns: readonly string[]): ((name: string) => boolean) => {
    const known = screens.get(key);
    if (known !== undefined) return known;
    if (screens.size >= maxScreens) screens.clear();
    const screen = createNameScreen([...fixedPart.patterns, ...patterns.map(normalPattern)]);
    screens.set(key, screen);
    return screen;
  };
  return (paths) => {
    const patterns = paths?.patterns ?? [];
    const key = `${paths?.unasked === undefined ? "" : "unasked"}\0${patterns.join("\0")}`;
    return describe({ rules, fixedPart, paths, key, screen: screenOf(key, patterns) });
  };
}

const maxScreens = 16;
/** Built-in protection of all that git has; inside a sandbox git itself must work, so it is handled apart. */
const gitPattern = "**/.git/**";

interface FixedPart {
  readonly patterns: readonly string[];
  readonly hidden: DenyRules;
  readonly fixed: DenyRules;
  readonly opened: DenyRules;
  readonly locate: (path: string) => Location;
}

function compileFixed({ roots, hidden, fixed, opened }: GuardedRules): FixedPart {
  const [workspace = "/"] = roots;
  const compile = (patterns: readonly string[]): DenyRules =>
    createDenyRules(patterns, { workspace, realPath: realPathOf });
  const ownFixed = fixed.filter((pattern) => pattern !== gitPattern);
  return {
    patterns: [...hidden, ...ownFixed],
    hidden: compile(hidden),
    fixed: compile(ownFixed),
    opened: compile(opened),
    locate(path) {
      const root = roots.find((each) => isWithin(path, each)) ?? workspace;
      const relative = isWithin(path, root) ? relativeTo(path, root) : path;
      return foldLocation({ absolute: path, relative, inWorkspace: root === workspace });
    },
  };
}

interface Description {
  readonly rules: GuardedRules;
  readonly fixedPart: FixedPart;
  readonly paths: CommandPaths | undefined;
  readonly key: string;
  readonly screen: (name: string) => boolean;
}

function describe({ rules, fixedPart, paths, key, screen }: Description): WallRules {
  const { roots } = rules;
  const [workspace = "/"] = roots;
  const policy = paths === undefined ? undefined : createRulings(paths, workspace);
  const unasked = paths?.unasked !== undefined;
  // A rule that is about a whole root is about everything in it, whatever its name.
  const coversRoot = roots.some(
    (root) => policy?.read(root) !== undefined || policy?.write(root) !== undefined,
  );
  const hiding = [...rules.hidden, ...(paths?.patterns ?? [])];
  return {
    roots,
    key: coversRoot ? `${key}\0all` : key,
    mayMatch: (name) => coversRoot || name === ".git" || screen(name) || (unasked && isSecretName(name)),
    hidesAnywhere: coversRoot || hiding.some(isFloating),
    searchesPackages:
      coversRoot || hiding.some((pattern) => isFloating(pattern) || pattern.includes("node_modules")),
    isOpened: (path) => fixedPart.opened.match(fixedPart.locate(path)) !== undefined,
    judge(path, name) {
      const location = fixedPart.locate(path);
      if (fixedPart.hidden.match(location) !== undefined) return forbidden;
      const read = policy?.read(path);
      const guarded =
        fixedPart.fixed.match(location) !== undefined && fixedPart.opened.match(location) === undefined;
      const write = guarded ? undefined : policy?.write(path);
      const isGit = name === ".git";
      // What is kept as a whole may still hold what is hidden, or opened.
      const isMixed =
        (guarded || isGit) &&
        (policy !== undefined ||
          [fixedPart.opened, fixedPart.hidden].some((each) => each.mayMatchBelow(location)));
      const isSecret = unasked && isSecretName(name) && !isForeign(location.relative);
      return {
        read: readState(read) ?? (isSecret ? "secret" : "open"),
        write: guarded || (write !== undefined && write.decision !== "allow") ? "fixed" : "open",
        git: isGit,
        below: !isMixed && (read?.below ?? true) && (write?.below ?? true),
      };
    },
  };
}

/** What others wrote is nobody's secret, and there is much of it. */
function isForeign(relative: string): boolean {
  return isInDependencies(relative) || `/${relative}`.includes("/.git/");
}

/** It can match at any depth, not only below the place that it begins with. */
function isFloating(pattern: string): boolean {
  if (pattern.startsWith("/")) return false;
  const [first = "", ...rest] = pattern.split("/");
  return /[*?[\]{}()!+@|\\]/.test(first) || rest.length === 0;
}

const forbidden: PathState = Object.freeze({ read: "hidden", write: "fixed", git: false, below: true });

function readState(ruling: PathRuling | undefined): "hidden" | "consent" | undefined {
  if (ruling === undefined || ruling.decision === "allow") return undefined;
  return ruling.decision === "deny" ? "hidden" : "consent";
}

interface Rulings {
  read(path: string): PathRuling | undefined;
  write(path: string): PathRuling | undefined;
}

/** The policy's rules; a path that the line names was consented to, with what lies below it. */
function createRulings(paths: CommandPaths, workspace: string): Rulings {
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

/** As the screen reads it, with `..` resolved; a pattern that names a root means any name. */
function normalPattern(pattern: string): string {
  const names: string[] = [];
  for (const name of pattern.split("/")) {
    if (name === "..") names.pop();
    else if (name !== ".") names.push(name);
  }
  const text = names.join("/");
  return text === "" || text === "/" ? "**" : text;
}
