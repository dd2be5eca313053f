import { valueSize } from "../../contract/value-size.js";

/** A result within a size, and whether that took something away. */
export interface FittedResult {
  readonly value: unknown;
  readonly shortened: boolean;
}

const shortestText = 200;

/**
 * Keep a structured result within about so many characters: long texts are cut in their middle, then lists at
 * their end, so that what is left still fits the tool's schema. Hosts hand it to models as it is, and the text
 * beside it says how to read all.
 */
export function fitStructured(result: unknown, maxChars: number): FittedResult {
  if (valueSize(result, maxChars) <= maxChars) return { value: result, shortened: false };
  let value = result;
  for (let longest = maxChars; longest >= shortestText; longest = Math.floor(longest / 2)) {
    const cut = longest;
    value = rebuild(result, { text: (text) => cutMiddle(text, cut), list: (list) => list });
    if (valueSize(value, maxChars) <= maxChars) return { value, shortened: true };
  }
  const texts = value;
  for (let maxItems = 10_000; maxItems >= 1; maxItems = Math.floor(maxItems / 2)) {
    const cut = maxItems;
    value = rebuild(texts, { text: (text) => text, list: (list) => list.slice(0, cut) });
    if (valueSize(value, maxChars) <= maxChars) break;
  }
  return { value, shortened: true };
}

interface Changes {
  readonly text: (text: string) => string;
  readonly list: (list: readonly unknown[]) => readonly unknown[];
}

function rebuild(value: unknown, changes: Changes): unknown {
  if (typeof value === "string") return changes.text(value);
  if (Array.isArray(value)) return changes.list(value).map((item) => rebuild(item, changes));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rebuild(item, changes)]));
}

function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2) - 30;
  const left = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
