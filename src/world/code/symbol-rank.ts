import type { SymbolKind } from "../../syntax/source-symbol.js";
import { pathPenalty } from "./path-rank.js";
import { type FoundSymbol, nameFits, type NameQuery } from "./worker/messages.js";

/** Definitions in the order in which they are shown: best match first, then by file and position. */
export function sortSymbols(symbols: readonly FoundSymbol[], query: NameQuery): FoundSymbol[] {
  return symbols
    .map((symbol) => ({ symbol, rank: rankSymbol(symbol, query) }))
    .sort((one, other) => one.rank - other.rank || comparePositions(one.symbol, other.symbol))
    .map(({ symbol }) => symbol);
}

function comparePositions(one: FoundSymbol, other: FoundSymbol): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/** Lower is better. */
function rankSymbol(symbol: FoundSymbol, { containers, scope }: NameQuery): number {
  const { below } = scope;
  const own =
    below !== "" && symbol.file.startsWith(`${below}/`) ? symbol.file.slice(below.length + 1) : symbol.file;
  const container = containers.at(-1);
  const misplaced = container !== undefined && symbol.container?.split(/[.:\\#]+/).at(-1) !== container;
  return (
    nameFits.indexOf(symbol.fit) * 2000 +
    (misplaced ? 1000 : 0) +
    pathPenalty(own) +
    (kindPenalty.get(symbol.kind) ?? 20) +
    (symbol.fit === "exact" ? 0 : Math.min(symbol.name.length, 60))
  );
}

const kindPenalty: ReadonlyMap<SymbolKind, number> = new Map([
  ["class", 0],
  ["interface", 0],
  ["struct", 0],
  ["function", 0],
  ["enum", 1],
  ["type", 1],
  ["macro", 2],
  ["method", 6],
  ["module", 8],
  ["constant", 20],
  ["variable", 22],
  ["implementation", 24],
  ["field", 40],
  ["member", 40],
  ["selector", 45],
  ["section", 50],
  ["key", 60],
]);
