import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "./source-symbol.js";

/** A name and what it declares. */
export interface DeclaredName {
  readonly kind: SymbolKind;
  readonly name: string;
  /** The type or name space before `::`. */
  readonly owner?: string | undefined;
  readonly at: number;
  readonly row: number;
  readonly column: number;
}

/**
 * The name inside a C declarator: `*(*names[3])(int)` declares `names`. What stands around it
 * says whether that is a function or something that holds one.
 */
export function declaredName(declarator: Node, kind: SymbolKind): DeclaredName | undefined {
  let node: Node | null = declarator;
  let isFunction = false;
  let owner: string | undefined;
  while (node !== null) {
    const type: string = node.type;
    if (leaves.has(type)) break;
    if (type === "function_declarator") isFunction = true;
    if (type === "pointer_declarator" || type === "array_declarator") isFunction = false;
    if (type === "qualified_identifier") {
      owner = node.childForFieldName("scope")?.text ?? owner;
      node = node.childForFieldName("name");
      continue;
    }
    node = inner(node);
  }
  if (node === null) return undefined;
  const isCast = node.type === "operator_cast";
  const { row, column } = node.startPosition;
  return {
    kind: (isFunction || isCast) && kind !== "type" ? "function" : kind,
    name: isCast ? node.text.replace(/\(.*$/su, "").trim() : node.text,
    owner,
    at: node.startIndex,
    row,
    column,
  };
}

const leaves = new Set([
  "identifier",
  "field_identifier",
  "type_identifier",
  "destructor_name",
  "operator_name",
  "operator_cast",
  "primitive_type",
]);

function inner(node: Node): Node | null {
  const named = node.childForFieldName("declarator") ?? node.childForFieldName("name");
  if (named !== null) return named;
  // References and parentheses do not name their child.
  return (
    node.namedChildren.find((child) => leaves.has(child.type) || /declarator|identifier/u.test(child.type)) ??
    null
  );
}
