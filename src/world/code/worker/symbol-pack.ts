import type { SourceSymbol, SymbolKind } from "../../../syntax/source-symbol.js";

/** Every kind with its number in packed symbols; new ones are added at the end. */
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
] as const satisfies readonly SymbolKind[];

const kindNumbers = new Map<SymbolKind, number>(symbolKinds.map((kind, at) => [kind, at]));

/** Numbers that a packed symbol takes: name, kind, line, column, container (or -1). */
export const packedSize = 5;

/** Most symbols of one file: more are data, not code. */
const mostSymbols = 50_000;
/** Longer names are values, not names. */
const longestName = 500;

/** Symbols as numbers; `add` gives a name its number. */
export function packSymbols(symbols: readonly SourceSymbol[], add: (name: string) => number): Int32Array {
  const kept = symbols.filter(({ name }) => name.length <= longestName).slice(0, mostSymbols);
  const packed = new Int32Array(kept.length * packedSize);
  let at = 0;
  for (const { name, kind, line, column, container } of kept) {
    packed[at++] = add(oneLine(name));
    packed[at++] = kindNumbers.get(kind) ?? 0;
    packed[at++] = line;
    packed[at++] = column;
    packed[at++] = container === undefined || container.length > longestName ? -1 : add(oneLine(container));
  }
  return packed;
}

/** Names are kept between line feeds. */
function oneLine(name: string): string {
  return name.includes("\n") ? name.replaceAll("\n", " ") : name;
}
