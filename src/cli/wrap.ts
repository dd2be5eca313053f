import { stripVTControlCharacters } from "node:util";

/** The width of a text in columns: East Asian characters take two, combining marks none. */
export function columnsOf(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (narrow.test(bare)) return bare.length;
  let columns = 0;
  for (const character of bare) columns += marks.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}

// oxlint-disable-next-line no-control-regex -- the plain characters of ASCII
const narrow = /^[\x20-\x7e]*$/;
const marks = /^(?:\p{M}|[\u200b-\u200f])$/u;
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** A text cut to `width` columns; "…" stands for what is missing. */
export function cutColumns(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let shown = "";
  let columns = 1;
  for (const character of text) {
    columns += columnsOf(character);
    if (columns > width) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

/** Break a text into lines of at most `width` columns, at spaces where possible. Words that are copied whole can be kept whole. */
export function wrap(text: string, width: number, { breakWords = true } = {}): string[] {
  const max = Math.max(width, 8);
  return text.split("\n").flatMap((line) => wrapLine(line.trimEnd(), max, breakWords));
}

function wrapLine(line: string, width: number, breakWords: boolean): string[] {
  if (columnsOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = "";
  const words = line.split(/(?<=\s)/);
  for (const word of breakWords ? words.flatMap((part) => splitWord(part, width)) : words) {
    if (current !== "" && columnsOf((current + word).trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += word;
  }
  return current.trim() === "" ? lines : [...lines, current.trimEnd()];
}

/** Split a word that is longer than a line. */
function splitWord(word: string, width: number): string[] {
  if (columnsOf(word.trimEnd()) <= width) return [word];
  const parts: string[] = [];
  let current = "";
  for (const character of word) {
    if (columnsOf(current + character) > width) {
      parts.push(current);
      current = "";
    }
    current += character;
  }
  return [...parts, current];
}
