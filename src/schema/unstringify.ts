import { valueAt, type Fault } from "./fault.js";
import type { Segment } from "./format-path.js";
import { admits } from "./json-value.js";
import { parseJson } from "./parse-json.js";
import { copyLimits, defaultPlainLimits, takePlain } from "./take-plain.js";

/**
 * Models sometimes send an object or array as a string of JSON. Where the schema asked for one of
 * those and nothing else, and the string parses to just that, take what it holds. Returns the repaired
 * copy, or `undefined` if there is nothing to repair. It works from the faults of a failed check,
 * so a right call never pays for it.
 */
export function unstringify(
  root: unknown,
  faults: readonly Fault[],
): { readonly value: unknown } | undefined {
  const repairs = faults.flatMap((fault) => repairOf(root, fault) ?? []);
  if (repairs.length === 0) return undefined;
  const whole = repairs.find((repair) => repair.path.length === 0);
  if (whole !== undefined) return within(whole.value);
  const copy = takePlain(root, copyLimits);
  if (!copy.ok) return undefined;
  for (const { path, value } of repairs) {
    const parent = valueAt(copy.value, path.slice(0, -1)) as Record<Segment, unknown>;
    parent[path.at(-1) ?? ""] = value;
  }
  return within(copy.value);
}

interface Repair {
  readonly path: readonly Segment[];
  readonly value: unknown;
}

function repairOf(root: unknown, fault: Fault): Repair | undefined {
  if (fault.kind !== "type" || fault.expected === undefined) return undefined;
  // A place that also takes other types is only unambiguous if no string could have been meant.
  const kinds = fault.expected.filter((type) => type === "object" || type === "array");
  if (kinds.length === 0 || fault.expected.includes("string")) return undefined;
  const text = valueAt(root, fault.path);
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok || !kinds.some((kind) => admits(kind, parsed.value))) return undefined;
  return { path: fault.path, value: parsed.value };
}

/** What was hidden in strings counts against the same limits as if it had come in the open. */
function within(value: unknown): { readonly value: unknown } | undefined {
  const taken = takePlain(value, defaultPlainLimits);
  return taken.ok ? { value: taken.value } : undefined;
}
