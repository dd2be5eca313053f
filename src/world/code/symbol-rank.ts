import type { SymbolKind } from "../../syntax/source-symbol.js";
import { pathPenalty } from "./path-rank.js";
import { type FoundSymbol, nameFits, type NameQuery } from "./worker/messages.js";

/** Definitions in the order in which they are shown: best match first, then by file and position. */
export function sortSymbols(symbols: readonly FoundSymbol[], query: NameQuery): FoundSymbol[] {
  const { below } = query.scope;
  const penalties = new Map<string, number>();
  const penaltyOf = (file: string): number => {
    let penalty = penalties.get(file);
    if (penalty === undefined) {
      const own = below !== "" && file.startsWith(`${below}/`) ? file.slice(below.length + 1) : file;
      penalties.set(file, (penalty = pathPenalty(own)));
    }
    return penalty;
  };
  return symbols
    .map((symbol) => ({ symbol, rank: rankSymbol(symbol, query) + penaltyOf(symbol.file) }))
    .sort((one, other) => one.rank - other.rank || comparePositions(one.symbol, other.symbol))
    .map(({ symbol }) => symbol);
}

function comparePositions(one: FoundSymbol, other: FoundSymbol): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

/** Lower is better; the file's own rank is added to it. */
function rankSymbol(symbol: FoundSymbol, { containers }: NameQuery): number {
  const container = containers.at(-1);
  const misplaced = container !== undefined && symbol.container?.split(/[.:\\#]+/).at(-1) !== container;
  return (
    nameFits.indexOf(symbol.fit) * 2000 +
    (misplaced ? 1000 : 0) +
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
