import * as z from "zod";
import type { SearchResult } from "./provider.js";

/** A result as sent by a provider, not checked yet. */
export interface RawResult {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly snippet?: unknown;
}

/** The list of objects at a path of a response; `undefined` if there is none. */
export function listAt(
  answer: unknown,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] | undefined {
  let value = answer;
  for (const key of path) {
    const found = jsonObject.safeParse(value);
    if (!found.success) return undefined;
    value = found.data[key];
  }
  return z.array(jsonObject).safeParse(value).data;
}

const jsonObject = z.record(z.string(), z.unknown());

/** Results with plain text and an http(s) URL, each URL once. */
export function toResults(found: readonly RawResult[], limit: number): readonly SearchResult[] {
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
function plainText(value: unknown): string {
  if (typeof value !== "string") return "";
  return value
    .slice(0, 5000)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) =>
      decodeEntity(whole, { decimal, hex, name }),
    )
    .replace(/\s+/g, " ")
    .trim();
}

interface EntityParts {
  readonly decimal: string | undefined;
  readonly hex: string | undefined;
  readonly name: string | undefined;
}

function decodeEntity(whole: string, { decimal, hex, name }: EntityParts): string {
  if (name !== undefined) return namedEntities[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}

const namedEntities: Readonly<Record<string, string>> = {
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
