import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createTestContext } from "../testing/context.js";
import { standIn, type StandIn } from "./testing/stand-in.js";
import { webSearch } from "./web-search.js";

const open: StandIn[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Seen {
  method: string | undefined;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Found {
  results: { title: string; url: string; snippet: string }[];
  note?: string;
}

/** A provider's server: notes what was asked and answers with what is given. */
async function provider(answer: (seen: Seen) => unknown, status = 200) {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      const one = {
        method,
        headers,
        url: new URL(request.url ?? "", "http://x"),
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      const body = answer(one);
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  };
  const server = await standIn(listener);
  open.push(server);
  const search = (settings: Record<string, unknown>, limit = 10, query = "lamps & co") =>
    Promise.resolve(
      webSearch.execute({ query, limit }, server.context({ url: server.url, ...settings })),
    ) as Promise<Found>;
  return { seen, search, url: server.url };
}

const unavailable = { name: "ToolUnavailableError", code: "SERVICE_UNAVAILABLE" };
const key = "sk-very-secret";

describe("web_search", () => {
  it("asks tavily where nothing else is set", async () => {
    const { seen, search } = await provider(() => ({
      query: "lamps",
      results: [
        { title: "A", url: "https://a.test/", content: "about a", score: 0.9, raw_content: null },
        { title: "B", url: "https://b.test/", content: "about b", score: 0.8 },
      ],
    }));
    expect(await search({ apiKey: key }, 5)).toEqual({
      results: [
        { title: "A", url: "https://a.test/", snippet: "about a" },
        { title: "B", url: "https://b.test/", snippet: "about b" },
      ],
    });
    expect(seen[0]).toMatchObject({
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    expect(seen[0]?.url.pathname).toBe("/search");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ query: "lamps & co", max_results: 5 });
  });

  it("asks brave, and takes the markup out of its texts", async () => {
    const { seen, search } = await provider(() => ({
      web: {
        results: [
          {
            title: "Lamps &amp; <strong>Co</strong>",
            url: "https://a.test/",
            description: "It&#x27;s <strong>here</strong> &lt;b&gt;",
          },
        ],
      },
    }));
    const { results } = await search({ provider: "brave", apiKey: key });
    expect(results).toEqual([{ title: "Lamps & Co", url: "https://a.test/", snippet: "It's here <b>" }]);
    expect(seen[0]?.headers["x-subscription-token"]).toBe(key);
    expect(seen[0]?.url.pathname).toBe("/res/v1/web/search");
    expect(Object.fromEntries(seen[0]?.url.searchParams ?? [])).toEqual({ q: "lamps & co", count: "10" });
  });

  it("asks google page by page, and says that it will end", async () => {
    const { seen, search } = await provider(({ url }) => {
      const [start, num] = [Number(url.searchParams.get("start")), Number(url.searchParams.get("num"))];
      return {
        items: Array.from({ length: num }, (_, index) => ({
          title: "T",
          link: `https://a.test/${start + index}`,
          snippet: "S",
        })),
      };
    });
    const { results, note } = await search({ provider: "google", apiKey: key, engineId: "cx1" }, 15);
    expect(results).toHaveLength(15);
    expect(results[14]).toEqual({ title: "T", url: "https://a.test/15", snippet: "S" });
    expect(note).toContain("2027");
    expect(seen.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual([
      { key, cx: "cx1", q: "lamps & co", num: "10", start: "1" },
      { key, cx: "cx1", q: "lamps & co", num: "5", start: "11" },
    ]);
    expect(seen[0]?.url.pathname).toBe("/customsearch/v1");
  });

  it("asks searxng at its address, which may have a path", async () => {
    const { seen, search, url } = await provider(() => ({
      query: "x",
      number_of_results: 0,
      results: [{ title: "A", url: "https://a.test/", content: "c", engine: "ddg" }],
    }));
    expect((await search({ provider: "searxng", url: `${url}/searx/` })).results).toEqual([
      { title: "A", url: "https://a.test/", snippet: "c" },
    ]);
    expect(seen[0]?.url.pathname).toBe("/searx/search");
    expect(Object.fromEntries(seen[0]?.url.searchParams ?? [])).toEqual({ q: "lamps & co", format: "json" });
  });

  it("tells how to make searxng answer in JSON", async () => {
    const { search } = await provider(() => "Forbidden", 403);
    await expect(search({ provider: "searxng" })).rejects.toMatchObject({
      ...unavailable,
      hint: expect.stringContaining("json"),
    });
  });

  it("reads duckduckgo's page, follows its links, leaves advertisements out and says that it may change", async () => {
    const { seen, search } = await provider(
      () => `<div class="results">
        <div class="result result--ad"><h2><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=ad.test">Ad</a></h2><a class="result__snippet" href="#">Buy</a></div>
        <div class="result"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test%2Fx%3Fy%3D1&amp;rut=abc">The <b>A</b> &amp; page</a></h2>
        <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test">About <b>a</b>.</a></div>
        <div class="result"><h2><a class="result__a" href="https://b.test/">B</a></h2></div></div>`,
    );
    const { results, note } = await search({ provider: "duckduckgo" });
    expect(results).toEqual([
      { title: "The A & page", url: "https://a.test/x?y=1", snippet: "About a." },
      { title: "B", url: "https://b.test/", snippet: "" },
    ]);
    expect(note).toContain("may change or refuse");
    expect(seen[0]?.url.pathname).toBe("/html/");
  });

  it("knows when duckduckgo asks for a person", async () => {
    const { search } = await provider(() => '<form id="challenge-form" class="anomaly-modal"></form>');
    await expect(search({ provider: "duckduckgo" })).rejects.toMatchObject(unavailable);
  });

  it("says that bing is no more, and asks nobody", async () => {
    const { seen, search } = await provider(() => ({}));
    await expect(search({ provider: "bing", apiKey: key })).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining("2025"),
      retryable: false,
    });
    expect(seen).toEqual([]);
  });

  it.each([
    [{}, "apiKey"],
    [{ provider: "tavily", apiKey: "" }, "apiKey"],
    [{ provider: "brave" }, "apiKey"],
    [{ provider: "google" }, "apiKey"],
    [{ provider: "google", apiKey: key }, "engineId"],
    [{ provider: "searxng" }, "url"],
  ])("with %j names the setting that is missing", async (settings, setting) => {
    const execute = async () =>
      webSearch.execute({ query: "x", limit: 1 }, createTestContext({ overrides: { settings } }));
    await expect(execute()).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining(`"${setting}"`),
      hint: expect.stringContaining(setting),
    });
  });

  it.each([{ provider: "altavista" }, { provider: 7 }, { maxResults: 0 }, { url: "not a url" }])(
    "refuses the settings %j",
    async (settings) => {
      const execute = async () =>
        webSearch.execute(
          { query: "x", limit: 1 },
          createTestContext({ overrides: { settings: { apiKey: key, ...settings } } }),
        );
      await expect(execute()).rejects.toMatchObject(unavailable);
    },
  );

  it.each([
    [401, unavailable],
    [403, unavailable],
    [429, { ...unavailable, retryable: true }],
    [400, { code: "NETWORK_FAILED", retryable: false }],
    [500, { code: "NETWORK_FAILED", retryable: true }],
  ])("a status of %i is an error that never shows the key", async (status, expected) => {
    for (const settings of [
      { provider: "google", engineId: "cx" },
      { provider: "tavily" },
      { provider: "brave" },
    ]) {
      const { search } = await provider(
        ({ url, headers }) => ({ error: { message: `bad key ${key} in ${url.href}`, headers } }),
        status,
      );
      const error: unknown = await search({ ...settings, apiKey: key }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(expected);
      expect(JSON.stringify([String(error), (error as Error).stack, error])).not.toContain(key);
    }
  });

  it("does not show the key where the provider cannot be reached", async () => {
    const { search, url } = await provider(() => ({}));
    await open.pop()?.close();
    const gone = await provider(() => ({}));
    const error: unknown = await gone
      .search({ provider: "google", apiKey: key, engineId: "cx", url })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "NETWORK_FAILED" });
    expect(JSON.stringify([String(error), error])).not.toContain(key);
    expect(search).toBeTypeOf("function");
  });

  it.each(["no json", "[]", "null", '{"results": "x"}', '{"results": [1, null]}'])(
    "an answer of %s is an error",
    async (answer) => {
      const { search } = await provider(() => answer);
      await expect(search({ apiKey: key })).rejects.toMatchObject({ code: "NETWORK_FAILED" });
    },
  );

  it("returns no more than asked for and configured, addresses of the web only, each once", async () => {
    const results = [
      { title: "x", url: "javascript:alert(1)", content: "" },
      { title: "x", url: 7, content: "" },
      { title: null, url: "https://a.test/", content: null },
      { title: "again", url: "https://a.test/", content: "" },
      { title: "B", url: "https://b.test/", content: "b" },
      { title: "C", url: "https://c.test/", content: "c" },
    ];
    const { search, seen } = await provider(() => ({ results }));
    expect((await search({ apiKey: key, maxResults: 2 }, 50)).results).toEqual([
      { title: "https://a.test/", url: "https://a.test/", snippet: "" },
      { title: "B", url: "https://b.test/", snippet: "b" },
    ]);
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ max_results: 2 });
    expect((await search({ apiKey: key }, 1)).results).toHaveLength(1);
  });

  it("renders a numbered list, and says when nothing was found", () => {
    const input = { query: "x", limit: 1 };
    expect(
      webSearch.render?.({ results: [{ title: "T", url: "https://a/", snippet: "S" }], note: "N" }, input),
    ).toBe("1. T\n   https://a/\n   S\n\n(N)");
    expect(webSearch.render?.({ results: [] }, input)).toBe("No results.");
  });
});
