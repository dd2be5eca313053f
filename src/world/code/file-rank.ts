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
  if (sure.some(({ rank }) => rank < 4)) return sure;
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

/**
 * Paths that hold the letters in order, the tightest first. By hand, in one walk over each path and back: a regular
 * expression with gaps between the letters, as fuzzy finders make, can be sent into years of backtracking.
 */
function byLetters(paths: readonly string[], text: string): string[] {
  const letters = text.toLowerCase().replaceAll(/\s+/g, "");
  if (letters.length < 2) return [];
  const found: Ranked[] = [];
  for (const path of paths) {
    const rank = letterGaps(path.toLowerCase(), letters);
    if (rank !== undefined) found.push({ path, rank });
  }
  return found.sort((one, other) => one.rank - other.rank).map(({ path }) => path);
}

function letterGaps(path: string, letters: string): number | undefined {
  // From the end, so that the file's own name counts first.
  let at = path.length;
  let [gaps, end] = [0, path.length];
  for (let letter = letters.length - 1; letter >= 0; letter -= 1) {
    const before = at === 0 ? -1 : path.lastIndexOf(letters[letter]!, at - 1);
    if (before === -1) return undefined;
    if (letter === letters.length - 1) end = before;
    else if (before !== at - 1) gaps += 1;
    at = before;
  }
  return gaps * 20 + (end - at) + (/[a-z0-9]/.test(path[at - 1] ?? "/") ? 10 : 0);
}
