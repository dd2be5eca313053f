import { ToolDefinitionError } from "../contract/errors.js";
import { nearest } from "./nearest.js";

/** All keys of a type; one that is missing does not compile. */
export type KeysOf<T> = Readonly<Record<keyof T & string, true>>;

/** Refuse an object with a key that nobody would read, and say which one was probably meant. */
export function checkKeys<T extends object>(
  given: T | undefined,
  known: Readonly<Record<keyof T & string, unknown>>,
  owner: string,
): void {
  if (given === undefined) return;
  const key = findUnknownKey(given, known);
  if (key === undefined) return;
  throw new ToolDefinitionError(`Unknown option "${key}" for ${owner}.`, {
    hint: suggestKey(key, Object.keys(known)),
  });
}

/** The first key of an object that is not among the known ones. */
export function findUnknownKey(given: object, known: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(given).find((key) => !Object.hasOwn(known, key));
}

/** What to write instead of an unknown key. @param otherNames Names that other libraries have for the known keys. */
export function suggestKey(
  key: string,
  known: readonly string[],
  otherNames: Readonly<Record<string, string>> = {},
): string {
  const meant = (Object.hasOwn(otherNames, key) ? otherNames[key] : undefined) ?? nearest(key, known);
  return meant === undefined ? `The known ones are ${known.join(", ")}.` : `Did you mean "${meant}"?`;
}
