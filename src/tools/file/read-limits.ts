import type { ToolContext } from "../../contract/context.js";

/** How much of a file goes into one answer. */
export interface ReadLimits {
  readonly maxLines: number;
  readonly maxChars: number;
}

/** Longer lines are cut in the text for the model; the result has them whole. */
export const maxLineChars = 2000;

const defaults = { maxLines: 2000, maxChars: 80_000 };
/** Characters of an answer that are not lines. */
const notes = 600;

/** The limits of a call: the tool's `custom` settings, within what an answer may hold at all. */
export function readLimits({ settings, maxTextChars = Number.POSITIVE_INFINITY }: ToolContext): ReadLimits {
  const maxChars = positive(settings["maxChars"]) ?? defaults.maxChars;
  return {
    maxLines: positive(settings["maxLines"]) ?? defaults.maxLines,
    maxChars: Math.max(1, Math.min(maxChars, maxTextChars - notes)),
  };
}

/** A setting that is a whole number above 0. */
export function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
