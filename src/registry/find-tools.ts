import type { ToolAnnotations, ToolCategory } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";
import { foldName } from "./tool-name.js";
import type { Toolset } from "./toolsets.js";
import { checkKeys } from "../schema/check-keys.js";

/** What to look for; all that is given must hold. */
export interface ToolQuery {
  /** Words that must all occur in the name, the aliases, the description or the category. */
  readonly text?: string;
  readonly category?: ToolCategory;
  /** A missing annotation counts as `false`. */
  readonly annotations?: ToolAnnotations;
  readonly toolset?: string | Toolset;
}

/** The entries that fit a query; with a text, the best first. */
export function findTools(entries: readonly ToolEntry[], query: Omit<ToolQuery, "toolset">): ToolEntry[] {
  checkKeys(query, { text: true, category: true, annotations: true }, "a search for tools");
  const { text, category, annotations } = query;
  const wanted = Object.entries(annotations ?? {}).filter(([, value]) => value !== undefined);
  const fitting = entries.filter(
    ({ tool }) =>
      (category === undefined || tool.category === category) &&
      wanted.every(([key, value]) => (annotationOf(tool.annotations, key) ?? false) === value),
  );
  const words = text === undefined ? [] : foldName(text).split(/\s+/u).filter(Boolean);
  if (words.length === 0) return fitting;
  return fitting
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function annotationOf(annotations: ToolAnnotations | undefined, key: string): unknown {
  if (annotations === undefined || !Object.hasOwn(annotations, key)) return undefined;
  return annotations[key as keyof ToolAnnotations];
}

/** 0 where a word is missing; a hit in a name weighs more than one in the description. */
function scoreOf(entry: ToolEntry, words: readonly string[]): number {
  const names = [entry.name, ...entry.aliases].map(foldName);
  const rest = foldName(`${entry.tool.description} ${entry.tool.category}`);
  let score = 0;
  for (const word of words) {
    const inName = names.some((name) => name.includes(word));
    if (!inName && !rest.includes(word)) return 0;
    score += names.includes(word) ? 8 : inName ? 4 : 1;
  }
  return score;
}
