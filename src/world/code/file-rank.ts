import { createRequire } from "node:module";
import type uFuzzy from "@leeoniya/ufuzzy";
import { compilePathPattern } from "../../glob/path-pattern.js";
import { pathPenalty } from "./path-rank.js";

/** Paths that fit a query, best first: by name, by its beginning, by letters in order. */
export function rankFiles(paths: readonly string[], query: string, below: string): string[] {
  const text = query.trim().replaceAll("\\", "/").replace(/^\.\//, "");
  if (text === "") return [];
  const penaltyOf = (path: string): number => pathPenalty(below === "" ? path : path.slice(below.length + 1));
  const ranked = /[*?[{]/.test(text) ? byPattern(paths, text) : byName(paths, text);
  return ranked
    .map(({ path, rank }) => ({ path, rank: rank * 1000 + penaltyOf(path) }))
    .sort((one, other) => one.rank - other.rank || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

interface Ranked {
  readonly path: string;
  /** 0 is best. */
  readonly rank: number;
}

function byPattern(paths: readonly string[], text: string): Ranked[] {
  const pattern = compilePathPattern(text);
  return paths
    .filter((path) => pattern.matches(path, path.slice(path.lastIndexOf("/") + 1)))
    .map((path) => ({ path, rank: 0 }));
}

function byName(paths: readonly string[], text: string): Ranked[] {
  const lower = text.toLowerCase();
  const sure: Ranked[] = [];
  for (const path of paths) {
    const rank = nameRank(path, path.toLowerCase(), { text, lower });
    if (rank !== undefined) sure.push({ path, rank });
  }
  if (sure.length > 0 && sure.some(({ rank }) => rank < 4)) return sure;
  const known = new Set(sure.map(({ path }) => path));
  const loose = byLetters(paths, text).filter((path) => !known.has(path));
  return [...sure, ...loose.map((path, at) => ({ path, rank: 6 + at }))];
}

function nameRank(
  path: string,
  lowerPath: string,
  { text, lower }: { text: string; lower: string },
): number | undefined {
  if (!lowerPath.includes(lower)) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path === text || name === text || path.endsWith(`/${text}`)) return 0;
  const lowerName = name.toLowerCase();
  if (lowerName === lower || lowerPath.endsWith(`/${lower}`)) return 1;
  if (lowerName.startsWith(`${lower}.`)) return 2;
  if (lowerName.startsWith(lower)) return 3;
  return lowerName.includes(lower) ? 4 : 5;
}

/** Most paths that are worth a fine order. */
const mostOrdered = 1000;

function byLetters(paths: readonly string[], text: string): string[] {
  const Fuzzy = createRequire(import.meta.url)("@leeoniya/ufuzzy") as typeof uFuzzy;
  const fuzzy = new Fuzzy({ intraMode: 0, intraIns: 3, interIns: Number.POSITIVE_INFINITY });
  const [found, info, order] = fuzzy.search(paths as string[], text, 0, mostOrdered);
  if (found === null) return [];
  if (info === null || order === null) return found.slice(0, mostOrdered).map((at) => paths[at]!);
  return order.map((at) => paths[info.idx[at]!]!);
}
