import { askJson, endpoint, requireKey } from "./ask.js";
import type { SearchProvider } from "./provider.js";
import { listAt, toResults } from "./to-results.js";

const address = "https://api.search.brave.com/res/v1/web/search";

export const brave: SearchProvider = {
  name: "brave",
  address,
  async search(query) {
    const target = { name: "brave", query };
    const key = requireKey(target);
    const url = endpoint(address, query.settings.url);
    url.searchParams.set("q", query.query);
    url.searchParams.set("count", String(Math.min(query.limit, 20)));
    const headers = { "x-subscription-token": key, accept: "application/json" };
    const response = await askJson({ url: url.href, headers }, target);
    // A response without "web" has no results.
    const found = listAt(response, "web", "results") ?? [];
    return toResults(
      found.map(({ title, url: address, description }) => ({ title, url: address, snippet: description })),
      query.limit,
    );
  },
};
