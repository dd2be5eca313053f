import type { FileHandle } from "node:fs/promises";
import type { OutputMatch } from "../../contract/ports/outputs.js";
import { cleanText } from "../processes/clean-text.js";
import { countNewlines, readChunks } from "./line-scan.js";

export interface SearchOptions {
  readonly text: string;
  readonly limit: number;
  readonly ignoreCase: boolean;
  /** Whether the time is over. */
  readonly expired: () => boolean;
}

/** Lines longer than this are looked through in pieces, each counted as of the same line. */
const maxBlockBytes = 1024 * 1024;
const shownChars = 500;

/** Find the lines that hold a text, block by block, so that neither memory nor a turn of the loop grows with the file. */
export async function searchOutput(
  file: FileHandle,
  options: SearchOptions,
): Promise<{ matches: OutputMatch[]; truncated: boolean }> {
  const matches: OutputMatch[] = [];
  const holds = createTest(options);
  let line = 1;
  for await (const block of readBlocks(file)) {
    if (options.expired()) return { matches, truncated: true };
    if (holds.maybe(block)) {
      for (const match of matchesIn(block, line, holds)) {
        if (matches.length === options.limit) return { matches, truncated: true };
        if (matches.at(-1)?.line !== match.line) matches.push(match);
      }
    }
    line += countNewlines(block);
  }
  return { matches, truncated: false };
}

interface Test {
  /** A quick look at a whole block. */
  maybe(block: Buffer): boolean;
  /** Where it stands in a line, or -1. */
  find(line: string): number;
}

function createTest({ text, ignoreCase }: SearchOptions): Test {
  if (!ignoreCase) {
    const needle = Buffer.from(text);
    return { maybe: (block) => block.includes(needle), find: (line) => line.indexOf(text) };
  }
  const folded = text.toLowerCase();
  return {
    maybe: (block) => block.toString("utf8").toLowerCase().includes(folded),
    find: (line) => line.toLowerCase().indexOf(folded),
  };
}

function* matchesIn(block: Buffer, first: number, test: Test): Generator<OutputMatch, void, void> {
  let line = first;
  for (const text of block.toString("utf8").split("\n")) {
    const at = test.find(text);
    if (at !== -1) yield { line, text: cleanText(excerpt(text, at)) };
    line += 1;
  }
}

/** A long line is shown around the place. */
function excerpt(line: string, at: number): string {
  if (line.length <= shownChars) return line;
  const start = Math.max(0, Math.min(at - shownChars / 4, line.length - shownChars));
  const end = start + shownChars;
  const shown = line.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${shown}${end < line.length ? "…" : ""}`;
}

/** Pieces that end with a line; only a very long line is cut, with an overlap that no needle falls into. */
async function* readBlocks(file: FileHandle): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readChunks(file, 0)) {
    const whole = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const end = whole.lastIndexOf(10) + 1;
    if (end > 0) yield whole.subarray(0, end);
    rest = whole.subarray(end);
    if (rest.length < maxBlockBytes) continue;
    yield rest;
    rest = rest.subarray(rest.length - overlapBytes);
  }
  if (rest.length > 0) yield rest;
}

const overlapBytes = 64 * 1024;
