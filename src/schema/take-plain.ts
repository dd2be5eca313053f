import type { Checked } from "./checked.js";
import { describeAlien, describeInstance, describeThrown } from "./describe-alien.js";
import { formatPath, type Segment } from "./format-path.js";

/** How much data one value may hold. */
export interface PlainLimits {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  /** Values in all, containers included. */
  readonly values: number;
  /** Characters of all strings and keys together. */
  readonly chars: number;
}

/** The limits for arguments: far above honest use, far below harm. */
export const defaultPlainLimits: PlainLimits = Object.freeze({
  depth: 64,
  values: 100_000,
  chars: 10 * 1024 * 1024,
});

/** For a second copy of what was within its limits before: only what would break the walk itself. */
export const copyLimits: PlainLimits = Object.freeze({ depth: 1000, values: Infinity, chars: Infinity });

/**
 * Copy a value of unknown origin into plain JSON data, or say why it is none.
 * Each property is read once, so a getter or proxy that answers differently the next time
 * changes nothing, and no trap that throws gets further than here.
 */
export function takePlain(value: unknown, limits: PlainLimits = defaultPlainLimits): Checked {
  const walk: Walk = {
    limits,
    values: limits.values,
    chars: limits.chars,
    message: "",
    path: undefined,
    above: undefined,
  };
  let copy: unknown;
  try {
    copy = copyAny(value, walk, 0);
  } catch (error) {
    copy = fail(walk, `cannot be read: ${describeThrown(error)}`);
  }
  if (copy !== faulty) return { ok: true, value: copy };
  return { ok: false, issues: [toIssue(walk)] };
}

/** The state of one pass; the path is only gathered on the way back from a fault. */
interface Walk {
  readonly limits: PlainLimits;
  /** How many more values and characters may come. */
  values: number;
  chars: number;
  message: string;
  path: Segment[] | undefined;
  /** The containers above the fault, gathered where the depth ran out, to tell a cycle from depth. */
  above: Set<object> | undefined;
}

const faulty = Symbol("faulty");

function copyAny(value: unknown, walk: Walk, depth: number): unknown {
  if (--walk.values < 0) return fail(walk, `contains more than ${walk.limits.values} values`);
  switch (typeof value) {
    case "string":
      return fitsText(value, walk) ? value : faulty;
    case "number":
      // Adding 0 turns -0 into 0 and leaves every other number alone.
      return Number.isFinite(value) ? value + 0 : fail(walk, `is ${value}, which is not a finite number`);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : copyContainer(value, walk, depth + 1);
    default:
      return fail(walk, `is ${describeAlien(value)}, which is not a JSON value`);
  }
}

function copyContainer(value: object, walk: Walk, depth: number): unknown {
  if (depth > walk.limits.depth) {
    walk.above = new Set([value]);
    return fail(walk, `is nested deeper than ${walk.limits.depth} levels`);
  }
  if (Array.isArray(value)) return copyArray(value, walk, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !isForeignRoot(prototype)) {
    return fail(walk, describeInstance(value, prototype as object));
  }
  return copyObject(value as Record<string, unknown>, walk, depth);
}

function copyObject(value: Record<string, unknown>, walk: Walk, depth: number): unknown {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return failAt(walk, key, "is a forbidden key");
    if (!fitsText(key, walk)) return failAt(walk, key);
    let taken: unknown;
    try {
      const member = value[key];
      if (member === undefined) continue;
      taken = copyAny(member, walk, depth);
    } catch (error) {
      taken = fail(walk, `cannot be read: ${describeThrown(error)}`);
    }
    if (taken === faulty) return climb(walk, key, value);
    if (key === "constructor" && reachesPrototype(taken)) {
      return failAt(walk, key, 'with "prototype" inside is a forbidden key');
    }
    copy[key] = taken;
  }
  return copy;
}

function copyArray(value: readonly unknown[], walk: Walk, depth: number): unknown {
  const { length } = value;
  // Also holds off a proxy that claims four billion elements.
  if (length > walk.values) return fail(walk, `contains more than ${walk.limits.values} values`);
  const copy: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const element = value[index];
    if (element === undefined) return failAt(walk, index, "is missing: arrays must not have holes");
    const taken = copyAny(element, walk, depth);
    if (taken === faulty) return climb(walk, index, value);
    copy.push(taken);
  }
  return copy;
}

/** The type library ends before `isWellFormed`; every supported Node has it. */
interface WellFormed {
  isWellFormed(): boolean;
}

function fitsText(text: string, walk: Walk): boolean {
  walk.chars -= text.length;
  if (walk.chars < 0) {
    fail(walk, `contains more than ${walk.limits.chars} characters`);
    return false;
  }
  if ((text as unknown as WellFormed).isWellFormed()) return true;
  fail(walk, "is not valid Unicode: it contains half of a surrogate pair");
  return false;
}

/** `Object.prototype` of another realm, such as a vm context: the end of a chain, yet not ours. */
function isForeignRoot(prototype: unknown): boolean {
  return (
    Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "propertyIsEnumerable")
  );
}

function reachesPrototype(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
}

function fail(walk: Walk, message: string): typeof faulty {
  walk.message = message;
  walk.path = [];
  return faulty;
}

function failAt(walk: Walk, key: Segment, message = walk.message): typeof faulty {
  fail(walk, message);
  walk.path?.push(key);
  return faulty;
}

/** Note one step of the way back from a fault to the top. */
function climb(walk: Walk, key: Segment, container: object): typeof faulty {
  walk.path?.push(key);
  if (walk.above?.has(container)) {
    walk.message = "refers back to itself";
    walk.above = undefined;
  }
  walk.above?.add(container);
  return faulty;
}

function toIssue({ path: reversed = [], message }: Walk) {
  const segments = reversed.toReversed();
  // A cycle's path repeats itself; a few steps show it as well as sixty.
  const path = formatPath(message === "refers back to itself" ? segments.slice(0, 8) : segments);
  return { path, message: `${path === "" ? "The value" : `"${path}"`} ${message}` };
}
