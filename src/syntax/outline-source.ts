import type { Syntax } from "./create-syntax.js";
import type { SymbolKind } from "./source-symbol.js";

export interface OutlineItem {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly signature: string;
  readonly line: number;
  readonly endLine: number;
  readonly depth: number;
}

/** The declarations of a source text; `undefined` where there is no grammar for it, or nothing is declared. */
export async function outlineSource(
  text: string,
  language: string,
  syntax: Syntax,
): Promise<readonly OutlineItem[] | undefined> {
  if (!(await syntax.load(language))) return undefined;
  const symbols = syntax.outline(text, language);
  if (symbols === undefined || symbols.length === 0) return undefined;
  return symbols.map(({ kind, name, signature, startLine, endLine, depth }) => ({
    kind,
    name,
    signature,
    line: startLine,
    endLine,
    depth,
  }));
}
