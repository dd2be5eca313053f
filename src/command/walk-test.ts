import type { TestExpression, Word } from "unbash";
import type { Scope } from "./scope.js";
import type { Walk } from "./walk.js";
import { absolutePath, isInside } from "./words/paths.js";
import { resolveText } from "./words/resolve-word.js";

/** Walk `[[ … ]]`: comparisons of numbers evaluate what they are given, which can run commands. */
export function walkTest(expression: TestExpression, scope: Scope, walk: Walk): void {
  switch (expression.type) {
    case "TestLogical":
      for (const operand of expression.operands) walkTest(operand, scope, walk);
      return;
    case "TestNot":
      walkTest(expression.operand, scope, walk);
      return;
    case "TestGroup":
      walkTest(expression.expression, scope, walk);
      return;
    case "TestUnary":
      walkOperand(expression.operand, expression.operator, scope, walk);
      return;
    default:
      for (const operand of [expression.left, expression.right])
        walkOperand(operand, expression.operator, scope, walk);
  }
}

const evaluating = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"]);

function walkOperand(word: Word, operator: string, scope: Scope, walk: Walk): void {
  const { text, known, plain } = resolveText(word, scope, walk);
  if (
    evaluating.has(operator) &&
    !/^-?\d*$/.test(text) &&
    !(operator === "-v" && /^\w+$/.test(text) && known)
  )
    walk.unknown.add(`[[ ${operator} ]] on something that is only known when it runs`);
  // Whether a file exists elsewhere is told to nobody unasked.
  const paths = (scope.cwds ?? []).map((cwd) => absolutePath(text, cwd));
  const outside = /^[/.]/.test(text) && !paths.every((path) => isInside(path, walk.place.workspace));
  if (!plain || outside) walk.loose = true;
}
