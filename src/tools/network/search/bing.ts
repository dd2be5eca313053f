import { ToolUnavailableError } from "../../../contract/errors.js";
import type { SearchProvider } from "./provider.js";

/** The Bing Search APIs, which were retired. */
export const bing: SearchProvider = {
  name: "bing",
  search: () =>
    Promise.reject(
      new ToolUnavailableError("Microsoft retired the Bing Search APIs on 11 August 2025.", {
        code: "SERVICE_UNAVAILABLE",
        retryable: false,
        hint: "Set tools.webSearch.provider to tavily, brave, google, searxng or duckduckgo.",
        details: { provider: "bing" },
      }),
    ),
};
