import * as z from "zod";
import type { SearchResult } from "./provider.js";

/** What providers send, under whatever name, before it is checked. */
export interface Found {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly snippet?: unknown;
}

/** A list of objects at a place in an answer; anything else there is no result. */
export function listAt(
  answer: unknown,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] | undefined {
  let value = answer;
  for (const key of path) {
    const found = entries.safeParse(value);
    if (!found.success) return undefined;
    value = found.data[key];
  }
  return z.array(entries).safeParse(value).data;
}

const entries = z.record(z.string(), z.unknown());

/** Plain text and addresses of the web only, each address once. */
export function toResults(found: readonly Found[], limit: number): readonly SearchResult[] {
  const results = new Map<string, SearchResult>();
  for (const { title, url, snippet } of found) {
    if (results.size >= limit) break;
    if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url) || results.has(url))
      continue;
    results.set(url, { title: plainText(title) || url, url, snippet: plainText(snippet) });
  }
  return [...results.values()];
}

/** Text without the markup that some providers put into it. */
export function plainText(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .slice(0, 5000)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) =>
      entity(whole, { decimal, hex, name }),
    )
    .replace(/\s+/g, " ")
    .trim();
}

interface EntityParts {
  readonly decimal: string | undefined;
  readonly hex: string | undefined;
  readonly name: string | undefined;
}

function entity(whole: string, { decimal, hex, name }: EntityParts): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
