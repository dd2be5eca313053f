import type { ToolContext } from "../../contract/context.js";
import { isShownWhole } from "./number-lines.js";

/** Lines that were shown to the model, and where they come from. */
export interface Shown {
  readonly path: string;
  readonly identity: string;
  readonly startLine: number;
  readonly lines: readonly string[];
  /** Lines of the whole file. */
  readonly totalLines: number | undefined;
  /** The last line is not whole. */
  readonly partial: boolean;
}

/** Remember what the model saw of a file: exactly the lines that it got whole. */
export function noteSeen({ seen }: Pick<ToolContext, "seen">, shown: Shown): void {
  const { path, identity, startLine, totalLines } = shown;
  const lines = shown.partial ? shown.lines.slice(0, -1) : shown.lines;
  const whole = lines.every(isShownWhole);
  if (whole && startLine === 1 && lines.length === totalLines) {
    seen.note(path, { identity, start: 1, lines, complete: true });
    return;
  }
  let start = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && isShownWhole(lines[at] ?? "")) continue;
    if (at > start) {
      const run = lines.slice(start, at);
      seen.note(path, { identity, start: startLine + start, lines: run, complete: false });
    }
    start = at + 1;
  }
}
