import picocolors from "picocolors";
import { stripVTControlCharacters } from "node:util";
import { foldNote, foldText, toVisibleText } from "../text/visible-text.js";
import type { CommonFlags, Terminal } from "./command-line.js";
import { columnsOf } from "./wrap.js";

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

/** Aligned columns; the last one takes the rest of the line. */
export function table(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const widths = rows.reduce<number[]>(
    (sizes, row) => row.map((cell, at) => Math.max(sizes[at] ?? 0, columnsOf(cell))),
    [],
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, at) =>
        at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - columnsOf(cell)),
      );
      return fitLine(cells.join("  ").trimEnd(), width);
    })
    .join("\n");
}

function fitLine(line: string, width: number): string {
  return columnsOf(line) <= width || stripVTControlCharacters(line) !== line ? line : cutLine(line, width);
}

/** Cut a row to the width of the terminal; it says how many characters are missing. */
function cutLine(line: string, width: number): string {
  const room = Math.max(width - ` … +${line.length}`.length, 10);
  const { shown, hiddenCharacters } = foldText(line, { lines: 1, characters: room });
  return `${shown} … +${hiddenCharacters}`;
}

/** Say on standard error how to list the rest; nothing is said with --json. */
export function noteMore(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: CommonFlags },
  option: string,
): void {
  if (flags.json !== true) terminal.stderr.write(`There may be more: repeat it with ${option}\n`);
}
