import type { Scope } from "../scope.js";
import type { ResolvedCommand, ShellContext, ResolvedRedirection } from "../walk.js";
import type { Field } from "../words/field.js";
import { absolutePath, baseName, isInside } from "../words/paths.js";
import { gitReads } from "./read-only-git.js";
import { isSecretName } from "./secret-names.js";
import { mayChangeReaders } from "./variables.js";
import { readOnlyPrograms, type Reading } from "./read-only-programs.js";

/** The paths that a read-only command would read; `undefined` if it is not known to only read. */
export function readOnlyPaths(
  resolved: ResolvedCommand,
  scope: Scope,
  place: ShellContext,
): readonly string[] | undefined {
  const { fields, assignments, redirections } = resolved;
  const { cwds } = scope;
  if (!scope.strict || scope.unreliable !== undefined || cwds === undefined || assignments.length > 0)
    return undefined;
  if (place.env.some(mayChangeReaders) || !redirections.every((one) => isStrict(one, scope, place)))
    return undefined;
  if (!cwds.every((cwd) => isInside(cwd, place.workspace))) return undefined;
  const [name, ...args] = fields;
  const program = isPlain(name!) ? systemProgram(name!) : undefined;
  if (program === undefined || scope.functions.has(program)) return undefined;
  if (!args.every((field) => isPlain(field) || (takesAnyText.has(program) && isOutput(field))))
    return undefined;
  const reading: Reading = { args, cwds, place };
  const found = program === "git" ? gitReads(reading) : readOnlyPrograms.get(program)?.(reading);
  if (found === undefined) return undefined;
  const paths: string[] = [];
  for (const operand of found) {
    const inside = insidePaths(operand, reading);
    if (inside === undefined) return undefined;
    paths.push(...inside);
  }
  // A word with a glob becomes file names, whatever it is used for.
  const globs = args.filter((field) => field.pattern !== undefined && !found.includes(field));
  return globs.every((field) => insidePaths(field, reading) !== undefined) ? paths : undefined;
}

function isPlain({ known, plain, text }: Field): boolean {
  return known && plain && !text.includes("\0");
}

/** Only the output of a substitution is unknown; its commands are judged by themselves. */
export function isOutput({ substituted, taint }: Field): boolean {
  return substituted === true && taint === undefined;
}

/** Programs that only print their words, whatever these are. */
export const takesAnyText: ReadonlySet<string> = new Set("echo basename dirname : true false".split(" "));

/** The name of a program that the system brings: bare, or in one of its directories. */
function systemProgram({ text, pattern }: Field): string | undefined {
  if (pattern !== undefined) return undefined;
  if (!text.includes("/")) return text;
  return /^\/(?:usr\/)?s?bin\/[^/]+$/.test(text) ? baseName(text) : undefined;
}

/** The file that a word names, from each directory where it could run; `undefined` if one is outside. */
export function insidePaths(
  { text, pattern }: Field,
  { cwds, place }: Reading,
): readonly string[] | undefined {
  if (text === "-" || text === "/dev/null") return [];
  if (isSecretName(baseName(text), pattern !== undefined)) return undefined;
  if (pattern !== undefined && /[*?[][^]*\.\./.test(text)) return undefined;
  const paths = cwds.map((cwd) => absolutePath(text, cwd));
  return paths.every((path) => isInside(path, place.workspace)) ? paths : undefined;
}

/**
 * Whether a redirection is in the strict fragment: `/dev/null`, copies of descriptors, text in the line itself, and
 * input from a file in the workspace. Programs that only read treat their input as data.
 */
export function isStrict(
  { op, field, fd }: Pick<ResolvedRedirection, "op" | "field" | "fd">,
  { cwds }: Pick<Scope, "cwds">,
  place: ShellContext,
): boolean {
  if (!field.known || !field.plain || field.pattern !== undefined) return false;
  if (op === ">&" || op === "<&")
    return /^(?:\d{1,3}-?|-)$/.test(field.text) || (op === ">&" && field.text === "/dev/null");
  if (op.startsWith("<<")) return isStdin(fd) && !field.text.includes("\0");
  if (field.text === "/dev/null") return true;
  if (op !== "<" || !isStdin(fd) || cwds === undefined || field.text === "-") return false;
  return insidePaths(field, { args: [], cwds, place }) !== undefined;
}

function isStdin(fd: string | undefined): boolean {
  return fd === undefined || fd === "0";
}
