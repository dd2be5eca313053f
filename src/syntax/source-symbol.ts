/** What a name can stand for. Stored indexes refer to kinds by position: new ones are added at the end. */
export const symbolKinds = [
  "function",
  "method",
  "class",
  "struct",
  "interface",
  "enum",
  "member",
  "type",
  "variable",
  "constant",
  "field",
  "module",
  "macro",
  "implementation",
  "selector",
  "section",
  "key",
] as const;

export type SymbolKind = (typeof symbolKinds)[number];

/** A definition in a source file. Lines and columns count from 1, columns in UTF-16 units. */
export interface SourceSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  /** Where the name stands. */
  readonly line: number;
  readonly column: number;
  /** Name of the definition that it lies in or belongs to. */
  readonly container: string | undefined;
}

/** A definition with what an outline shows of it. */
export interface OutlinedSymbol extends SourceSymbol {
  /** Lines that the whole definition covers. */
  readonly startLine: number;
  readonly endLine: number;
  /** How many other definitions it lies in. */
  readonly depth: number;
  /** The definition without its body, on one line. */
  readonly signature: string;
}

/** Kinds whose variables are fields and whose functions are methods. */
export const typeKinds: ReadonlySet<SymbolKind> = new Set([
  "class",
  "struct",
  "interface",
  "enum",
  "type",
  "implementation",
]);
