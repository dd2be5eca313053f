import { linesIn } from "./lines/line-page.js";
import { maxLineChars } from "./read-limits.js";

/** A text with a number before each line; lines that are too long are shortened with a note. */
export function numberLines(
  content: string,
  { startLine, count }: { startLine: number; count: number },
): string {
  const lines = linesIn(content, content.includes("\n") || count <= 1 ? "\n" : "\r");
  // A final line end does not start another line, and a single empty line has no characters.
  while (lines.length < count) lines.push("");
  const width = String(startLine + lines.length - 1).length;
  // Joined at once: adding line to line would copy all of it once more.
  const pieces: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const number = startLine + at;
    const start = at === 0 ? "" : "\n";
    pieces.push(`${start}${String(number).padStart(width)}\t`, shownLine(lines[at]!, number));
  }
  return pieces.join("");
}

/** Whether a line is shown in full. */
function isShownWhole(line: string): boolean {
  return line.length <= maxLineChars;
}

function shownLine(line: string, number: number): string {
  if (isShownWhole(line)) return line;
  const rest = line.length - maxLineChars;
  const where = `start_line ${number}, start_char ${maxLineChars + 1}`;
  return `${line.slice(0, maxLineChars).toWellFormed()}[… ${rest} more characters of this line: ${where}]`;
}
