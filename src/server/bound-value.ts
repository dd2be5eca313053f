import { setOwn } from "../contract/set-own.js";

export interface ShownLimits {
  /** Characters of one text. */
  readonly text: number;
  /** Items of one list or object. */
  readonly items: number;
  readonly depth: number;
  /** Characters of all together, roughly. */
  readonly total: number;
}

/** What fits into a live feed. */
const feedLimits: ShownLimits = { text: 8_000, items: 200, depth: 16, total: 32_000 };

export interface BoundValue {
  readonly value: unknown;
  readonly cut: boolean;
  /** Characters, roughly. */
  readonly chars: number;
}

/** A copy of a value that is small enough to show, with a mark wherever something was left out. */
export function boundValue(value: unknown, limits: ShownLimits = feedLimits): BoundValue {
  const walk: Walk = { limits, left: limits.total, cut: false };
  try {
    const copied = copy(value, walk, 0);
    return { value: copied, cut: walk.cut, chars: limits.total - walk.left };
  } catch {
    return { value: "[cannot be shown]", cut: true, chars: 17 }; // a getter that throws
  }
}

interface Walk {
  readonly limits: ShownLimits;
  left: number;
  cut: boolean;
}

function copy(value: unknown, walk: Walk, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return shorten(value, walk);
    case "object":
      return value === null ? null : copyObject(value, walk, depth);
    case "bigint":
      return shorten(String(value), walk);
    case "number":
    case "boolean":
      walk.left -= 8;
      return value;
    default:
      return undefined;
  }
}

function shorten(text: string, walk: Walk): string {
  const maxChars = Math.max(0, Math.min(walk.limits.text, walk.left));
  walk.left -= Math.min(text.length, maxChars) + 2;
  if (text.length <= maxChars) return text;
  walk.cut = true;
  return `${text.slice(0, maxChars)}… [${text.length - maxChars} more characters]`;
}

function copyObject(value: object, walk: Walk, depth: number): unknown {
  if (depth >= walk.limits.depth || walk.left <= 0) {
    walk.cut = true;
    return "… [cut]";
  }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  return Array.isArray(value) ? copyList(value, walk, depth) : copyRecord(value, walk, depth);
}

function copyList(list: readonly unknown[], walk: Walk, depth: number): unknown[] {
  const items: unknown[] = [];
  for (let at = 0; at < list.length; at++) {
    if (at >= walk.limits.items || walk.left <= 0) {
      walk.cut = true;
      items.push(`… [${list.length - at} more items]`);
      break;
    }
    items.push(copy(list[at], walk, depth + 1));
  }
  return items;
}

function copyRecord(record: object, walk: Walk, depth: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const keys = Object.keys(record);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    if (at >= walk.limits.items || walk.left <= 0) {
      walk.cut = true;
      fields["…"] = `[${keys.length - at} more fields]`;
      break;
    }
    const shown = key.length <= 200 ? key : `${key.slice(0, 200)}…`;
    walk.left -= shown.length + 4;
    setOwn(fields, shown, copy((record as Record<string, unknown>)[key], walk, depth + 1));
  }
  return fields;
}
