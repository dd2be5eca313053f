import type { Scope } from "../scope.js";
import type { Draft, Place } from "../walk.js";
import type { Field } from "../words/field.js";
import { absolutePath, baseName, isInside } from "../words/paths.js";
import { gitReads } from "./read-only-git.js";
import { isSecretName } from "./secret-names.js";
import { isStrict } from "./strict-redirection.js";
import { mayChangeReaders } from "./variables.js";
import { readOnlyPrograms } from "./read-only-programs.js";
import type { Reading } from "./read-only-programs.js";

/** What a command that only reads would read; `undefined` where it is not known to only read. */
export function readOnlyPaths(draft: Draft, scope: Scope, place: Place): readonly string[] | undefined {
  const { fields, assignments, redirections } = draft;
  const { cwds } = scope;
  if (!scope.strict || scope.poison !== undefined || cwds === undefined || assignments.length > 0)
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
  // A word with a glob in it becomes file names, whatever it is used for.
  const globs = args.filter((field) => field.pattern !== undefined && !found.includes(field));
  return globs.every((field) => insidePaths(field, reading) !== undefined) ? paths : undefined;
}

function isPlain({ known, plain, text }: Field): boolean {
  return known && plain && !text.includes("\0");
}

/** What a substitution prints, and nothing else that is only known when it runs; its commands are judged by themselves. */
export function isOutput({ substituted, taint }: Field): boolean {
  return substituted === true && taint === undefined;
}

/** Programs that do nothing with their words but print them, whatever they are. */
export const takesAnyText: ReadonlySet<string> = new Set([
  "echo",
  "basename",
  "dirname",
  ":",
  "true",
  "false",
]);

/** The name of a program that the system brings: bare, or in one of its directories. */
function systemProgram({ text, pattern }: Field): string | undefined {
  if (pattern !== undefined) return undefined;
  if (!text.includes("/")) return text;
  return /^\/(?:usr\/)?s?bin\/[^/]+$/.test(text) ? baseName(text) : undefined;
}

/** The file that a word names, from every place where it could run; `undefined` where one lies outside. */
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
