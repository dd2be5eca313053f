// Opens the built docs site in Chromium (`npm run docs` calls it): every page renders without an error, every link and
// anchor leads somewhere, and the search finds words in English and Chinese.
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { chromium } from "playwright-core";

const site = resolve(import.meta.dirname, "../site/.vitepress/dist");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const searches = [
  { start: "/", query: "allowedPaths", found: "/reference/configuration" },
  { start: "/zh/", query: "撤销", found: "/zh/guide/ten-minutes" },
];

const server = createServer((request, response) => {
  const file = fileOf(new URL(request.url, "http://site").pathname);
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
  return createReadStream(file).pipe(response);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const faults = [...(await checkPages()), ...(await checkSearches())];
  for (const fault of faults) console.error(`docs: ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  server.close();
}

/** The file behind an address: addresses of pages have no `.html`. */
function fileOf(path) {
  const file = join(site, decodeURIComponent(path));
  return [file, `${file}.html`, join(file, "index.html")].find(
    (one) => existsSync(one) && statSync(one).isFile(),
  );
}

async function checkPages() {
  const paths = readdirSync(site, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") && file !== "404.html")
    .map((file) => `/${file.replace(/(?:index)?\.html$/, "")}`);
  const faults = [];
  const pages = new Map();
  const tab = await browser.newPage();
  let path = "";
  tab.on("pageerror", (error) => faults.push(`${path}: ${error.message}`));
  tab.on("console", (message) => message.type() === "error" && faults.push(`${path}: ${message.text()}`));
  for (path of paths) {
    await tab.goto(origin + path, { waitUntil: "load" });
    pages.set(path, await tab.evaluate(readPage));
  }
  await tab.close();
  console.log(`docs: opened ${paths.length} pages`);
  return [...faults, ...[...pages].flatMap(([from, page]) => faultsOf(from, page, pages))];
}

/** What counts on a page; it runs in the browser. */
function readPage() {
  const { document, location } = globalThis;
  // In the text of a page, braces may mean themselves.
  const frame = document.body.cloneNode(true);
  for (const part of frame.querySelectorAll(".vp-doc, script, style")) part.remove();
  return {
    raw: /\{\{.*?\}\}/.exec(frame.textContent ?? "")?.[0],
    heading: document.querySelector("h1")?.textContent ?? "",
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.querySelectorAll("a[href]"), ({ href }) => href)
      .filter((href) => href.startsWith(location.origin))
      .map((href) => href.slice(location.origin.length)),
    broken: Array.from(document.images)
      .filter(({ complete, naturalWidth }) => complete && naturalWidth === 0)
      .map(({ src }) => src),
  };
}

function faultsOf(from, { heading, links, broken, raw }, pages) {
  const faults = broken.map((src) => `${from}: the picture ${src} does not load`);
  if (raw !== undefined) faults.push(`${from}: shows ${raw}, an expression that was not replaced`);
  if (heading === "") faults.push(`${from}: no heading`);
  for (const link of new Set(links)) {
    const [path, anchor] = link.split("#");
    const page = pages.get(path);
    if (page === undefined && fileOf(path) === undefined) faults.push(`${from}: ${link} leads nowhere`);
    else if (anchor && page && !page.ids.includes(decodeURIComponent(anchor)))
      faults.push(`${from}: ${link} has no such anchor`);
  }
  return faults;
}

async function checkSearches() {
  const faults = [];
  const tab = await browser.newPage();
  for (const { start, query, found } of searches) {
    await tab.goto(origin + start);
    await tab.click(".VPNavBarSearch button");
    await tab.fill("#localsearch-input", query);
    const results = tab.locator("#localsearch-list a.result");
    await results
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(() => undefined);
    const links = await results.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    if (!links.some((link) => link.startsWith(found)))
      faults.push(
        `the search for ${query} from ${start} found ${links.join(", ") || "nothing"}, not ${found}`,
      );
  }
  await tab.close();
  return faults;
}
