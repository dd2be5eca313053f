import { UsageError } from "./command-line.js";

/** The number that a flag gives, at least 1; `undefined` where the flag is not there. */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new UsageError(`${flag} needs a whole number from 1 up, got "${text}".`);
}
