import { askJson, endpoint, requireKey, requireSetting } from "./ask.js";
import type { SearchProvider } from "./provider.js";
import { listAt, toResults, type RawResult } from "./to-results.js";

const address = "https://www.googleapis.com/customsearch/v1";

/** Google's Custom Search API, which is closed to new customers and ends in January 2027. */
export const google: SearchProvider = {
  name: "google",
  address,
  note: "Google's Custom Search API is closed to new customers and ends on 1 January 2027.",
  async search(query) {
    const target = { name: "google", query };
    const key = requireKey(target);
    const engine = requireSetting("engineId", target);
    const found: RawResult[] = [];
    // It returns ten results at a time, and at most a hundred.
    while (found.length < Math.min(query.limit, 100)) {
      const url = endpoint(address, query.settings.url);
      const count = Math.min(query.limit - found.length, 10);
      const parameters = { key, cx: engine, q: query.query, num: count, start: found.length + 1 };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
      const items = listAt(await askJson({ url: url.href }, target), "items") ?? [];
      found.push(...items.map(({ title, link, snippet }) => ({ title, url: link, snippet })));
      if (items.length < count) break;
    }
    return toResults(found, query.limit);
  },
};
