import { reportCommand } from "../report-command.js";
import { readArguments, toSpec } from "../read-options.js";
import type { CommandVariable } from "../command-analysis.js";
import { knownField, type Field } from "../words/field.js";
import { carryOver } from "../scope.js";
import { runChild, runWords, type Unfolding } from "./unfolding.js";

const env = toSpec({
  flags: "i0v",
  values: "uCSP",
  long: "ignore-environment unset= null chdir= split-string= debug ignore-signal=? default-signal=? block-signal=?",
  stop: true,
});

/** `env` and `command`: they start the command that follows, or only print something. */
export function unfoldEnv(unfolding: Unfolding): boolean {
  return unfolding.name === "command" ? unfoldLookup(unfolding) : unfoldVariables(unfolding);
}

function unfoldLookup(unfolding: Unfolding): boolean {
  const { args, scope } = unfolding;
  let at = 0;
  for (; /^-[pvV]+$/.test(args[at]?.text ?? ""); at++) if (/[vV]/.test(args[at]!.text)) return false;
  if (args[at]?.text === "--") at++;
  if (at >= args.length) return false;
  carryOver(scope, runWords(unfolding, args.slice(at)));
  return true;
}

function unfoldVariables(unfolding: Unfolding): boolean {
  const { args, resolved, scope, walk } = unfolding;
  const read = readArguments(args, env);
  if (read === undefined) {
    reportCommand(resolved, scope, walk, { why: "env is called with options that are not known" });
    return true;
  }
  const split = [...(read.options.get("S") ?? []), ...(read.options.get("split-string") ?? [])];
  let rest: readonly Field[] = [...split.flatMap(splitString), ...read.operands];
  const set: CommandVariable[] = [];
  for (; /^[^=]+=/.test(rest[0]?.text ?? ""); rest = rest.slice(1)) {
    const { text, known } = rest[0]!;
    const sign = text.indexOf("=");
    set.push({ name: text.slice(0, sign), value: text.slice(sign + 1), known });
  }
  if (rest.length === 0) return false;
  if (split.some(({ known }) => !known)) {
    runChild(unfolding, split.map(({ text }) => text).join(" "), "env -S", { strict: false });
    reportCommand(resolved, scope, walk, { why: "what env splits is only known when it runs" });
    return true;
  }
  const moved = read.options.has("C") || read.options.has("chdir");
  const cleared = ["i", "u", "ignore-environment", "unset"].some((name) => read.options.has(name));
  runWords(unfolding, rest, {
    assignments: [...resolved.assignments, ...set],
    strict: scope.strict && !cleared,
    ...(moved && { cwds: undefined }),
  });
  return true;
}

/** `-S` splits at blanks, with quotes, but without anything else that a shell does. */
function splitString({ text, known }: Field): Field[] {
  const words = [...text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)];
  return words.map(([word]) => ({
    ...knownField(word.replaceAll(/["']/g, "").replaceAll(/\\_/g, " ").replaceAll(/\\(.)/g, "$1")),
    known,
    plain: false,
  }));
}
