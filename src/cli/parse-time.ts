import { UsageError } from "./command-line.js";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** A time in the future: in how long ("30d", "12h"), a date, or `undefined` for "never". */
export function parseExpiry(text: string, now: number, flag: string): number | undefined {
  if (text.trim() === "never") return undefined;
  const time = parseTime(text, 0, flag);
  // A duration is counted back from zero; a date is after it.
  return time <= 0 ? now - time : time;
}

/** A point in time: how long ago ("90s", "2h", "3 d"), or a date ("2026-11-16", "2026-11-16T07:00Z"). */
export function parseTime(text: string, now: number, flag: string): number {
  const span = /^\s*(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)\s*$/i.exec(text);
  if (span !== null) return now - Number(span[1]) * (units[(span[2] ?? "").toLowerCase()] ?? 0);
  const date = /^\s*\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isFinite(date)) return date;
  throw new UsageError(
    `Invalid ${flag} "${text}" (expected a duration such as "2h" or "3d", or a date such as "2026-11-16T07:00Z").`,
  );
}
