import type { SyntaxNode, Word } from "unbash";
import { assignedNames } from "./assigned-names.js";
import { forget, forkScope, nothingFed, walkBranch, type Scope } from "./scope.js";
import { walkArithmetic } from "./walk-arithmetic.js";
import { setVariable } from "./walk-command.js";
import type { Walk } from "./walk.js";
import type { Field } from "./words/field.js";
import { resolveText, resolveWord } from "./words/resolve-word.js";
import { grammar } from "./grammar.js";

type Node<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>;

const maxRounds = 16;

/** Walk a loop over words once for each word, where they are known and few; else once for all. */
export function walkFor(node: Node<"For" | "Select">, scope: Scope, walk: Walk): void {
  const fields = node.wordlist?.flatMap((word) => resolveWord(word, scope, walk)) ?? scope.positional;
  const name = node.name.value;
  const walkRounds = (inner: Scope): void => {
    const rounds = node.type === "For" ? takeRounds(fields, walk) : [undefined];
    for (const field of rounds) {
      forgetChanges(node.body, inner, walk);
      setVariable(name, field === undefined ? {} : { text: field.text, taint: field.taint }, inner);
      walk.node(node.body, inner);
    }
  };
  // The number of iterations is unknown, so a loop is not in the strict fragment.
  walkBranch(scope, walkRounds, { strict: false });
  setVariable(name, {}, scope);
  forgetChanges(node.body, scope, walk);
}

function takeRounds(fields: readonly Field[] | undefined, walk: Walk): readonly (Field | undefined)[] {
  if (fields === undefined || fields.length === 0) return [undefined];
  const clear = fields.every(({ known, pattern }) => known && pattern === undefined);
  if (!clear || fields.length > maxRounds || fields.length > walk.budget) return [undefined];
  walk.budget -= fields.length - 1;
  return fields;
}

export function walkLoop(node: Node<"While" | "ArithmeticFor">, scope: Scope, walk: Walk): void {
  forgetChanges(node, scope, walk);
  const walkRounds = (inner: Scope): void => {
    if (node.type === "While") walk.node(node.clause, inner);
    else for (const part of [node.initialize, node.test, node.update]) walkArithmetic(part, inner, walk);
    walk.node(node.body, inner);
  };
  walkBranch(scope, walkRounds, { strict: false });
  forgetChanges(node, scope, walk);
}

function forgetChanges(body: SyntaxNode, scope: Scope, walk: Walk): void {
  const { names, moves } = assignedNames(body, scope.functions, (walk.found ??= new WeakMap()));
  forget(scope, names);
  if (moves) scope.cwds = undefined;
}

export function walkCase(node: Node<"Case">, scope: Scope, walk: Walk): void {
  const words: Word[] = [node.word, ...node.items.flatMap(({ pattern }) => pattern)];
  for (const word of words) resolveText(word, scope, walk);
  for (const { body } of node.items) {
    walkBranch(scope, (inner) => walk.node(body, inner), { strict: false });
    forgetChanges(body, scope, walk);
  }
}

/** Store a function for later calls, and walk its body with all variables unknown: anything may be set by then. */
export function walkFunction(node: Node<"Function">, scope: Scope, walk: Walk): void {
  const name = node.name.value;
  if (isForkBomb(name, node.body))
    walk.denied ??= `the function "${name}" starts itself over and over (a fork bomb)`;
  if (node.body.type !== "CompoundList") scope.functions.set(name, node.body);
  const inner = forkScope(scope, {
    via: [...scope.via, `${name}()`],
    strict: false,
    cwds: undefined,
    stdin: nothingFed,
    readers: [],
  });
  forget(inner, "all");
  walk.node(node.body, inner);
}

/** Whether a function's body always starts the function at least twice, in parallel to itself. */
function isForkBomb(name: string, body: SyntaxNode): boolean {
  let calls = 0;
  let beside = false;
  const visit = (node: SyntaxNode, apart: boolean): void => {
    if (node.type === "If" || node.type === "Case" || node.type === "For") return;
    if (node.type === "Command" && node.name?.value === name) {
      calls++;
      if (apart) beside = true;
    }
    const inner =
      apart || (node.type === "Statement" && node.background === true) || node.type === "Pipeline";
    grammar().forEachChild(node, (child) => visit(child, inner));
  };
  visit(body, false);
  return calls >= 2 && beside;
}
