import { forget, type Scope } from "./scope.js";
import { setVariable } from "./walk-command.js";
import type { ResolvedCommand, Walk } from "./walk.js";
import type { Field } from "./words/field.js";
import { absolutePath } from "./words/paths.js";

/** Apply what a builtin changes for the commands after it. */
export function applyBuiltin({ fields, stdin }: ResolvedCommand, scope: Scope, walk: Walk): void {
  const [name, ...args] = fields;
  if (name?.known !== true) {
    // It could be any builtin.
    forget(scope, "all");
    scope.cwds = undefined;
    scope.unreliable ??= "what came before it is only known when it runs";
    return;
  }
  const builtin = builtins.get(name.text);
  if (builtin === undefined) return;
  if (evaluating.has(name.text) && args.some(({ text }) => /\[[^\]]*[$`]/.test(text)))
    walk.unknown.add(`an index that ${name.text} evaluates`);
  builtin(args, { scope, walk, taint: stdin.taint });
}

interface BuiltinContext {
  readonly scope: Scope;
  readonly walk: Walk;
  readonly taint: Field["taint"];
}

type Builtin = (args: readonly Field[], context: BuiltinContext) => void;

/** An index in a name that these are given is evaluated, and can run commands. */
const evaluating = new Set(
  "test [ read readarray mapfile printf unset declare typeset local export readonly wait getopts let".split(
    " ",
  ),
);

const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["cd", changeDirectory],
  ["pushd", changeDirectory],
  ["popd", (_, { scope }) => void (scope.cwds = undefined)],
  ...["export", "declare", "typeset", "local", "readonly"].map((name): [string, Builtin] => [name, declare]),
  ...["read", "readarray", "mapfile", "getopts", "unset", "wait"].map((name): [string, Builtin] => [
    name,
    setNames,
  ]),
  [
    "printf",
    (args, context) => (args[0]?.text.startsWith("-v") === true ? setNames(args, context) : undefined),
  ],
  [
    "let",
    (_, { scope, walk }) => {
      walk.unknown.add("arithmetic of let");
      forget(scope, "all");
    },
  ],
  ["set", setPositional],
  [
    "shift",
    (args, { scope }) => void (scope.positional = args.length === 0 ? scope.positional?.slice(1) : undefined),
  ],
  ["test", () => {}],
  ["[", () => {}],
  [
    "alias",
    (args, { scope }) =>
      args.some(({ text }) => text.includes("="))
        ? distrust(scope, "an alias was defined before it")
        : undefined,
  ],
  ["trap", (args, { scope }) => (args.length > 1 ? distrust(scope, "a trap was set before it") : undefined)],
  [
    "shopt",
    (args, { scope }) =>
      args.some(
        ({ text, known }) =>
          !known ||
          !/^(?:-[psuq]+|globstar|nullglob|dotglob|extglob|failglob|nocaseglob|nocasematch)$/.test(text),
      )
        ? distrust(scope, "options of the shell were changed before it")
        : undefined,
  ],
  ["enable", (_, { scope }) => distrust(scope, "builtins were changed before it")],
  [
    "hash",
    (args, { scope }) =>
      args.some(({ text }) => text !== "-r")
        ? distrust(scope, "the places of programs were changed before it")
        : undefined,
  ],
  ...["source", "."].map((name): [string, Builtin] => [name, (_, { scope }) => anythingChanged(scope)]),
]);

function distrust(scope: Scope, why: string): void {
  scope.unreliable ??= why;
}

function anythingChanged(scope: Scope): void {
  forget(scope, "all");
  scope.cwds = undefined;
  distrust(scope, "what was sourced before it may have changed what it does");
}

function changeDirectory(args: readonly Field[], { scope, walk }: BuiltinContext): void {
  const operands = args.filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  const [target] = operands;
  if (
    operands.length > 1 ||
    target?.known === false ||
    target?.pattern !== undefined ||
    /^[-+]/.test(target?.text ?? "")
  ) {
    scope.cwds = undefined;
    if (target?.guess !== undefined) scope.likelyCwd = absolutePath(target.guess, scope.likelyCwd);
    return;
  }
  const home = scope.vars.get("HOME");
  const path = target?.text ?? (home === undefined ? walk.place.home : home.text);
  if (path !== undefined) scope.likelyCwd = absolutePath(path, scope.likelyCwd);
  if (path === undefined || (scope.cwds === undefined && !path.startsWith("/"))) scope.cwds = undefined;
  else scope.cwds = [...new Set((scope.cwds ?? ["/"]).map((cwd) => absolutePath(path, cwd)))];
}

function declare(args: readonly Field[], { scope, walk }: BuiltinContext): void {
  const options = args
    .filter(({ text }) => /^[-+]\w/.test(text))
    .map(({ text }) => text)
    .join("");
  if (/[ni]/.test(options)) {
    // A reference to another name, or a value that is evaluated.
    walk.unknown.add("a variable with attributes");
    forget(scope, "all");
  }
  for (const { text, known, taint } of args) {
    const found = /^([A-Za-z_]\w*)(\+?=)?([^]*)$/.exec(text);
    if (found === null) continue;
    const [, name = "", sign, value] = found;
    if (sign === undefined && !known) forget(scope, "all");
    else if (sign !== undefined)
      setVariable(name, known && sign === "=" ? { text: value, taint } : { taint }, scope);
  }
}

function setNames(args: readonly Field[], { scope, taint }: BuiltinContext): void {
  if (args.some(({ known }) => !known)) forget(scope, "all");
  for (const { text } of [...args, { text: "REPLY" }, { text: "MAPFILE" }, { text: "OPTARG" }]) {
    const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
    if (name !== undefined) setVariable(name, { taint }, scope);
  }
}

function setPositional(args: readonly Field[], { scope }: BuiltinContext): void {
  if (args.length === 0) return;
  const start = args.findIndex(({ text, known }) => !known || !/^[-+]\w/.test(text) || text === "--");
  const clear = args.every(({ known, many }) => known && many !== true);
  if (args.some(({ text }) => /^[-+]\w*k/.test(text)))
    distrust(scope, "options of the shell were changed before it");
  const options = args.slice(0, Math.max(0, start));
  if (start < 0 || (options.at(-1)?.text.endsWith("o") === true && start === args.length - 1)) return;
  scope.positional = clear ? args.slice(args[start]!.text === "--" ? start + 1 : start) : undefined;
}
