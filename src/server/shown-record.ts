import type { AuditRecord } from "../contract/ports/audit.js";
import { notFound } from "./http-error.js";
import type { LargePart, RecordPart } from "./trace-api.js";

const textLimit = 64_000;
const listLimit = 1000;
/** Characters of all texts together: beyond it only the beginning of each is sent. */
const totalLimit = 2_000_000;

/** A record with its large texts and lists cut, and where they are. */
export function cutLarge(record: AuditRecord): {
  readonly record: AuditRecord;
  readonly large: readonly LargePart[];
} {
  const large: LargePart[] = [];
  let left = totalLimit;
  const copy = (value: unknown, of: LargePart["of"], pointer: string): unknown => {
    if (typeof value === "string") {
      const shown = Math.min(value.length, left > textLimit ? textLimit : 1000);
      left -= shown;
      if (shown < value.length) large.push({ of, pointer, kind: "text", length: value.length, shown });
      return shown < value.length ? wholeCharacters(value.slice(0, shown)) : value;
    }
    if (typeof value !== "object" || value === null) return value;
    left -= 8;
    if (Array.isArray(value)) {
      const shown = Math.min(value.length, left > 0 ? listLimit : 10);
      if (shown < value.length) large.push({ of, pointer, kind: "list", length: value.length, shown });
      return value.slice(0, shown).map((item, at) => copy(item, of, `${pointer}/${at}`));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, copy(member, of, `${pointer}/${escape(key)}`)]),
    );
  };
  const cut = {
    ...record,
    arguments: copy(record.arguments, "arguments", ""),
    ...(record.result !== undefined && { result: copy(record.result, "result", "") }),
  };
  return { record: cut, large };
}

interface Piece {
  readonly of: LargePart["of"];
  readonly pointer: string;
  readonly from: number;
  readonly count: number;
}

/** A piece of a large text or list of a record. */
export function readPart(record: AuditRecord, { of, pointer, from, count }: Piece): RecordPart {
  const value = lookUp(record[of], pointer);
  if (typeof value === "string") return { from, length: value.length, text: value.slice(from, from + count) };
  if (!Array.isArray(value)) throw notFound("Text or list in the record");
  const items = value.slice(from, from + Math.min(count, listLimit));
  const { record: cut } = cutLarge({ ...record, arguments: {}, result: items });
  return { from, length: value.length, items: cut.result as readonly unknown[] };
}

function lookUp(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

function escape(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
