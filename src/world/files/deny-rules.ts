import path from "node:path";
import { ToolDefinitionError } from "../../contract/errors.js";
import { expandBraces } from "../../glob/expand-braces.js";
import {
  globstar,
  matchNames,
  toSegment,
  type Segment,
  escapeWildcard,
  PatternError,
} from "../../glob/wildcard.js";
import { foldName } from "./fold-name.js";
import { isWithin } from "./path-text.js";

/** A list of denied paths and globs; each covers what it names and everything below. */
export interface DenyRules {
  /** The rule, as it was written, that covers the path. */
  match(location: Location): string | undefined;
  /** A rule for a path below `location`, which deleting or moving `location` would affect. */
  matchBelow(location: Location): string | undefined;
  /** Whether any rule could cover something below `location`. */
  mayMatchBelow(location: Location): boolean;
}

/** A real path and its path relative to its root, folded by `foldLocation`. */
export interface Location {
  readonly absolute: string;
  /** Below the root that contains it; "" is the root itself. */
  readonly relative: string;
  readonly inWorkspace: boolean;
}

/** What `createDenyRules` needs to know about the workspace. */
export interface DenyOptions {
  readonly workspace: string;
  /** Resolve the links of the existing part of an absolute path. */
  readonly realPath: (absolute: string) => string;
}

/**
 * Compile deny patterns. As in a .gitignore, a pattern without a slash applies at any depth of any root; one
 * with a slash is anchored at the workspace, unless it is absolute. A pattern is taken as a glob *and*
 * literally, because `app/[id]` can be both; all comparisons use folded names.
 */
export function createDenyRules(patterns: readonly string[], options: DenyOptions): DenyRules {
  const rules = patterns
    .filter((pattern) => pattern.trim() !== "")
    .map((pattern) => compileOrRefuse(pattern, options));
  return {
    match: (location) => rules.find((rule) => covers(rule, location))?.text,
    matchBelow: (location) => rules.find((rule) => coversBelow(rule, location))?.text,
    mayMatchBelow: (location) => rules.some((rule) => mayCoverBelow(rule, location)),
  };
}

/** Bring a path into the form that rules compare. */
export function foldLocation({ absolute, relative, inWorkspace }: Location): Location {
  return { absolute: toSlashes(foldName(absolute)), relative: toSlashes(foldName(relative)), inWorkspace };
}

interface CompiledRule {
  readonly text: string;
  /** Folded absolute paths. */
  readonly literals: readonly string[];
  /** Folded names that match at any depth, as `/name/`. */
  readonly floating: string | undefined;
  readonly globs: readonly Glob[];
}

interface Glob {
  readonly scope: "root" | "workspace" | "absolute";
  /** One for each alternative of its braces. */
  readonly patterns: readonly (readonly Segment[])[];
}

function compileOrRefuse(pattern: string, options: DenyOptions): CompiledRule {
  try {
    return compileRule(pattern, options);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolDefinitionError(`The path pattern "${pattern}" cannot be used: ${error.message}.`, {
      cause: error,
    });
  }
}

function compileRule(pattern: string, options: DenyOptions): CompiledRule {
  const text = toSlashes(pattern).replace(/(?<=.)\/+$/, "");
  // `a/**` covers a and all below, which is what every rule does.
  const bare = text.replace(/(?<=.)(?:\/\*\*)+$/, "");
  if (path.isAbsolute(bare)) return compileAbsolute(pattern, bare, options);
  const floats = bare.startsWith("**/") || (!bare.includes("/") && bare !== "." && bare !== "..");
  const name = floats ? bare.replace(/^(?:\*\*\/)+/, "") : path.posix.normalize(bare);
  if (floats) {
    return {
      text: pattern,
      literals: [],
      floating: `/${foldName(name)}/`,
      globs: isGlob(name) ? [toGlob(`**/${name}`, "root")] : [],
    };
  }
  const absolute = path.resolve(options.workspace, name);
  return {
    text: pattern,
    literals: literalForms(absolute, options),
    floating: undefined,
    globs: isGlob(name) ? anchoredGlob(name, options) : [],
  };
}

function compileAbsolute(text: string, absolute: string, options: DenyOptions): CompiledRule {
  const globs = isGlob(absolute) ? absoluteGlobs(absolute, options) : [];
  return { text, literals: literalForms(absolute, options), floating: undefined, globs };
}

function anchoredGlob(name: string, options: DenyOptions): Glob[] {
  // A pattern that climbs out of the workspace can only be matched as an absolute one.
  if (!name.startsWith("..")) return [toGlob(name, "workspace")];
  return absoluteGlobs(toSlashes(path.join(options.workspace, name)), options);
}

/** The glob as written, and with the links of its fixed part resolved. */
function absoluteGlobs(absolute: string, options: DenyOptions): Glob[] {
  const names = absolute.split("/");
  const first = names.findIndex((name) => isGlob(name));
  const base = names.slice(0, first).join("/") || "/";
  const real = toSlashes(options.realPath(base));
  const globs = [toGlob(absolute, "absolute")];
  if (real !== base && absolute.startsWith(base)) {
    globs.push(toGlob(escapeWildcard(real) + absolute.slice(base.length), "absolute"));
  }
  return globs;
}

function literalForms(absolute: string, options: DenyOptions): string[] {
  const forms = [absolute, options.realPath(absolute)].map((form) => toSlashes(foldName(form)));
  return [...new Set(forms)];
}

function toGlob(pattern: string, scope: Glob["scope"]): Glob {
  return { scope, patterns: expandBraces(foldName(pattern)).map(toSegments) };
}

/** A rule covers what it names and everything below, hence the last `**`. */
function toSegments(text: string): Segment[] {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  return [...names.map(toSegment), globstar];
}

function isGlob(text: string): boolean {
  return /[*?[\]{}()!+@|\\]/.test(text);
}

function covers(rule: CompiledRule, place: Location): boolean {
  if (rule.floating !== undefined && `/${place.relative}/`.includes(rule.floating)) return true;
  if (rule.literals.some((literal) => isBelow(place.absolute, literal))) return true;
  return rule.globs.some(({ scope, patterns }) => {
    if (scope === "workspace" && !place.inWorkspace) return false;
    const names = splitNames(scope === "absolute" ? place.absolute : place.relative);
    return names.length > 0 && patterns.some((segments) => matchNames(segments, names));
  });
}

function splitNames(text: string): string[] {
  return text.split("/").filter((name) => name !== "");
}

function coversBelow(rule: CompiledRule, { absolute }: Location): boolean {
  return rule.literals.some((literal) => literal !== absolute && isBelow(literal, absolute));
}

function mayCoverBelow(rule: CompiledRule, location: Location): boolean {
  return rule.floating !== undefined || rule.globs.length > 0 || coversBelow(rule, location);
}

function isBelow(inner: string, outer: string): boolean {
  return path.sep === "/" ? isWithin(inner, outer) : inner === outer || inner.startsWith(`${outer}/`);
}

function toSlashes(text: string): string {
  return path.sep === "/" ? text : text.replaceAll(path.sep, "/");
}
