import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "./source-symbol.js";

const maxLength = 200;

/** A definition without its body, on one line, with what stands before it on its line (`export`, `pub`). */
export function signatureOf(node: Node, kind: SymbolKind, text: string): string {
  const start = withPrefix(node.startIndex, text);
  const body = bodyOf(node);
  const end = body === undefined ? node.endIndex : body.startIndex;
  // What has no body can be long too (a table of data): its first line says enough.
  const whole = text.slice(start, Math.min(end, start + 4 * maxLength));
  const part = body === undefined ? firstLine(whole, kind) : whole;
  const flat = part
    .replace(/\s+/gu, " ")
    .replace(/\s*(?:=>|[={:])?\s*$/u, "")
    .trim();
  return flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
}

/** Values may begin with a brace; what has a body in braces ends before it. */
function firstLine(whole: string, kind: SymbolKind): string {
  const line = whole.split(/\r?\n/u, 1)[0] ?? "";
  const brace = line.indexOf("{");
  return brace > 0 && braced.has(kind) ? line.slice(0, brace) : line;
}

const braced = new Set<SymbolKind>(["function", "method", "class", "struct", "enum", "interface", "macro"]);

function bodyOf(node: Node): Node | undefined {
  const body = node.childForFieldName("body");
  if (body !== null) return body;
  const value = node.childForFieldName("value") ?? node.childForFieldName("right");
  const inner = value?.childForFieldName("body") ?? node.childForFieldName("type")?.childForFieldName("body");
  if (inner) return inner;
  return node.namedChildren.find((child) => bodyTypes.has(child.type));
}

const bodyTypes = new Set([
  "script_block",
  "block",
  "compound_statement",
  "body_statement",
  "keyframe_block_list",
]);

function withPrefix(start: number, text: string): number {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const prefix = text.slice(lineStart, start);
  if (prefix.length > 80 || /[;{}()"'`]/u.test(prefix)) return start;
  return lineStart + (prefix.length - prefix.trimStart().length);
}
