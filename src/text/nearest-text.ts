import { lineEndingOf } from "./line-ends.js";
import { createLineTable } from "./line-table.js";
import { nameDifferences, type LinePair } from "./name-differences.js";
import { findCandidates, hugeLine, type Candidate, type Haystack } from "./nearest-candidates.js";
import { foldLine } from "./fold-text.js";

/** The part of a file that is most like a text that was looked for in vain. */
export interface NearestText {
  /** From 1, both included. */
  readonly startLine: number;
  readonly endLine: number;
  /** As it is in the file; the first 8,000 characters. */
  readonly text: string;
  /** From 0 to 1. */
  readonly similarity: number;
  /** In words, the kinds of difference first, then the first line that is other text. */
  readonly differences: readonly string[];
}

/** Find the run of lines most like a text, and say how it differs; bounded in time for files of any size. */
export function nearestText(text: string, wanted: string): NearestText | undefined {
  const numbered = withoutLineNumbers(wanted);
  const sought = numbered ?? wanted;
  const lines = sought.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  if (text === "" || sought.trim() === "") return undefined;
  const hay: Haystack = { text, table: createLineTable(text) };
  const found = bestOf(findCandidates(hay, lines), (candidate) => compare(hay, candidate, lines));
  if (found === undefined || found.similarity < minSimilarity) return undefined;
  const differences = nameDifferences(found.pairs);
  if (numbered !== undefined) differences.unshift(copiedNumbers);
  const ends = differentLineEnds(found.text, sought);
  if (ends !== undefined) differences.push(ends);
  return { ...found.place, text: shorten(found.text), similarity: round(found.similarity), differences };
}

const minSimilarity = 0.35;
const maxShown = 8000;
/** More lines are compared by samples. */
const maxLinesCompared = 300;

const copiedNumbers = "line numbers: the given text begins its lines with numbers that are not in the file";

/** The text of a numbered listing; `undefined` where it is none. */
function withoutLineNumbers(wanted: string): string | undefined {
  const lines = wanted.split("\n");
  const bare: string[] = [];
  let last: number | undefined;
  for (const [index, line] of lines.entries()) {
    const match = /^ *(\d{1,7})(?:\t|→|\| ?|: ?)(.*)$/s.exec(line);
    if (match === null) {
      if (index === lines.length - 1 && line === "" && index > 0) break;
      return undefined;
    }
    const number = Number(match[1]);
    if (last !== undefined && number !== last + 1) return undefined;
    last = number;
    bare.push(match[2] ?? "");
  }
  return bare.join("\n");
}

interface Compared {
  readonly place: { readonly startLine: number; readonly endLine: number };
  readonly text: string;
  readonly similarity: number;
  readonly pairs: readonly LinePair[];
}

function bestOf(
  candidates: readonly Candidate[],
  compare: (one: Candidate) => Compared,
): Compared | undefined {
  let best: Compared | undefined;
  for (const candidate of candidates) {
    const compared = compare(candidate);
    if (best === undefined || compared.similarity > best.similarity) best = compared;
  }
  return best;
}

function compare(hay: Haystack, candidate: Candidate, lines: readonly string[]): Compared {
  if (candidate.index !== undefined) return compareWithin(hay, candidate.line, candidate.index, lines);
  const { text, table } = hay;
  const first = candidate.line;
  const last = Math.min(first + lines.length, table.count) - 1;
  const step = Math.max(1, Math.ceil(lines.length / maxLinesCompared));
  const pairs: LinePair[] = [];
  for (let at = 0; at < lines.length; at += step) {
    const line = first + at;
    const actual = line > last ? "" : text.slice(table.start(line), table.contentEnd(line));
    pairs.push({ number: line + 1, actual, given: lines[at] ?? "" });
  }
  return {
    place: { startLine: first + 1, endLine: last + 1 },
    text: text.slice(table.start(first), table.contentEnd(last)),
    similarity: similarityOf(pairs),
    pairs,
  };
}

/** In a line too long to be shown, as much of it as the given text is long. */
function compareWithin({ text }: Haystack, line: number, index: number, lines: readonly string[]): Compared {
  const given = lines.join("\n").slice(0, hugeLine);
  const actual = text.slice(index, index + given.length);
  const pairs = [{ number: line + 1, actual, given }];
  return {
    place: { startLine: line + 1, endLine: line + 1 },
    text: actual,
    similarity: similarityOf(pairs),
    pairs,
  };
}

/** Long lines say more than short ones. */
function similarityOf(pairs: readonly LinePair[]): number {
  let sum = 0;
  let total = 0;
  for (const { actual, given } of pairs) {
    const weight = 1 + Math.min(200, given.trim().length);
    total += weight;
    sum += weight * lineSimilarity(actual, given);
  }
  return total === 0 ? 0 : sum / total;
}

function differentLineEnds(actual: string, given: string): string | undefined {
  const [inFile, inText] = [lineEndingOf(actual), lineEndingOf(given)];
  if (inFile === inText || inFile === "none" || inText === "none") return undefined;
  return `line ends: the file has ${inFile.toUpperCase()} here, the given text ${inText.toUpperCase()}`;
}

function shorten(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`;
}

function round(similarity: number): number {
  return Math.round(similarity * 1000) / 1000;
}

/** More of a line is not compared. */
const maxCompared = 500;

/** How alike two lines are, from 0 to 1; what only looks different counts little. */
function lineSimilarity(left: string, right: string): number {
  if (left === right) return 1;
  const [a, b] = [foldLine(left.slice(0, maxCompared)), foldLine(right.slice(0, maxCompared))];
  return a === b ? 0.97 : 0.95 * sharedPairs(a, b);
}

/** The share of neighboring characters that both have (the coefficient of Dice). */
function sharedPairs(left: string, right: string): number {
  if (left.length < 2 || right.length < 2) return 0;
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < left.length; at += 1) {
    const pair = left.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at + 1 < right.length; at += 1) {
    const pair = right.slice(at, at + 2);
    const left = counts.get(pair) ?? 0;
    if (left > 0) {
      counts.set(pair, left - 1);
      shared += 1;
    }
  }
  return (2 * shared) / (left.length + right.length - 2);
}
