import type { Node, Query, QueryMatch } from "web-tree-sitter";
import { declaredName, type DeclaredName } from "./declared-name.js";
import { signatureOf } from "./signature.js";
import { typeKinds, type SourceSymbol, type SymbolKind } from "./source-symbol.js";

/** A definition as the query found it, before its enclosing definition is known. */
interface Definition {
  readonly kind: SymbolKind;
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  readonly name: Node | undefined;
  readonly declarator: Node | undefined;
  readonly owner: Node | undefined;
}

/** An enclosing definition. */
interface Enclosing {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The definitions below a node, in the order they begin; with their signatures where the text is given. */
export function findSymbols(root: Node, query: Query, text: string | undefined): SourceSymbol[] {
  const symbols: SourceSymbol[] = [];
  const around: Enclosing[] = [];
  const seen = new Set<number>();
  for (const found of sortedDefinitions(query.matches(root))) {
    if (found.name !== undefined && seen.has(found.name.startIndex)) continue;
    while (around.length > 0 && !encloses(around[around.length - 1]!, found)) around.pop();
    if (isLocal(found.kind, around)) continue;
    const named = nameOf(found);
    if (named === undefined || seen.has(named.at)) continue;
    seen.add(named.at);
    const outer = around[around.length - 1];
    const kind = kindWithin(named.kind, outer?.kind);
    const container = found.owner?.text ?? named.owner ?? ownerOf(kind, around)?.name;
    symbols.push({
      kind,
      name: named.name,
      line: named.row + 1,
      column: named.column + 1,
      startLine: found.node.startPosition.row + 1,
      endLine: found.node.endPosition.row + 1,
      depth: around.length,
      ...(container !== undefined && { container }),
      ...(text !== undefined && { signature: signatureOf(found.node, kind, text) }),
    });
    // `typedef struct {…} name` stands around the struct, but its name comes after.
    if (found.declarator === undefined || kind !== "type")
      around.push({ kind, name: named.name, start: found.start, end: found.end });
  }
  return symbols;
}

/** `int a, b` is found twice as a whole, and neither encloses the other. */
function encloses(outer: Enclosing, { start, end }: Definition): boolean {
  return outer.end > start && !(outer.start === start && outer.end === end);
}

/** A field that a constructor's parameter declares belongs to the class. */
function ownerOf(kind: SymbolKind, around: readonly Enclosing[]): Enclosing | undefined {
  const inFunction = around[around.length - 1];
  if (kind !== "field") return inFunction;
  return around.findLast((outer) => typeKinds.has(outer.kind)) ?? inFunction;
}

/** Outer definitions first. Where two patterns found the same one, the first pattern of the query counts. */
function sortedDefinitions(matches: readonly QueryMatch[]): Definition[] {
  const found = matches.map(toDefinition);
  const patterns = new Map(found.map((one, index) => [one, matches[index]!.patternIndex]));
  return found.sort(
    (one, other) =>
      one.start - other.start || other.end - one.end || patterns.get(one)! - patterns.get(other)!,
  );
}

function toDefinition({ captures }: QueryMatch): Definition {
  let kind: SymbolKind = "variable";
  let node: Node | undefined;
  const parts: Record<string, Node | undefined> = {};
  for (const capture of captures) {
    if (capture.name === "name" || capture.name === "declarator" || capture.name === "owner") {
      parts[capture.name] = capture.node;
    } else if (!capture.name.startsWith("_")) {
      kind = capture.name as SymbolKind;
      node = capture.node;
    }
  }
  const whole = (node ?? parts["name"])!;
  return {
    kind,
    node: whole,
    start: whole.startIndex,
    end: whole.endIndex,
    name: parts["name"],
    declarator: parts["declarator"],
    owner: parts["owner"],
  };
}

/** Local variables of a function are not definitions. */
function isLocal(kind: SymbolKind, around: readonly Enclosing[]): boolean {
  if (kind !== "variable" && kind !== "constant") return false;
  for (let index = around.length - 1; index >= 0; index--) {
    const { kind: outer } = around[index]!;
    if (outer === "function" || outer === "method") return true;
    if (typeKinds.has(outer)) return false;
  }
  return false;
}

function nameOf({ kind, name, declarator }: Definition): DeclaredName | undefined {
  if (declarator !== undefined) return declaredName(declarator, kind);
  if (name === undefined) return undefined;
  const text = name.text;
  const bare = stripQuotes(text);
  if (bare === "") return undefined;
  const { row, column } = name.startPosition;
  return { kind, name: bare, at: name.startIndex, row, column };
}

function stripQuotes(text: string): string {
  const quoted = /^(["'`])(.*)\1$/su.exec(text);
  if (quoted !== null) return quoted[2]!;
  // A Ruby symbol, and the left side of a shell alias.
  return text.replace(/^:(?=[^:])/u, "").replace(/(?<=\w)=$/u, "");
}

/** A function in a class is a method, a variable in it a field. */
function kindWithin(kind: SymbolKind, outer: SymbolKind | undefined): SymbolKind {
  if (outer === undefined || !typeKinds.has(outer)) return kind;
  if (kind === "function") return "method";
  return kind === "variable" ? "field" : kind;
}
