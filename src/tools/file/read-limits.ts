import type { ToolContext } from "../../contract/context.js";

/** How much of a file fits into one result. */
export interface ReadLimits {
  readonly maxLines: number;
  readonly maxChars: number;
}

/** Longer lines are shortened in the text for the model; the result has them in full. */
export const maxLineChars = 2000;

const defaults = { maxLines: 2000, maxChars: 80_000 };
/** Reserved for notes around the lines. */
const noteChars = 600;

/** The limits of a call: the tool's `custom` settings, within the limits of a result. */
export function readLimits({ settings, maxTextChars = Number.POSITIVE_INFINITY }: ToolContext): ReadLimits {
  const maxChars = positiveInteger(settings["maxChars"]) ?? defaults.maxChars;
  return {
    maxLines: positiveInteger(settings["maxLines"]) ?? defaults.maxLines,
    maxChars: Math.max(1, Math.min(maxChars, maxTextChars - noteChars)),
  };
}

/** A setting if it is a positive integer. */
export function positiveInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
