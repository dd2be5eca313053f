import { messageOf } from "../contract/message-of.js";
/** A result as JSON data, and a word on what had to be changed to make it so. */
export interface PlainResult {
  readonly value: unknown;
  readonly changed?: string;
}

const maxDepth = 200;
/** Values that are looked at: what is shared many times over would expand without end. */
const maxValues = 2_000_000;

interface Budget {
  left: number;
}

/**
 * Make sure that what a tool returned can be sent, recorded and shown. Plain JSON data
 * passes as it is, uncopied; anything else (circles, BigInt, Map, class instances) is
 * converted to its nearest JSON form, so that serializing it later cannot fail.
 */
export function toPlainResult(value: unknown): PlainResult {
  try {
    if (value === undefined || isPlain(value, 0, { left: maxValues })) return { value };
    return {
      value: toJson(value, { open: new Set(), left: maxValues }, 0),
      changed: "The result was not plain JSON data and was converted.",
    };
  } catch (cause) {
    return { value: null, changed: `The result could not be read: ${messageOf(cause)}` };
  }
}

function isPlain(value: unknown, depth: number, budget: Budget): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > maxDepth || budget.left-- <= 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1, budget));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || descriptor.get !== undefined) return false;
    const item: unknown = descriptor.value;
    if (item !== undefined && !isPlain(item, depth + 1, budget)) return false;
  }
  return !("toJSON" in value);
}

/** The objects that enclose the one looked at, and how many more may be looked at. */
interface Walk extends Budget {
  readonly open: Set<object>;
}

function toJson(value: unknown, walk: Walk, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") return undefined;
  if (walk.open.has(value)) return "[Circular]";
  if (depth > maxDepth) return "[Too deep]";
  if (walk.left-- <= 0) return "[Too large]";
  walk.open.add(value);
  const plain = objectToJson(value, walk, depth + 1);
  walk.open.delete(value);
  return plain;
}

function objectToJson(value: object, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => toJson(item, walk, depth) ?? null);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Map) return toJson(Object.fromEntries(value), walk, depth);
  if (value instanceof Set) return toJson([...value], walk, depth);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  const own = (value as { toJSON?: unknown }).toJSON;
  if (typeof own === "function") return toJson(own.call(value), walk, depth);
  const plain: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const json = toJson(item, walk, depth);
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
