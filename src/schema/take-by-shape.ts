import type { PlainShape } from "../contract/lazy-schema.js";

/** The copy of a value that a schema of this shape would make; `undefined` if only the schema can tell, or would refuse it. */
export function takeByShape(value: unknown, shape: PlainShape): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const copy: Record<string, unknown> = {};
  let taken = 0;
  for (const [key, kind] of Object.entries(shape)) {
    if (!Object.hasOwn(value, key)) {
      if (kind.endsWith("?")) continue;
      return undefined;
    }
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (!fits(item, kind)) return undefined;
    copy[key] = item;
    taken++;
  }
  return Object.keys(value).length === taken ? copy : undefined;
}

function fits(item: unknown, kind: string): boolean {
  return kind.startsWith(typeof item) && (typeof item !== "number" || Number.isFinite(item));
}
