import { splitAt } from "./lines/line-page.js";
import { maxLineChars } from "./read-limits.js";

/** A text with a number before each line; lines that are too long are shortened with a note. */
export function numberLines(
  content: string,
  { startLine, count }: { startLine: number; count: number },
): string {
  const lines = splitAt(content, content.includes("\n") || count <= 1 ? "\n" : "\r");
  // A final line end does not start another line, and a single empty line has no characters.
  while (lines.length < count) lines.push({ text: "", end: "" });
  const width = String(startLine + lines.length - 1).length;
  let numbered = "";
  for (const [at, { text }] of lines.entries()) {
    const number = startLine + at;
    numbered += `${at === 0 ? "" : "\n"}${String(number).padStart(width)}\t${shownLine(text, number)}`;
  }
  return numbered;
}

/** Whether a line is shown in full. */
export function isShownWhole(line: string): boolean {
  return line.length <= maxLineChars;
}

function shownLine(line: string, number: number): string {
  if (isShownWhole(line)) return line;
  const rest = line.length - maxLineChars;
  const where = `start_line ${number}, start_char ${maxLineChars + 1}`;
  return `${line.slice(0, maxLineChars).toWellFormed()}[… ${rest} more characters of this line: ${where}]`;
}
