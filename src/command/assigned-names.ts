import { forEachChild } from "unbash";
import type { SyntaxNode } from "unbash";

/** What a part of the line may change for what comes after. */
export interface Changes {
  /** Variables that it may set; `all` where any could be. */
  readonly names: ReadonlySet<string> | "all";
  /** It may go to another directory. */
  readonly moves: boolean;
}

/** Builtins that set variables by name, or run what could. */
const setters = new Set(
  "read readarray mapfile printf getopts declare typeset local export readonly unset let eval source . wait set shift".split(" "),
);

/** Look through a body that may run several times, or never, for what it changes. */
export function assignedNames(root: SyntaxNode, functions: ReadonlyMap<string, unknown>): Changes {
  const names = new Set<string>();
  let all = false;
  let moves = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Assignment") names.add(node.name);
    else if (node.type === "For" || node.type === "Select") names.add(node.name.value);
    else if (node.type === "ArithmeticBinary" || node.type === "ArithmeticUnary") {
      const target = node.type === "ArithmeticBinary" ? node.left : node.operand;
      if (target.type === "ArithmeticWord") names.add(target.value);
    } else if (node.type === "ParameterExpansion" && node.operation?.type === "Default") names.add(node.parameter);
    else if (node.type === "Command" && node.name !== undefined) {
      const name = node.name.value;
      if (setters.has(name) || functions.has(name)) all = true;
      if (node.name.parts !== undefined && !/^[\w./-]+$/.test(name)) all = moves = true;
      if (/^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(name) || functions.has(name)) moves = true;
    }
    forEachChild(node, visit);
  };
  visit(root);
  return { names: all ? "all" : names, moves };
}
