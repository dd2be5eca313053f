import picocolors from "picocolors";
import { stripVTControlCharacters } from "node:util";
import { foldNote, foldText, toVisibleText } from "../text/visible-text.js";
import type { CommonFlags, Terminal } from "./command-line.js";
import { columnsOf, cutColumns, wrap } from "./wrap.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colors at a terminal; none when piped or disabled. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: Terminal["env"]): Colors {
  const enabled =
    env["FORCE_COLOR"] !== undefined ||
    (stream.isTTY === true && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb");
  return picocolors.createColors(enabled);
}

/** Write one line of JSON to standard output. */
export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Write a result to standard output: JSON with `--json`, else a text for people. */
export function writeResult(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: CommonFlags },
  data: unknown,
  text: () => string,
): void {
  if (flags.json === true) writeJson(terminal, data);
  else terminal.stdout.write(`${text()}\n`);
}

/** Write a list to standard output: JSON with `--json`, else a table as wide as the terminal, or what to say of none. */
export function writeRows(
  open: { readonly terminal: Terminal; readonly flags: CommonFlags },
  data: unknown,
  { rows, none, cut }: { readonly rows: readonly string[][]; readonly none: string; readonly cut?: boolean },
): void {
  const options = { width: open.terminal.stdout.columns, ...(cut && { cut }) };
  writeResult(open, data, () => (rows.length === 0 ? none : table(rows, options)));
}

/** Write a warning to standard error. */
export function warn(terminal: Terminal, message: string): void {
  terminal.stderr.write(`tenon: ${toVisibleText(message)}\n`);
}

/** A unified diff in its visible form, added and removed lines in color. */
export function paintDiff(diff: string, colors: Colors): string {
  const lines = diff.split("\n").map((line) => {
    const text = toVisibleText(line);
    if (line.startsWith("+")) return colors.green(text);
    return line.startsWith("-") ? colors.red(text) : text;
  });
  return lines.join("\n");
}

/** The diff below "Changes:" in a request for consent, in color; its lines stand behind bars, which nothing can imitate. */
export function paintChanges(text: string, colors: Colors): string {
  let isInDiff = false;
  const lines = text.split("\n").map((line) => {
    isInDiff = line === "Changes:" || (isInDiff && line.startsWith("│ "));
    if (isInDiff && line.startsWith("│ +")) return colors.green(line);
    return isInDiff && line.startsWith("│ -") ? colors.red(line) : line;
  });
  return lines.join("\n");
}

/** The start of a text in one line, with a note about what was left out. */
export function shortenLine(text: string, characters: number): string {
  const folded = foldText(text, { lines: 1, characters });
  return [folded.shown.trimEnd(), foldNote(folded)].join(" ").trimEnd();
}

/**
 * Aligned columns. What does not fit into the last one is cut, if `cut` is set, or continues below it; where a terminal
 * is too narrow for columns, the rest of a row follows on lines of its own.
 */
export function table(
  rows: readonly (readonly string[])[],
  {
    width = Number.POSITIVE_INFINITY,
    cut = false,
  }: { readonly width?: number | undefined; readonly cut?: boolean } = {},
): string {
  const widths = rows.reduce<number[]>(
    (sizes, row) => row.map((cell, at) => Math.max(sizes[at] ?? 0, columnsOf(cell))),
    [],
  );
  const left = widths.slice(0, -1).reduce((sum, size) => sum + size + 2, 0);
  const isNarrow = width - left < Math.min(minLastColumn, widths.at(-1) ?? 0);
  const indent = " ".repeat(isNarrow ? 2 : left);
  const fit = (cell: string, room: number): string[] =>
    cut && stripVTControlCharacters(cell) === cell
      ? [cutLine(cell, room)]
      : wrap(cell, room, { breakWords: false });
  return rows
    .flatMap((row) => {
      const cells = isNarrow
        ? row.filter((cell) => columnsOf(cell) > 0)
        : row.map((cell, at) =>
            at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - columnsOf(cell)),
          );
      const last = fit(cells.at(-1) ?? "", width - indent.length);
      const start = cells.slice(0, -1).join("  ");
      if (!isNarrow)
        return last.map((line, at) =>
          `${at === 0 ? start + (start === "" ? "" : "  ") : indent}${line}`.trimEnd(),
        );
      return [...wrap(start, width - 2, { breakWords: false }), ...last].map((line, at) =>
        at === 0 ? line : indent + line,
      );
    })
    .join("\n");
}

/** Less than this is no column to read. */
const minLastColumn = 16;

/** Cut a text to some columns; it says how many characters are missing. */
function cutLine(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  const room = Math.max(width - ` … +${text.length}`.length, 10);
  const shown = cutColumns(text, room + 1).slice(0, -1);
  return `${shown} … +${text.length - shown.length}`;
}

/** Say on standard error how to list the rest; nothing is said with --json. */
export function noteMore(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: CommonFlags },
  option: string,
): void {
  if (flags.json !== true) terminal.stderr.write(`There may be more: repeat it with ${option}\n`);
}
