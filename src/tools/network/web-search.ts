import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import { bing } from "./search/bing.js";
import { brave } from "./search/brave.js";
import { duckduckgo } from "./search/duckduckgo.js";
import { google } from "./search/google.js";
import type { SearchProvider } from "./search/provider.js";
import { hostResources } from "./request-url.js";
import { readSettings } from "./search/read-settings.js";
import { searxng } from "./search/searxng.js";
import { tavily } from "./search/tavily.js";

/** Searches the web with the configured provider. */
export const webSearch = defineTool({
  name: "web_search",
  description: "Search the web and return the titles, URLs and snippets of the results.",
  category: "network",
  annotations: { title: "Search the web", readOnly: true, idempotent: true, openWorld: true },
  examples: [{ arguments: { query: "typescript 7 release notes", limit: 5 } }],
  input: z.object({
    query: z.string().trim().min(1).max(1000).describe("What to search for."),
    limit: z.number().int().min(1).max(50).default(10).describe("Maximum number of results to return."),
  }),
  output: z.object({
    results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
    note: z.string().optional().describe("A remark about the provider."),
  }),
  resources: (_input, _line, settings) => hostResources(addressOf(settings), "reads"),
  preview: ({ query }, { settings }) => ({
    summary: `Search the web for ${JSON.stringify(query)}`,
    details: { provider: readSettings(settings).provider ?? DEFAULT_PROVIDER },
  }),
  execute: async ({ query, limit }, { settings, http, signal }) => {
    const { provider: name = DEFAULT_PROVIDER, maxResults = limit, ...rest } = readSettings(settings);
    const provider = requireProvider(name);
    const resultLimit = Math.min(limit, maxResults);
    const results = await provider.search({ query, limit: resultLimit, settings: rest, http, signal });
    return { results: [...results], ...(provider.note !== undefined && { note: provider.note }) };
  },
  render: ({ results, note }) => {
    const list = results.map(
      ({ title, url, snippet }, index) => `${index + 1}. ${title}\n   ${url}\n   ${snippet}`,
    );
    const text = list.length === 0 ? "No results." : list.join("\n");
    return note === undefined ? text : `${text}\n\n(${note})`;
  },
});

const DEFAULT_PROVIDER = "tavily";

const providers: readonly SearchProvider[] = [tavily, google, bing, duckduckgo, brave, searxng];

/** Where the configured provider is asked; empty if the settings are not valid, which the call itself reports. */
function addressOf(settings: Readonly<Record<string, unknown>> = {}): string {
  const { provider = DEFAULT_PROVIDER, url, baseUrl } = settings;
  const own = url ?? baseUrl;
  if (typeof own === "string") return own;
  return providers.find(({ name }) => name === String(provider).toLowerCase())?.address ?? "";
}

function requireProvider(name: string): SearchProvider {
  const found = providers.find((provider) => provider.name === name.toLowerCase());
  if (found !== undefined) return found;
  const names = providers.map((provider) => provider.name).join(", ");
  throw new ToolUnavailableError(`Unknown web_search provider "${name.slice(0, 50)}".`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: false,
    hint: `Set tools.webSearch.provider to one of ${names}.`,
  });
}
