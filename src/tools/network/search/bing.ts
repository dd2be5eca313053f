import { ToolUnavailableError } from "../../../contract/errors.js";
import type { SearchProvider } from "./provider.js";

/** Bing's search interface, which is no more. */
export const bing: SearchProvider = {
  name: "bing",
  search: () =>
    Promise.reject(
      new ToolUnavailableError(
        "Microsoft retired the Bing Search APIs on 11 August 2025; nothing answers there.",
        {
          code: "SERVICE_UNAVAILABLE",
          retryable: false,
          hint: "Set tools.webSearch.provider to tavily, brave, google, searxng or duckduckgo.",
          details: { provider: "bing" },
        },
      ),
    ),
};
