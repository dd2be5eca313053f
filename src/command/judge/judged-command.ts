import type { Scope } from "../scope.js";
import type { ResolvedCommand, ShellContext } from "../walk.js";
import type { Field } from "../words/field.js";
import { absolutePath, baseName, isInside } from "../words/paths.js";

/** A command with its program known, as the deny rules see it. */
export interface JudgedCommand {
  /** The program without its directory. */
  readonly name: string;
  readonly args: readonly Field[];
  /** The known arguments; a NUL for each unknown one. */
  readonly texts: readonly string[];
  /** Where it most likely runs. */
  readonly cwd: string;
  readonly place: ShellContext;
  readonly resolved: ResolvedCommand;
  readonly scope: Scope;
}

/** Prepare a command; `undefined` if the program is unknown or belongs to the workspace. */
export function toJudgedCommand(
  resolved: ResolvedCommand,
  scope: Scope,
  place: ShellContext,
): JudgedCommand | undefined {
  const cwd = scope.likelyCwd;
  const [first, ...args] = resolved.fields;
  const name = first && programName(first, cwd, place);
  if (name === undefined || scope.functions.has(name)) return undefined;
  return {
    name,
    args,
    texts: args.map((field) => (field.known ? field.text : (field.guess ?? "\0"))),
    cwd,
    place,
    resolved,
    scope,
  };
}

/** The most likely value of a word; empty if there is none. */
export function likely({ text, known, guess }: Field): string {
  return known ? text : (guess ?? "");
}

function programName(field: Field, cwd: string, place: ShellContext): string | undefined {
  // Letters around a variable that is most likely empty.
  const text = likely(field) || (field.wild ?? "").replaceAll("*", "");
  if (text === "" || field.pattern !== undefined) return undefined;
  if (!text.includes("/")) return text;
  const path = absolutePath(text, cwd);
  return isInside(path, place.workspace) ? undefined : baseName(path);
}

/** Words that are not options, regardless of what the options mean; all words after `--`. */
export function operandsOf(args: readonly Field[]): readonly Field[] {
  const end = args.findIndex(({ text }) => text === "--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  return [...before.filter(({ text }) => !text.startsWith("-") || text === "-"), ...after];
}

/** Whether a letter is among the short options, or one of the long ones begins so. */
export function hasFlag(texts: readonly string[], letters: RegExp, long?: RegExp): boolean {
  for (const text of texts) {
    if (text === "--") return false;
    if (long !== undefined && text.startsWith("--") && long.test(text)) return true;
    if (/^-[A-Za-z]/.test(text) && letters.test(text.slice(1))) return true;
  }
  return false;
}
