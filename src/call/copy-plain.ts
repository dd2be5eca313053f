/** A copy of plain data, and about how much memory it takes. */
export interface PlainCopy {
  readonly value: unknown;
  readonly bytes: number;
}

const maxDepth = 200;

/** Copy plain data; strings are shared, since they cannot change. `undefined` for anything else. */
export function copyPlain(value: unknown): PlainCopy | undefined {
  const walk = { bytes: 0, plain: true };
  const copy = copyValue(value, walk, 0);
  return walk.plain ? { value: copy, bytes: walk.bytes } : undefined;
}

interface Walk {
  bytes: number;
  plain: boolean;
}

function copyValue(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") {
    walk.bytes += 16 + value.length * 2;
    return value;
  }
  walk.bytes += 8;
  if (value === null || typeof value !== "object") {
    if (typeof value === "function" || typeof value === "symbol") walk.plain = false;
    return value;
  }
  if (depth > maxDepth || !walk.plain) {
    walk.plain = false;
    return undefined;
  }
  walk.bytes += 48;
  if (Array.isArray(value)) return value.map((item) => copyValue(item, walk, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) walk.plain = false;
  const copy = (prototype === null ? Object.create(null) : {}) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    walk.bytes += key.length;
    if (key === "__proto__") walk.plain = false;
    else copy[key] = copyValue(item, walk, depth + 1);
  }
  return copy;
}
