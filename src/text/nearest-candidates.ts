import type { LineTable } from "./line-table.js";

/** A place that shares words with the text sought: its first line, or within a huge line, an index. */
export interface Candidate {
  readonly line: number;
  readonly index?: number;
  readonly votes: number;
}

export interface Haystack {
  readonly text: string;
  readonly table: LineTable;
}

/** Find where most of the rarest words of some lines stand; bounded by the words and hits looked at. */
export function findCandidates(hay: Haystack, lines: readonly string[]): Candidate[] {
  const anchors = chooseAnchors(lines);
  const asWritten = vote(hay, anchors);
  if (asWritten.length > 0) return asWritten;
  const lower = hay.text.toLowerCase();
  // A letter that changes its length in lower case would move all that follows.
  if (lower.length !== hay.text.length) return [];
  return vote(
    { ...hay, text: lower },
    anchors.map((anchor) => ({ ...anchor, word: anchor.word.toLowerCase() })),
  );
}

interface Anchor {
  readonly word: string;
  readonly line: number;
  readonly column: number;
}

const maxAnchors = 20;
const maxHits = 400;
const maxCandidates = 10;
/** In longer lines a place is an index and not a line. */
export const hugeLine = 4000;

function chooseAnchors(lines: readonly string[]): Anchor[] {
  const anchors = new Map<string, Anchor>();
  const step = Math.max(1, Math.floor(lines.length / 200));
  for (let line = 0; line < lines.length; line += step) {
    const text = (lines[line] ?? "").slice(0, 2000);
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}_$]{2,}/gu)) {
      for (const [part, shift] of partsOf(word)) {
        if (!anchors.has(part)) anchors.set(part, { word: part, line, column: index + shift });
      }
    }
    const trimmed = text.trim();
    if (trimmed !== "" && !anchors.has(trimmed)) {
      anchors.set(trimmed, { word: trimmed, line, column: text.indexOf(trimmed) });
    }
  }
  const all = [...anchors.values()].sort((left, right) => right.word.length - left.word.length);
  // Long ones are rare and so telling, but one wrong letter spoils them: short ones are asked too.
  const spread = Math.max(1, all.length / maxAnchors);
  return Array.from(
    { length: Math.min(maxAnchors, all.length) },
    (_, at) => all[Math.floor(at * spread)],
  ).filter((anchor) => anchor !== undefined);
}

/** A word, and its beginning and end, in case it is misspelt. */
function partsOf(word: string): (readonly [string, number])[] {
  if (word.length < 8) return [[word, 0]];
  const half = Math.min(6, word.length >> 1);
  return [
    [word, 0],
    [word.slice(0, half), 0],
    [word.slice(-half), word.length - half],
  ];
}

function vote({ text, table }: Haystack, anchors: readonly Anchor[]): Candidate[] {
  const votes = new Map<string, { line: number; index?: number; votes: number }>();
  for (const anchor of anchors) {
    const hits = hitsOf(text, anchor.word);
    // A word that occurs everywhere says little about the place.
    const weight = anchor.word.length / (1 + hits.length);
    for (const hit of hits) {
      const place = placeOf(table, anchor, hit);
      const key = `${place.line}:${place.index ?? ""}`;
      const known = votes.get(key);
      if (known === undefined) votes.set(key, { ...place, votes: weight });
      else known.votes += weight;
    }
  }
  return [...votes.values()].sort((left, right) => right.votes - left.votes).slice(0, maxCandidates);
}

function hitsOf(text: string, word: string): number[] {
  const hits: number[] = [];
  for (
    let at = text.indexOf(word);
    at !== -1 && hits.length < maxHits;
    at = text.indexOf(word, at + word.length)
  ) {
    hits.push(at);
  }
  return hits;
}

function placeOf(table: LineTable, anchor: Anchor, hit: number): { line: number; index?: number } {
  const line = table.lineAt(hit);
  const isHuge = table.contentEnd(line) - table.start(line) > hugeLine;
  if (isHuge) return { line, index: Math.max(table.start(line), hit - anchor.column) };
  return { line: Math.max(0, line - anchor.line) };
}
