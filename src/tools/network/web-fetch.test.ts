import type { RequestListener } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { standIn, type StandIn } from "./testing/stand-in.js";
import { webFetch } from "./web-fetch.js";
import { underLoad } from "../../../test/setup/under-load.js";

const open: StandIn[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Result {
  url: string;
  finalUrl: string;
  title: string;
  content: string;
  links: { text: string; url: string }[];
  truncated: boolean;
}

async function fetchFrom(listener: RequestListener, maxChars = 20_000, path = "/dir/page"): Promise<Result> {
  const server = await standIn(listener);
  open.push(server);
  const result = await webFetch.execute({ url: server.url + path, max_chars: maxChars }, server.context());
  return JSON.parse(JSON.stringify(result).replaceAll(server.url, "http://site")) as Result;
}

const page =
  (html: string): RequestListener =>
  (_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(html);
  };

describe("web_fetch", () => {
  it("gives the readable part as Markdown, with title and links", async () => {
    const result = await fetchFrom(
      page(`<!doctype html><html><head><title>Lamps &amp; Co</title><style>p{color:red}</style></head><body>
        <header><nav><a href="/nav">Menu</a></nav></header>
        <main><h1>Lamps</h1><p>All <b>about</b> <a href="../more?x=1">lamps <i>here</i></a>.</p>
        <ul><li>one</li><li>two</li></ul><pre><code class="language-js">let x = 1 &lt; 2;</code></pre>
        <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
        <img src="lamp.png" alt="A lamp"><img src="pixel.gif"><script>track()</script></main>
        <footer>Imprint</footer></body></html>`),
    );
    expect(result.title).toBe("Lamps & Co");
    expect(result.content).toContain("# Lamps");
    expect(result.content).toContain("All **about** [lamps *here*](http://site/more?x=1).");
    expect(result.content).toMatch(/- one\n- two/);
    expect(result.content).toContain("```js\nlet x = 1 < 2;\n```");
    expect(result.content).toMatch(/\| A \| B \|\n\| --- \| --- \|\n\| 1 \| 2 \|/);
    expect(result.content).toContain("![A lamp](http://site/dir/lamp.png)");
    expect(result.content).not.toMatch(/Menu|Imprint|track|color:red|pixel|Lamps & Co/);
    expect(result.links).toEqual([{ text: "lamps here", url: "http://site/more?x=1" }]);
    expect(result).toMatchObject({
      url: "http://site/dir/page",
      finalUrl: "http://site/dir/page",
      truncated: false,
    });
  });

  it("prefers the one article, and takes the whole body where several are teasers", async () => {
    const one = await fetchFrom(
      page(`<p>Around it</p><article><p>${"The story. ".repeat(50)}</p></article>`),
    );
    expect(one.content).not.toContain("Around");
    const many = await fetchFrom(page("<article><p>First</p></article><article><p>Second</p></article>"));
    expect(many.content).toMatch(/First[^]*Second/);
  });

  it("does not take an empty shell for the page", async () => {
    const result = await fetchFrom(
      page(`<main id="root"></main><div><p>${"Real text. ".repeat(40)}</p></div>`),
    );
    expect(result.content).toContain("Real text.");
  });

  it("drops what a person does not see", async () => {
    const result = await fetchFrom(
      page(`<p>Seen</p><p hidden>no1</p><div style="display: none">no2</div><p aria-hidden="true">no3</p>
        <template>no4</template><noscript>no5</noscript><span style="font-size:0">no6</span><p>a\u{E0041}\u200Bb</p><!-- no7 -->`),
    );
    expect(result.content).toContain("Seen");
    expect(result.content).not.toMatch(/no\d/);
    expect(result.content).toContain("ab");
  });

  it("lists absolute web links only, each once, a hundred at most", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `<a href="p${index}">p${index}</a>`).join(" ");
    const result = await fetchFrom(
      page(`<base href="/base/"><a href="javascript:alert(1)">js</a><a href="data:text/html,x">d</a><a href="mailto:a@b">m</a>
        <a href="//other.test/x">o</a><a href="p1">first</a><a href="p1">again</a>${many}`),
    );
    expect(result.links).toHaveLength(100);
    expect(result.links.slice(0, 3)).toEqual([
      { text: "o", url: "http://other.test/x" },
      { text: "first", url: "http://site/base/p1" },
      { text: "p0", url: "http://site/base/p0" },
    ]);
    expect(result.content).not.toContain("javascript:");
  });

  it("cuts at max_chars, never in the middle of a character", async () => {
    const cut = await fetchFrom(page(`<p>${"😀".repeat(100)}</p>`), 11);
    expect([cut.content, cut.truncated]).toEqual(["😀".repeat(5), true]);
    const whole = await fetchFrom(page("<p>short</p>"), 5);
    expect([whole.content, whole.truncated]).toEqual(["short", false]);
  });

  it.each([
    ["application/json", '{"a": [1]}'],
    ["text/plain", "<b>as it is</b>"],
    ["text/markdown", "# As it is"],
  ])("passes %s through", async (type, body) => {
    const result = await fetchFrom((_request, response) =>
      response.setHeader("content-type", type).end(body),
    );
    expect([result.content, result.links]).toEqual([body, []]);
  });

  it.each(["application/pdf", "image/png"])("describes %s instead of decoding it", async (type) => {
    const result = await fetchFrom((_request, response) =>
      response.setHeader("content-type", type).end(Buffer.from([0, 1, 2])),
    );
    expect(result.content).toContain(`${type}, 3 bytes`);
  });

  it("finds HTML that has no type, and follows redirects", async () => {
    const result = await fetchFrom((request, response) => {
      if (request.url === "/dir/page") response.writeHead(302, { location: "/new/place" }).end();
      else response.end("<html><body><a href='x'>rel</a></body></html>");
    });
    expect(result).toMatchObject({
      finalUrl: "http://site/new/place",
      links: [{ text: "rel", url: "http://site/new/x" }],
    });
  });

  it.each([
    [404, false],
    [503, true],
  ])("a status of %i is an error", async (status, retryable) => {
    await expect(fetchFrom((_request, response) => response.writeHead(status).end())).rejects.toMatchObject({
      code: "NETWORK_FAILED",
      retryable,
      details: { status },
    });
  });

  const hostile: readonly [string, string][] = [
    ["100,000 nested elements", `${"<div>".repeat(100_000)}x`],
    ["100,000 nested lists", `${"<ul><li>".repeat(100_000)}x`],
    ["nested quotes", `${"<blockquote>".repeat(50_000)}x`],
    ["an attribute of a megabyte", `<a href="${"a".repeat(1_000_000)}">x</a>`],
    ["a tag that never ends", `<p>x</p>${"<a ".repeat(300_000)}`],
    ["nothing but brackets", "<".repeat(500_000)],
    ["nothing but ampersands", "&".repeat(500_000)],
    ["blanks in a pre", `<pre>${" ".repeat(1_000_000)}x</pre>`],
    ["misnested formatting", "<i><p>".repeat(50_000) + "</i>".repeat(50_000)],
    ["200,000 cells", `<table>${"<tr><td>x".repeat(200_000)}`],
  ];

  it.each(hostile)("survives %s, and others run meanwhile", async (_name, html) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const began = performance.now();
    const result = await fetchFrom(page(html));
    clearInterval(timer);
    expect(result.content.length).toBeLessThanOrEqual(20_000);
    expect(performance.now() - began).toBeLessThan(underLoad(12_000));
    expect(turns).toBeGreaterThan(1);
  });

  it("stops when the call is cancelled", async () => {
    const server = await standIn(page(`<p>${"word ".repeat(300_000)}</p>`));
    open.push(server);
    const controller = new AbortController();
    const http = server.context().http;
    const context = {
      ...server.context(),
      signal: controller.signal,
      http: {
        request: async (request: Parameters<typeof http.request>[0]) => {
          const response = await http.request(request);
          controller.abort(new Error("stopped"));
          return response;
        },
      },
    };
    await expect(webFetch.execute({ url: server.url, max_chars: 1_000_000 }, context)).rejects.toThrow(
      "stopped",
    );
  });

  it("renders title, address, content and links", () => {
    const text = webFetch.render?.(
      {
        url: "u",
        finalUrl: "https://a/",
        title: "T",
        content: "C",
        links: [{ text: "", url: "https://b/" }],
        truncated: true,
      },
      { url: "u", max_chars: 1 },
    );
    expect(text).toBe(
      "# T\nhttps://a/\n\nC\n\n[The page continues; raise max_chars to read more.]\n\nLinks:\n- https://b/: https://b/",
    );
  });
});
