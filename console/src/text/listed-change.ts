/** One path that a command changed, as results and layers tell it. */
export interface ListedChange {
  readonly path: string;
  readonly kind: "added" | "changed" | "removed" | "mode";
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  readonly files?: number | undefined;
  /** Why it is not committed by itself. */
  readonly reason?: string | undefined;
}

/** Whether a value is one, of any origin. */
export function isListed(change: unknown): change is ListedChange {
  const { path, kind } = Object(change) as Readonly<Record<string, unknown>>;
  return typeof path === "string" && /^(?:added|changed|removed|mode)$/.test(String(kind));
}
