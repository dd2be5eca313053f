import { compileWildmatch, type Wildmatch } from "./wildmatch.js";

/** The rules of one ignore file. Names and paths are strings of bytes, as git compares them. */
export interface IgnoreFile {
  /** Whether it has any rule at all. */
  readonly empty: boolean;
  /** `true`: ignored; `false`: a negated rule includes it; `undefined`: no rule matches. */
  judge(entry: IgnoreEntry): boolean | undefined;
}

/** An entry as rules see it. */
export interface IgnoreEntry {
  readonly name: string;
  /** Its directory, relative to that of the ignore file: "" or ending with a slash. */
  readonly within: string;
  readonly directory: boolean;
}

/**
 * Compile the text of a .gitignore. Most rules are a name, an extension or a plain path, which are found
 * in tables; the last rule that matches decides.
 */
export function compileIgnoreFile(text: string): IgnoreFile {
  const rules = linesOf(text).flatMap((line, index) => parseRule(line, index) ?? []);
  const names = new Map<string, LastRules>();
  const endings = new Map<string, LastRules>();
  const paths = new Map<string, LastRules>();
  const globs: Rule[] = [];
  for (const rule of rules) {
    const { literal, suffix } = rule.pattern;
    if (literal !== undefined) addRule(rule.anchored ? paths : names, literal, rule);
    else if (suffix !== undefined && isExtension(suffix)) addRule(endings, suffix, rule);
    else globs.push(rule);
  }
  globs.reverse();
  const negated = new Set(rules.filter((rule) => rule.negated).map((rule) => rule.index));
  return {
    empty: rules.length === 0,
    judge({ name, within, directory }) {
      let last = lastRuleFor(names, name, directory);
      if (endings.size > 0) last = Math.max(last, lastRuleFor(endings, extensionOf(name), directory));
      if (paths.size > 0) last = Math.max(last, lastRuleFor(paths, within + name, directory));
      for (const rule of globs) {
        if (rule.index < last) break;
        if (rule.directoriesOnly && !directory) continue;
        if (matchesRule(rule, name, within)) last = rule.index;
      }
      return last === -1 ? undefined : !negated.has(last);
    },
  };
}

interface Rule {
  readonly index: number;
  /** The name in "**\/name/**": matches everything below a directory of that name. */
  readonly insideDirectory: string | undefined;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched against the path below the file's directory, not the name alone. */
  readonly anchored: boolean;
  /** What a path must begin with before the pattern applies to its rest. */
  readonly prefix: string;
  readonly pattern: Wildmatch;
}

/** The last rule for everything, and the last one for directories only; -1 where there is none. */
interface LastRules {
  any: number;
  directory: number;
}

/** Lines without ends, comments, and spaces that are not escaped; as git reads them. */
function linesOf(text: string): string[] {
  const body = text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text;
  return body
    .split("\n")
    .map((line) => line.replace(/\r$/, "").split("\0", 1)[0] ?? "")
    .map((line) => (line.startsWith("#") ? "" : trimSpaces(line)));
}

function trimSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let escapes = 0;
  while (escapes < end && line[end - 1 - escapes] === "\\") escapes += 1;
  return line.slice(0, escapes % 2 === 1 ? end + 1 : end);
}

function parseRule(line: string, index: number): Rule | undefined {
  const negated = line.startsWith("!");
  let text = negated ? line.slice(1) : line;
  const directoriesOnly = text.endsWith("/");
  if (directoriesOnly) text = text.slice(0, -1);
  if (text === "" || text.length > maxRuleLength) return undefined;
  // "**/name" means what "name" means, and that can be looked up.
  if (/^(?:\*\*\/)+[^/\\]+$/.test(text)) text = text.slice(text.lastIndexOf("/") + 1);
  const anchored = text.includes("/");
  if (!anchored) {
    return {
      index,
      negated,
      directoriesOnly,
      anchored,
      insideDirectory: undefined,
      prefix: "",
      pattern: compileWildmatch(text, "name"),
    };
  }
  const path = text.startsWith("/") ? text.slice(1) : text;
  const plain = /^[^*?[\\]*/.exec(path)?.[0] ?? "";
  // Where nothing follows, the whole is a literal; else git takes the literal beginning off first.
  const prefix = plain.length === path.length ? "" : plain;
  const pattern = compileWildmatch(path.slice(prefix.length), "path");
  const { literal } = pattern;
  const whole = literal === undefined ? pattern : { ...pattern, literal: prefix + literal };
  const room = /^\*\*\/([^*?[\\/]+)\/\*\*$/.exec(path)?.[1];
  return { index, negated, directoriesOnly, anchored, insideDirectory: room, prefix, pattern: whole };
}

/** No path is longer, so neither is a rule that could match one. */
const maxRuleLength = 8192;

/** `*.ts`, which is found by the extension of a name. */
function isExtension(suffix: string): boolean {
  return suffix.startsWith(".") && !suffix.includes(".", 1);
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot);
}

function addRule(table: Map<string, LastRules>, key: string, rule: Rule): void {
  const places = table.get(key) ?? { any: -1, directory: -1 };
  places[rule.directoriesOnly ? "directory" : "any"] = rule.index;
  table.set(key, places);
}

function lastRuleFor(table: ReadonlyMap<string, LastRules>, key: string, directory: boolean): number {
  const places = table.get(key);
  if (places === undefined) return -1;
  return directory ? Math.max(places.any, places.directory) : places.any;
}

function matchesRule(
  { anchored, insideDirectory: room, prefix, pattern }: Rule,
  name: string,
  within: string,
): boolean {
  if (!anchored) return pattern.test(name);
  if (room !== undefined) return within !== "" && `/${within}`.includes(`/${room}/`);
  const path = within + name;
  return path.startsWith(prefix) && pattern.test(path.slice(prefix.length));
}
