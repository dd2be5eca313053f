import { ToolUnavailableError } from "../../../contract/errors.js";
import { askJson, unexpectedResponse, requireSetting } from "./ask.js";
import type { SearchProvider, SearchQuery } from "./provider.js";
import { listAt, toResults } from "./to-results.js";

/** A self-hosted SearXNG instance. */
export const searxng: SearchProvider = {
  name: "searxng",
  async search(query) {
    const answer = await requestResults(query);
    const found = listAt(answer, "results");
    if (found === undefined) throw unexpectedResponse("searxng");
    return toResults(
      found.map(({ title, url, content }) => ({ title, url, snippet: content })),
      query.limit,
    );
  },
};

async function requestResults(query: SearchQuery): Promise<unknown> {
  const target = { name: "searxng", query };
  const url = new URL(requireSetting("url", target));
  if (!url.pathname.endsWith("/search")) url.pathname = `${url.pathname.replace(/\/$/, "")}/search`;
  url.searchParams.set("q", query.query);
  url.searchParams.set("format", "json");
  const key = query.settings.apiKey;
  const headers = {
    accept: "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  try {
    return await askJson({ url: url.href, headers }, target);
  } catch (error) {
    const refused = error instanceof ToolUnavailableError && error.details?.["status"] === 403;
    if (!refused) throw error;
    throw new ToolUnavailableError("searxng refused the search (status 403): JSON output is not enabled.", {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: 'Add "json" to search.formats in the settings.yml of the instance.',
      details: { provider: "searxng", status: 403 },
    });
  }
}
