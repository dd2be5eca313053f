import { askJson, endpoint, requireKey } from "./ask.js";
import type { SearchProvider } from "./provider.js";
import { listAt, toResults } from "./to-results.js";

/** Brave's own index. */
export const brave: SearchProvider = {
  name: "brave",
  async search(query) {
    const asked = { name: "brave", query };
    const key = requireKey(asked);
    const url = endpoint("https://api.search.brave.com/res/v1/web/search", query.settings.url);
    url.searchParams.set("q", query.query);
    url.searchParams.set("count", String(Math.min(query.limit, 20)));
    const headers = { "x-subscription-token": key, accept: "application/json" };
    const answer = await askJson({ url: url.href, headers }, asked);
    // An answer without "web" found nothing.
    const found = listAt(answer, "web", "results") ?? [];
    return toResults(
      found.map(({ title, url: address, description }) => ({ title, url: address, snippet: description })),
      query.limit,
    );
  },
};
