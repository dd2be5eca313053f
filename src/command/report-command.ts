import type { SimpleCommand } from "./command-analysis.js";
import { denyCommand } from "./judge/deny-command.js";
import { likely, toJudgedCommand } from "./judge/judged-command.js";
import { isOutput, readOnlyPaths, takesAnyText } from "./judge/read-only.js";
import { interactiveProgram } from "./judge/interactive-programs.js";
import { blockingService } from "./judge/services.js";
import { taintOf } from "./judge/taint-of.js";
import { changedFiles, readFiles } from "./judge/touched-files.js";
import { isHarmlessVariable, isSteeringVariable } from "./judge/variables.js";
import type { Scope, Stdin } from "./scope.js";
import type { ResolvedCommand, Walk } from "./walk.js";
import { worse, type Field } from "./words/field.js";
import { absolutePath } from "./words/paths.js";

/** What the caller that took the command apart knows about it. */
export interface Findings {
  readonly denied?: string | undefined;
  readonly why?: string | undefined;
  /** It was shown elsewhere that it only reads, whatever words follow. */
  readonly readOnly?: boolean | undefined;
}

/** Judge a command and add it to the commands of the line. */
export function reportCommand(
  resolved: ResolvedCommand,
  scope: Scope,
  walk: Walk,
  findings: Findings = {},
): void {
  const { fields, assignments, redirections } = resolved;
  const why = findings.why ?? unsure(resolved, scope, walk);
  const denied = findings.denied ?? denyCommand(resolved, scope, walk.place);
  const reads =
    denied === undefined && why === undefined ? readOnlyPaths(resolved, scope, walk.place) : undefined;
  for (const path of reads ?? []) walk.reads.add(path);
  noteFlow(resolved, scope, walk);
  noteProgram(resolved, scope, walk);
  const readOnly = denied === undefined && why === undefined && (findings.readOnly ?? reads !== undefined);
  walk.commands.push({
    words: fields.map(({ text }) => text),
    known: why === undefined,
    unknownWords: fields.flatMap(({ known }, at) => (known ? [] : [at])),
    why,
    assignments,
    redirections: redirections.map(({ op, target, known }) => ({ op, target, known })),
    // A read-only command needs no consent, and after a hundred commands the input is no longer determined.
    stdin: readOnly || walk.commands.length > maxFed ? unreadText(resolved.stdin) : fedText(resolved.stdin),
    cwds: scope.cwds ?? null,
    via: scope.via,
    at: walk.at,
    readOnly,
    denied,
  } satisfies SimpleCommand);
}

const maxFed = 100;

function unreadText({ fed }: Stdin): null | undefined {
  return fed ? null : undefined;
}

/** The input of the command, if it is in the line. */
function fedText({ fed, text, sure }: Stdin): string | null | undefined {
  if (!fed) return undefined;
  return sure?.() === true ? (text() ?? null) : null;
}

/** Why it is unknown what the command does. */
function unsure({ fields, assignments }: ResolvedCommand, scope: Scope, walk: Walk): string | undefined {
  const [name, ...args] = fields;
  if (name === undefined || !name.known || name.pattern !== undefined)
    return "which program it starts is only known when it runs";
  const isSure = (field: Field): boolean => field.known || (takesAnyText.has(name.text) && isOutput(field));
  if (!args.every(isSure)) return "some of its words are only known when it runs";
  const changed = assignments.find((variable) => !isHarmlessVariable(variable.name));
  if (changed !== undefined) return `${changed.name} is set for it`;
  const steering = walk.place.env.find(isSteeringVariable);
  if (steering !== undefined) return `${steering} was changed in the environment`;
  if (scope.functions.has(name.text)) return "a function of the line has the same name";
  return scope.unreliable;
}

/** Its output, and the files that it names. */
function noteFlow(resolved: ResolvedCommand, scope: Scope, walk: Walk): void {
  const judged = toJudgedCommand(resolved, scope, walk.place);
  if (judged === undefined) return;
  const passed = resolved.fields.reduce<Field["taint"]>(
    (found, field) => worse(found, field.taint),
    undefined,
  );
  scope.flow.taint = worse(scope.flow.taint, worse(taintOf(judged), passed));
  const note = (files: readonly Field[], into: Set<string>): void => {
    for (const field of files) {
      const text = field.pattern === undefined && field.known ? likely(field) : "";
      if (text === "" || text === "-") continue;
      for (const cwd of scope.cwds ?? [walk.place.workspace]) into.add(absolutePath(text, cwd));
    }
  };
  note(changedFiles(judged), walk.changes);
  note(readFiles(judged), walk.reads);
}

function noteProgram(resolved: ResolvedCommand, scope: Scope, walk: Walk): void {
  const words = resolved.fields.map(({ text }) => text);
  const beside = scope.via.includes("&") || scope.via.includes("timeout");
  if (beside) return;
  walk.service ??= blockingService(words);
  walk.interactive ??= interactiveProgram(words, resolved.stdin.fed);
}
