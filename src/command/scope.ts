import type { Redirected } from "unbash";
import type { Field, Taint } from "./words/field.js";

/** What is known about a variable; nothing is, without `text` and `items`. */
export interface Value {
  readonly text?: string | undefined;
  readonly items?: readonly Field[] | undefined;
  /** Its most likely value, if it is not known. */
  readonly guess?: string | undefined;
  readonly taint?: Taint | undefined;
}

/** Where a command's standard input comes from. */
export interface Stdin {
  /** The text, if it is in the line itself. */
  readonly text: () => string | undefined;
  /** The text is all of it. */
  readonly sure?: (() => boolean) | undefined;
  /** Something feeds it: a pipe, a file, a here-document. */
  readonly fed: boolean;
  readonly taint?: Taint | undefined;
  /** The program right before it in a pipe. */
  readonly from?: string | undefined;
  /** A connection to another machine. */
  readonly network?: boolean | undefined;
}

/** What the commands of one stretch of the line share, collected while they are walked. */
export interface Flow {
  taint: Taint | undefined;
}

export type FunctionBody = Redirected["command"] | Redirected;

/** What is known at the place of a command. The commands change it as they are walked. */
export interface Scope {
  readonly vars: Map<string, Value>;
  /** `$1` and on; `undefined` where they are not known. */
  positional: readonly Field[] | undefined;
  /** All functions that the line defines anywhere. */
  readonly functions: Map<string, FunctionBody>;
  /** Where it can be, most likely last; `undefined` where that is not known. */
  cwds: readonly string[] | undefined;
  /** Where it most likely is. */
  likelyCwd: string;
  /** Why later commands need not be what their names say. */
  unreliable: string | undefined;
  /** What runs it may be a plain sh, which reads some things otherwise than bash. */
  readonly plainSh: boolean;
  /** Only structures of the strict fragment are around. */
  readonly strict: boolean;
  readonly depth: number;
  readonly via: readonly string[];
  readonly stdin: Stdin;
  /** Programs that read its output. */
  readonly readers: readonly string[];
  /** Descriptors that are connections. */
  readonly connections: Set<string>;
  readonly flow: Flow;
}

export const nothingFed: Stdin = { text: () => undefined, fed: false };

/** A scope for a part of the line that cannot change its surroundings. */
export function forkScope(scope: Scope, changes: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    vars: new Map(scope.vars),
    connections: new Set(scope.connections),
    depth: scope.depth + 1,
    ...changes,
  };
}

/** A scope that names its surroundings and changes with them. */
export function scopeVia(scope: Scope, via: string, changes: Partial<Scope> = {}): Scope {
  return { ...scope, via: [...scope.via, via], depth: scope.depth + 1, ...changes };
}

export function forget(scope: Scope, names: Iterable<string> | "all"): void {
  for (const name of names === "all" ? [...scope.vars.keys(), "HOME", "PWD", "IFS"] : names)
    scope.vars.set(name, unsure(scope.vars.get(name) ?? {}));
  if (names === "all") scope.positional = undefined;
}

function unsure({ text, guess, taint }: Value): Value {
  return { guess: text ?? guess, taint };
}

/** What a part of the line changed becomes uncertain: it may not have run, or not completely. */
export function settle(scope: Scope, before: ReadonlyMap<string, Value>): void {
  for (const [name, value] of scope.vars) {
    if (before.get(name) !== value) scope.vars.set(name, unsure(value));
  }
}

/** Walk a part that may not run: its changes are uncertain afterwards. */
export function walkBranch(scope: Scope, body: (inner: Scope) => void, changes: Partial<Scope> = {}): void {
  const vars = new Map(scope.vars);
  const inner = { ...scope, depth: scope.depth + 1, ...changes };
  body(inner);
  settle(scope, vars);
  scope.cwds = bothPlaces(scope.cwds, inner.cwds);
  scope.likelyCwd = inner.likelyCwd;
  scope.unreliable ??= inner.unreliable;
  if (inner.positional !== scope.positional) scope.positional = undefined;
}

/** Apply the changes of a part to its surroundings, if both run in the same shell. */
export function carryOver(to: Scope, from: Scope): void {
  if (to === from) return;
  to.cwds = from.cwds;
  to.likelyCwd = from.likelyCwd;
  to.unreliable = from.unreliable;
  to.positional = from.positional;
}

/** Both where it was and where it may be now. */
export function bothPlaces(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly string[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  if (before === after) return after;
  const all = [...new Set([...before.filter((cwd) => !after.includes(cwd)), ...after])];
  return all.length > maxPlaces ? undefined : all;
}

const maxPlaces = 6;
