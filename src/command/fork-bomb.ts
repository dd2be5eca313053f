import type { SyntaxNode } from "unbash";
import { grammar } from "./grammar.js";

/** Whether a function's body starts the function at least twice, beside itself, whatever happens. */
export function isForkBomb(name: string, body: SyntaxNode): boolean {
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
