/** A result as JSON data, and a word on what had to be changed to make it so. */
export interface PlainResult {
  readonly value: unknown;
  readonly changed?: string;
}

const maxDepth = 200;

/**
 * Make sure that what a tool returned can be sent, recorded and shown. Plain JSON data
 * passes as it is, uncopied; anything else (circles, BigInt, Map, class instances) is
 * turned into its nearest JSON form instead of breaking whoever serialises it later.
 */
export function toPlainResult(value: unknown): PlainResult {
  try {
    if (value === undefined || isPlain(value, 0)) return { value };
    return {
      value: toJson(value, new Set(), 0),
      changed: "The result was no plain JSON data and was converted.",
    };
  } catch (cause) {
    return { value: null, changed: `The result could not be read: ${reasonOf(cause)}` };
  }
}

/** What a hostile result throws may be hostile itself. */
function reasonOf(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return "it throws when it is looked at";
  }
}

function isPlain(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || descriptor.get !== undefined) return false;
    const item: unknown = descriptor.value;
    if (item !== undefined && !isPlain(item, depth + 1)) return false;
  }
  return !("toJSON" in value);
}

function toJson(value: unknown, open: Set<object>, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") return undefined;
  if (open.has(value)) return "[Circular]";
  if (depth > maxDepth) return "[Too deep]";
  open.add(value);
  const plain = objectToJson(value, open, depth + 1);
  open.delete(value);
  return plain;
}

function objectToJson(value: object, open: Set<object>, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => toJson(item, open, depth) ?? null);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Map) return toJson(Object.fromEntries(value), open, depth);
  if (value instanceof Set) return toJson([...value], open, depth);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  const own = (value as { toJSON?: unknown }).toJSON;
  if (typeof own === "function") return toJson(own.call(value), open, depth);
  const plain: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const json = toJson(item, open, depth);
    if (json !== undefined)
      Object.defineProperty(plain, key, {
        value: json,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return plain;
}
