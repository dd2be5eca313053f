import type { ZodNumber } from "zod";
import type { TightenContext } from "./setting.js";

/** Only a smaller number; if the present one is not known, only the smallest that the type allows. */
export function smaller(wanted: number, { present, type, refuse }: TightenContext): number | undefined {
  if (wanted === present) return undefined;
  if (present === undefined ? wanted === (type as ZodNumber).minValue : wanted < Number(present))
    return wanted;
  refuse();
  return undefined;
}

/**
 * Only a value that stands before the present one in `order`, which goes from the strictest to the loosest. If the
 * present one is not known and `unset` does not say what it amounts to, only the strictest.
 */
export function stricterIn<T>(order: readonly T[], unset?: T) {
  return (wanted: T, { present = unset, refuse }: TightenContext): T | undefined => {
    if (wanted === present) return undefined;
    const bound = present === undefined ? 1 : order.indexOf(present as T);
    if (order.indexOf(wanted) < bound) return wanted;
    refuse();
    return undefined;
  };
}

/** A list that restricts: any entry may be added. */
export function added<T>(wanted: readonly T[]): readonly T[] | undefined {
  return wanted.length === 0 ? undefined : wanted;
}

/** A list that permits: entries may be left out, even all of them. */
export function fewer<T>(
  wanted: readonly T[],
  { present, refuse }: TightenContext,
): readonly T[] | undefined {
  if (present === undefined) return wanted;
  const permitted = present as readonly T[];
  if (!wanted.every((entry) => permitted.includes(entry))) refuse();
  const both = permitted.filter((entry) => wanted.includes(entry));
  return both.length === permitted.length ? undefined : both;
}
