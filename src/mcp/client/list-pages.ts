/** One page of a listing. */
export interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor?: unknown;
}

/** How much of a listing is taken. */
export interface ListLimits {
  /** @default 10000 */
  readonly items?: number | undefined;
  /** @default 1000 */
  readonly pages?: number | undefined;
  /** In characters of JSON. @default 33554432 */
  readonly chars?: number | undefined;
}

/** Take page after page until the server is done, runs in circles or is past a limit; `onCut` says why it was cut. */
export async function listPages(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  onCut: (why: string) => void,
  limits: ListLimits = {},
): Promise<readonly unknown[]> {
  const { items: maxItems = 10_000, pages: maxPages = 1000, chars: maxChars = 32 * 1024 * 1024 } = limits;
  const all: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let chars = 0;
  for (let page = 1; ; page++) {
    const { items, nextCursor } = await fetchPage(cursor);
    for (const item of items) {
      chars += JSON.stringify(item)?.length ?? 0;
      if (all.length >= maxItems) return cut(`it lists more than ${maxItems} entries`);
      if (chars > maxChars) return cut(`its listing is longer than ${maxChars} characters`);
      all.push(item);
    }
    if (typeof nextCursor !== "string" || nextCursor === "") return all;
    if (cursors.has(nextCursor)) return cut("its listing repeats a page");
    if (page >= maxPages) return cut(`its listing has more than ${maxPages} pages`);
    cursors.add(nextCursor);
    cursor = nextCursor;
  }

  function cut(why: string): readonly unknown[] {
    onCut(why);
    return all;
  }
}
