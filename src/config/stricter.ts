/** Note that a key was not taken. */
export type Refuse = (path: string) => void;

interface NumberLimits {
  readonly refuse: Refuse;
  readonly path: string;
  /** The strictest value there is: it can be taken even where the present one is not known. */
  readonly floor?: number;
}

/** The wanted number if it is below the present one; an equal one changes nothing. */
export function pickSmaller(
  wanted: number | undefined,
  present: number | undefined,
  { refuse, path, floor }: NumberLimits,
): number | undefined {
  if (wanted === undefined || wanted === present) return undefined;
  if (present === undefined ? wanted === floor : wanted < present) return wanted;
  refuse(path);
  return undefined;
}

interface OrderLimits<T> {
  readonly refuse: Refuse;
  readonly path: string;
  /** From the strictest to the loosest. */
  readonly order: readonly T[];
}

/** The wanted word if it stands before the present one; where that is not known, only the very first. */
export function pickLower<T>(
  wanted: T | undefined,
  present: T | undefined,
  { refuse, path, order }: OrderLimits<T>,
): T | undefined {
  if (wanted === undefined || wanted === present) return undefined;
  const bound = present === undefined ? 1 : order.indexOf(present);
  if (order.indexOf(wanted) < bound) return wanted;
  refuse(path);
  return undefined;
}

/** Whether there is nothing in it that could have an effect. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
