import type { Node, Query, QueryMatch } from "web-tree-sitter";
import { typeKinds, type OutlinedSymbol, type SourceSymbol, type SymbolKind } from "./source-symbol.js";

/** A definition as the query found it, before its enclosing definition is known. */
interface Definition {
  readonly kind: SymbolKind;
  readonly node: Node;
  /** Which pattern of the query found it. */
  readonly pattern: number;
  readonly start: number;
  readonly name: Node | undefined;
  readonly declarator: Node | undefined;
  readonly owner: Node | undefined;
}

interface Enclosing {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The definitions below a node, in the order they begin; with what an outline shows of them where the text is given. */
export function findSymbols(root: Node, query: Query): SourceSymbol[];
export function findSymbols(root: Node, query: Query, text: string): OutlinedSymbol[];
export function findSymbols(root: Node, query: Query, text?: string): SourceSymbol[] {
  const symbols: (SourceSymbol | OutlinedSymbol)[] = [];
  const around: Enclosing[] = [];
  const seen = new Set<number>();
  for (const found of definitionsIn(root, query)) {
    if (found.name !== undefined && seen.has(found.name.startIndex)) continue;
    while (around.length > 0 && !encloses(around[around.length - 1]!, found)) around.pop();
    if (isLocal(found.kind, around)) continue;
    const named = nameOf(found);
    if (named === undefined || seen.has(named.at)) continue;
    seen.add(named.at);
    const outer = around[around.length - 1];
    const kind = kindWithin(named.kind, outer?.kind);
    const container = found.owner?.text ?? named.owner ?? ownerOf(kind, around)?.name;
    const symbol = { kind, name: named.name, line: named.row + 1, column: named.column + 1, container };
    symbols.push(
      text === undefined ? symbol : { ...symbol, ...outlineOf(found.node, kind, text), depth: around.length },
    );
    // `typedef struct {…} name` stands around the struct, but its name comes after.
    if (found.declarator === undefined || kind !== "type")
      around.push({ kind, name: named.name, start: found.start, end: found.node.endIndex });
  }
  return symbols;
}

function outlineOf(
  node: Node,
  kind: SymbolKind,
  text: string,
): Omit<OutlinedSymbol, keyof SourceSymbol | "depth"> {
  const startLine = node.startPosition.row + 1;
  return { startLine, endLine: node.endPosition.row + 1, signature: signatureOf(node, kind, text) };
}

/** `int a, b` is found twice as a whole, and neither encloses the other. */
function encloses(outer: Enclosing, { start, node }: Definition): boolean {
  return outer.end > start && !(outer.start === start && outer.end === node.endIndex);
}

/** A field that a constructor's parameter declares belongs to the class. */
function ownerOf(kind: SymbolKind, around: readonly Enclosing[]): Enclosing | undefined {
  const inFunction = around[around.length - 1];
  if (kind !== "field") return inFunction;
  return around.findLast((outer) => typeKinds.has(outer.kind)) ?? inFunction;
}

/**
 * What a query finds in a large text takes a quarter of the memory of its tree, so look at one top-level statement after another there. No
 * pattern goes across them.
 */
function* definitionsIn(root: Node, query: Query): Iterable<Definition> {
  const inParts = root.endIndex > maxWholeLength && root.childCount <= maxParts;
  for (const part of inParts ? root.children : [root]) yield* sortedDefinitions(query.matches(part));
}

const maxWholeLength = 200_000;
/** The nodes of a million statements would take more memory than they save. */
const maxParts = 20_000;

/** Outer definitions first. Where two patterns found the same one, the first pattern of the query counts. */
function sortedDefinitions(matches: readonly QueryMatch[]): Definition[] {
  return matches
    .map(toDefinition)
    .sort((one, other) => one.start - other.start || compareEnds(one, other) || one.pattern - other.pattern);
}

/** The parser has to be asked where a node ends, so this is only for nodes that begin at the same place. */
function compareEnds({ node: one }: Definition, { node: other }: Definition): number {
  return one.id === other.id ? 0 : other.endIndex - one.endIndex;
}

function toDefinition({ captures, patternIndex }: QueryMatch): Definition {
  let kind: SymbolKind = "variable";
  let whole: Node | undefined;
  let name: Node | undefined;
  let declarator: Node | undefined;
  let owner: Node | undefined;
  for (const { name: role, node } of captures) {
    if (role === "name") name = node;
    else if (role === "declarator") declarator = node;
    else if (role === "owner") owner = node;
    else if (!role.startsWith("_")) {
      kind = role as SymbolKind;
      whole = node;
    }
  }
  const node = (whole ?? name)!;
  return { kind, node, pattern: patternIndex, start: node.startIndex, name, declarator, owner };
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
  // Nearly all names.
  if (!/^["'`:]|=$/u.test(text)) return text;
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

interface DeclaredName {
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
function declaredName(declarator: Node, kind: SymbolKind): DeclaredName | undefined {
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

const maxLength = 200;

/** A definition without its body, on one line, with what stands before it on its line (`export`, `pub`). */
function signatureOf(node: Node, kind: SymbolKind, text: string): string {
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
