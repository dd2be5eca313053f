import { type SourceSymbol, type SymbolKind, symbolKinds } from "../../../syntax/source-symbol.js";

const kindNumbers = new Map<SymbolKind, number>(symbolKinds.map((kind, at) => [kind, at]));

/** Numbers that a packed symbol takes: name, kind, line, column, container (or -1). */
export const packedSize = 5;

/** Most symbols of one file: more are data, not code. */
const maxSymbols = 50_000;
/** Longer names are values, not names. */
const maxNameLength = 500;

/** Symbols as numbers; `add` gives a name its number. */
export function packSymbols(symbols: readonly SourceSymbol[], add: (name: string) => number): Int32Array {
  const kept = symbols.filter(({ name }) => name.length <= maxNameLength).slice(0, maxSymbols);
  const packed = new Int32Array(kept.length * packedSize);
  let at = 0;
  for (const { name, kind, line, column, container } of kept) {
    packed[at++] = add(toOneLine(name));
    packed[at++] = kindNumbers.get(kind) ?? 0;
    packed[at++] = line;
    packed[at++] = column;
    packed[at++] =
      container === undefined || container.length > maxNameLength ? -1 : add(toOneLine(container));
  }
  return packed;
}

/** Replace the numbers of names in packed symbols, in place, by those that another table gave them. */
export function renumberSymbols(symbols: Int32Array, ids: Int32Array): Int32Array {
  for (let at = 0; at < symbols.length; at += packedSize) {
    symbols[at] = ids[symbols[at]!]!;
    const container = symbols[at + 4]!;
    if (container !== -1) symbols[at + 4] = ids[container]!;
  }
  return symbols;
}

/** The same for names that a scan noted, each with a flag. */
export function renumberNames(notes: Int32Array, ids: Int32Array): Int32Array {
  for (let at = 0; at < notes.length; at += 1) notes[at] = ids[notes[at]! >> 1]! * 2 + (notes[at]! & 1);
  return notes;
}

/** Names are stored separated by line feeds. */
function toOneLine(name: string): string {
  return name.includes("\n") ? name.replaceAll("\n", " ") : name;
}
