/** Levels of a message: what is nested deeper breaks everything that walks or writes it. */
export const maxNesting = 512;

/** Whether a parsed value is nested deeper than a message may be. */
export function isTooDeep(value: unknown, levels = maxNesting): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

/** Whether a text is long enough to hold such a value: each level takes two characters at least. */
export function mayBeTooDeep(text: string): boolean {
  return text.length > 2 * maxNesting;
}
