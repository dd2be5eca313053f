import { forget, forkScope, scopeVia, type Scope } from "../scope.js";
import type { ResolvedCommand, Walk } from "../walk.js";
import { isUnseen, type Field, type Taint } from "../words/field.js";

/** A command that is looked into. */
export interface Unfolding {
  readonly resolved: ResolvedCommand;
  /** The program without its directory. */
  readonly name: string;
  readonly args: readonly Field[];
  readonly scope: Scope;
  readonly walk: Walk;
}

/** Reports what a command runs; `true` if the command itself needs no report. */
export type Unfold = (unfolding: Unfolding) => boolean;

/** Report the command that these words start. */
export function runWords(
  { resolved, scope, walk, name }: Unfolding,
  fields: readonly Field[],
  changes: Partial<Scope> & Partial<Pick<ResolvedCommand, "assignments">> = {},
): Scope {
  const { assignments = resolved.assignments, ...rest } = changes;
  const inner = scopeVia(scope, name, rest);
  walk.command({ ...resolved, fields, assignments }, inner);
  return inner;
}

/** Report what another shell would run that is given this text: it gets the environment, and nothing else of this one. */
export function runChild(
  { resolved, scope, walk }: Pick<Unfolding, "resolved" | "scope" | "walk">,
  text: string,
  via: string,
  changes: Partial<Scope> = {},
): void {
  const inner = forkScope(scope, {
    via: [...scope.via, via],
    functions: new Map(),
    stdin: resolved.stdin,
    positional: [],
    plainSh: true,
    ...changes,
  });
  // It is not tracked which variables were exported.
  forget(inner, [...inner.vars.keys()]);
  inner.vars.delete("IFS");
  for (const { name, value, known } of resolved.assignments)
    inner.vars.set(name, known ? { text: value } : {});
  walk.source(text, inner);
}

/** Report what this shell runs that is given this text. */
export function runText(
  { scope, walk }: Pick<Unfolding, "scope" | "walk">,
  text: string,
  via: string,
  changes: Partial<Scope> = {},
): Scope {
  const inner = scopeVia(scope, via, changes);
  walk.source(text, inner);
  return inner;
}

/** Why text from such a place must not be run, if it must not. */
export function denyUnseen(taint: Taint | undefined): string | undefined {
  if (!isUnseen(taint)) return undefined;
  return taint === "fetched"
    ? "it runs code from another machine that nobody has seen"
    : "it runs decoded code that nobody has seen";
}
