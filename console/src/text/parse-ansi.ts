/** A run of text with the looks that a terminal would give it. */
export interface AnsiRun {
  readonly text: string;
  /** One of the eight colors, or none. */
  readonly color?: number | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
}

type Looks = Omit<AnsiRun, "text">;

/** What a command printed, with its colors, and how much that steers a terminal was taken out. */
export interface TerminalText {
  readonly runs: readonly AnsiRun[];
  /** Sequences that were neither text nor color. */
  readonly removed: number;
}

// Color codes are kept; what else steers a terminal (cursor moves, titles, links, charsets) is taken out and counted.
// Only what stands in one line and is short counts as a title or link: anything longer stays in sight.
const sequence =
  // oxlint-disable-next-line no-control-regex -- escape sequences consist of control characters
  /\u001b\[([0-9;:]*)m|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c\n]{0,256}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Split what a command printed into runs. Only for such output: everything else is shown as it is. */
export function parseAnsi(text: string): TerminalText {
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const runs: AnsiRun[] = [];
  let looks: Looks = {};
  let end = 0;
  let removed = 0;
  for (const match of plain.matchAll(sequence)) {
    if (match.index > end) runs.push({ text: plain.slice(end, match.index), ...looks });
    if (match[1] === undefined) removed += 1;
    else looks = changeLooks(looks, match[1]);
    end = match.index + match[0].length;
  }
  if (end < plain.length) runs.push({ text: plain.slice(end), ...looks });
  return { runs, removed };
}

function changeLooks(before: Looks, codes: string): Looks {
  let looks = before;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      // A color of a larger table: five more values with RGB, two with an index; shown without color.
      at += numbers[at + 1] === 2 ? 4 : 2;
      continue;
    }
    looks = applyCode(looks, code);
  }
  return looks;
}

function applyCode(looks: Looks, code: number): Looks {
  if (code === 0) return {};
  if (code === 1) return { ...looks, bold: true };
  if (code === 2) return { ...looks, dim: true };
  if (code === 22) return { ...looks, bold: false, dim: false };
  if (code >= 30 && code <= 37) return { ...looks, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...looks, color: code - 90 };
  if (code === 39) return { ...looks, color: undefined };
  return looks;
}
