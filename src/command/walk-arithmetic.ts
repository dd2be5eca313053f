import type { ArithmeticExpression } from "unbash";
import { forkScope, type Scope } from "./scope.js";
import type { Walk } from "./walk.js";

/**
 * Walk an arithmetic expression. The value of a name in it is arithmetic again, and an index in that
 * can run commands: so a name is only harmless where its value is known to be a number.
 */
export function walkArithmetic(expression: ArithmeticExpression | undefined, scope: Scope, walk: Walk): void {
  if (expression === undefined) return;
  switch (expression.type) {
    case "ArithmeticBinary":
      walkArithmetic(expression.left, scope, walk);
      walkArithmetic(expression.right, scope, walk);
      if (/^(?:[-+*/%&|^]|<<|>>)?=$/.test(expression.operator)) setNumber(expression.left, scope);
      return;
    case "ArithmeticUnary":
      walkArithmetic(expression.operand, scope, walk);
      if (/^(?:\+\+|--)$/.test(expression.operator)) setNumber(expression.operand, scope);
      return;
    case "ArithmeticTernary":
      for (const part of [expression.test, expression.consequent, expression.alternate])
        walkArithmetic(part, scope, walk);
      return;
    case "ArithmeticGroup":
      walkArithmetic(expression.expression, scope, walk);
      return;
    case "ArithmeticCommandExpansion":
      walk.unknown.add("arithmetic on the output of a command");
      if (expression.script !== undefined)
        walk.script(expression.script, forkScope(scope, { via: [...scope.via, "$(…)"], strict: false }));
      return;
    default:
      walkName(expression, scope, walk);
  }
}

function walkName(
  { value, parts = [] }: Extract<ArithmeticExpression, { type: "ArithmeticWord" }>,
  scope: Scope,
  walk: Walk,
): void {
  const text = parts.length === 0 ? value : walk.resolve.parts(parts, scope, walk).text;
  if (/^(?:0[xX][\da-fA-F]+|\d+(?:#\w+)?)?$/.test(text.trim()) || harmless.has(text.trim())) return;
  const known = scope.vars.get(text.trim())?.text;
  if (known !== undefined && /^-?\d+$/.test(known)) return;
  walk.unknown.add(`arithmetic on ${value.slice(0, 40)}, which is only known when it runs`);
}

/** Names that the shell itself keeps as numbers. */
const harmless = new Set("RANDOM SECONDS LINENO UID EUID PPID EPOCHSECONDS BASHPID SHLVL".split(" "));

function setNumber(target: ArithmeticExpression, scope: Scope): void {
  if (target.type === "ArithmeticWord") scope.vars.set(target.value, {});
}
