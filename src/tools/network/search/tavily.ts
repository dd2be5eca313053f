import { askJson, endpoint, unexpectedResponse, requireKey } from "./ask.js";
import type { SearchProvider } from "./provider.js";
import { listAt, toResults } from "./to-results.js";

const address = "https://api.tavily.com/search";

export const tavily: SearchProvider = {
  name: "tavily",
  address,
  async search(query) {
    const target = { name: "tavily", query };
    const key = requireKey(target);
    const answer = await askJson(
      {
        url: endpoint(address, query.settings.url).href,
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ query: query.query, max_results: Math.min(query.limit, 20) }),
      },
      target,
    );
    const found = listAt(answer, "results");
    if (found === undefined) throw unexpectedResponse("tavily");
    return toResults(
      found.map(({ title, url, content }) => ({ title, url, snippet: content })),
      query.limit,
    );
  },
};
