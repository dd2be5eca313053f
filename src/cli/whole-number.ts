import { UsageError } from "./command-line.js";

/** The number of a flag, from 1 to `max`; `undefined` if the flag was not passed. */
export function wholeNumber<T extends string | undefined>(
  flag: string,
  text: T,
  max = Number.MAX_SAFE_INTEGER,
): T extends string ? number : number | undefined {
  const value = Number(text);
  if (text === undefined || (/^\d+$/.test(text) && value >= 1 && value <= max))
    return (text === undefined ? undefined : value) as T extends string ? number : number | undefined;
  const range = max === Number.MAX_SAFE_INTEGER ? "of 1 or more" : `from 1 to ${max}`;
  throw new UsageError(`Invalid ${flag} "${text}" (expected a whole number ${range}).`);
}

/** The value of a flag that takes one of a few names. */
export function oneOf<Name extends string>(flag: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`Invalid ${flag} "${text}" (expected ${names.join(", ")}).`);
}
