import type { SyntaxNode } from "unbash";
import { grammar } from "./grammar.js";

/** What a part of the line may change for the commands after it. */
export interface Changes {
  /** Variables that it may set; `all` where any could be. */
  readonly names: ReadonlySet<string> | "all";
  /** It may go to another directory. */
  readonly moves: boolean;
}

/** Builtins that set variables by name, or run code that could. */
const setters = new Set(
  "read readarray mapfile printf getopts declare typeset local export readonly unset let eval source . wait set shift".split(
    " ",
  ),
);

/** The results of bodies that were already searched. */
export type FoundNames = WeakMap<SyntaxNode, Found>;

interface Found extends Changes {
  /** Names of programs in it, any of which may be a function of the line. */
  readonly programs: ReadonlySet<string>;
}

/** What a body changes that may run several times, or never. */
export function assignedNames(
  root: SyntaxNode,
  functions: ReadonlyMap<string, unknown>,
  memory: FoundNames,
): Changes {
  const found = memory.get(root) ?? lookThrough(root);
  memory.set(root, found);
  const calls = functions.size > 0 && [...found.programs].some((name) => functions.has(name));
  return calls ? { names: "all", moves: true } : found;
}

function lookThrough(root: SyntaxNode): Found {
  const names = new Set<string>();
  const programs = new Set<string>();
  let all = false;
  let moves = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Assignment") names.add(node.name);
    else if (node.type === "For" || node.type === "Select") names.add(node.name.value);
    else if (node.type === "ArithmeticBinary" || node.type === "ArithmeticUnary") {
      const target = node.type === "ArithmeticBinary" ? node.left : node.operand;
      if (target.type === "ArithmeticWord") names.add(target.value);
    } else if (node.type === "ParameterExpansion" && node.operation?.type === "Default")
      names.add(node.parameter);
    else if (node.type === "Command" && node.name !== undefined) {
      const name = node.name.value;
      programs.add(name);
      if (setters.has(name)) all = true;
      if (node.name.parts !== undefined && !/^[\w./-]+$/.test(name)) all = moves = true;
      if (/^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(name)) moves = true;
    }
    grammar().forEachChild(node, visit);
  };
  visit(root);
  return { names: all ? "all" : names, moves, programs };
}
