import { type PageName, pages } from "./pages.js";

export interface Route {
  /** `undefined` where no page has this address, or the page has nothing that an address could name. */
  readonly page: PageName | undefined;
  /** What is chosen on it: a call, a tool. */
  readonly id: string | undefined;
  /** Filters, tabs and time ranges. */
  readonly query: string;
}

/** Parameters of an address; those that are `undefined` or empty are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of a page, for links. */
export function hrefOf(page: PageName, id?: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(key, String(value));
  const path = id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** @param hash As in `#/log/call_1?tool=grep`. */
export function parseRoute(hash: string): Route {
  const [path, query] = splitOnce(hash.replace(/^#?\/?/, ""), "?");
  const [name = "", ...rest] = path.split("/");
  const id = decode(rest.join("/"));
  const page = pages.find((candidate) => candidate.name === (name || pages[0].name));
  const isKnown = page !== undefined && (id === "" || "hasRecords" in page);
  return { page: isKnown ? page.name : undefined, id: id === "" ? undefined : id, query };
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Someone typed a percent sign.
  }
}
