import type { ToolPreview } from "../contract/tool.js";
import { foldNote, foldText } from "../text/visible-text.js";
import { isRecord } from "../contract/is-record.js";

/** Maximum number of characters of one text in a preview. */
const maxText = 1_000_000;
const maxSummary = 10_000;

/**
 * Make what a tool returned as its preview fit to be shown: texts where texts belong, each within a bound. What does
 * not fit is counted where it is left out; the arguments are shown whole next to it.
 */
export function boundPreview(value: unknown): ToolPreview | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { summary, diff, commands, address, details } = value as Readonly<Record<string, unknown>>;
  return {
    summary: boundText(summary, maxSummary) ?? "The tool does not say what it would do.",
    ...textField("diff", diff, maxText),
    ...(Array.isArray(commands) && { commands: boundLines(commands) }),
    ...textField("address", address, maxSummary),
    ...(isRecord(details) && { details: boundDetails(details) }),
  };
}

function textField(name: "diff" | "address", value: unknown, max: number): Partial<ToolPreview> {
  const text = boundText(value, max);
  return text === undefined ? {} : { [name]: text };
}

function boundText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return undefined;
  if (value.length <= max) return value;
  const folded = foldText(value, { lines: Number.POSITIVE_INFINITY, characters: max });
  return `${folded.shown}\n${foldNote(folded)}, too much to be shown`;
}

function boundLines(lines: readonly unknown[]): readonly string[] {
  const kept: string[] = [];
  let room = maxText;
  for (const line of lines) {
    const text = boundText(line, maxSummary) ?? "";
    room -= text.length + 1;
    if (room < 0) return [...kept, `… ${lines.length - kept.length} more commands, too many to be shown`];
    kept.push(text);
  }
  return kept;
}

function boundDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  let room = maxText;
  for (const [name, member] of Object.entries(details)) {
    const size = (JSON.stringify(member) ?? "").length;
    room -= size + name.length;
    const label = boundText(name, 200) ?? "";
    kept[label] = room < 0 ? `${size.toLocaleString("en-US")} characters, too much to be shown` : member;
    if (room < -maxText) break;
  }
  return kept;
}
