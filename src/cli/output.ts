import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { foldText } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";

type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours for people at a terminal, none when piped or unwanted. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: Terminal["env"]): Colors {
  const wanted =
    env["FORCE_COLOR"] !== undefined ||
    (stream.isTTY === true && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb");
  return picocolors.createColors(wanted);
}

/** One line of JSON on standard output. */
export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Columns that line up; the last one takes what is left of the line. */
export function table(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  const widths = rows.reduce<number[]>(
    (sizes, row) => row.map((cell, at) => Math.max(sizes[at] ?? 0, visible(cell))),
    [],
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, at) =>
        at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - visible(cell)),
      );
      return clip(cells.join("  ").trimEnd(), width);
    })
    .join("\n");
}

function visible(text: string): number {
  return stripVTControlCharacters(text).length;
}

function clip(line: string, width: number): string {
  return visible(line) <= width || stripVTControlCharacters(line) !== line ? line : cutLine(line, width);
}

/** A row is cut to the width of the terminal, and says how many characters that took. */
function cutLine(line: string, width: number): string {
  const room = Math.max(width - ` … +${line.length}`.length, 10);
  const { shown, hiddenCharacters } = foldText(line, { lines: 1, characters: room });
  return `${shown} … +${hiddenCharacters}`;
}
