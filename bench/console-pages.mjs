// How fast the pages of the console show what a state holds, for `npm run bench console-load`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { quantile } from "./measure.mjs";

const bin = fileURLToPath(new URL("../bin/tenon.cjs", import.meta.url));
const token = "console-bench-token-0123456789";

/** What must be on a page once it is there. */
const ready = {
  live: '[role="option"]',
  approvals: "main h1",
  jobs: "main h1",
  network: "main h1",
  trace: 'main a[href*="#/trace/"]',
  "trace/deep?by=task": "[data-span]",
  log: '[role="option"]',
  changes: 'main a[href*="#/trace/"]',
  metrics: "main canvas",
  plan: "main h1",
  tools: 'nav a[href*="#/tools/"]',
  mcp: '[data-server="wide"]',
  policy: "main section",
  system: "main section",
};

/** @param {{ workspace: string, config: string }} places */
export async function startConsole({ workspace, config }) {
  const args = [bin, "serve", "--json", "--no-open", "--port", "0", "-w", workspace, "-c", config];
  const env = { PATH: process.env.PATH, HOME: workspace, TENON_TOKEN: token };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, error } = JSON.parse(line);
    if (url === undefined) throw new Error(`tenon serve did not start: ${error?.message}`);
    return {
      url,
      stop: async () => {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      },
    };
  }
  throw new Error("tenon serve did not start");
}

/** A page that is signed in and connected. @param {import("playwright-core").Browser} browser @param {{ url: string }} server */
export async function openConsole(browser, { url }) {
  const headers = { authorization: `Bearer ${token}` };
  const { link } = await (await fetch(`${url}/api/links`, { method: "POST", headers })).json();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  page.setDefaultTimeout(120_000);
  await page.goto(link);
  await page.locator('[data-connection="open"]').waitFor();
  return page;
}

/** Each page opened as by a bookmark, until what it shows is painted; the median of three. */
export async function* measurePages(page, server) {
  const large = await largeResult(server);
  for (const [name, selector, title = name] of [...Object.entries(ready), ...large]) {
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      await page.goto("about:blank");
      await page.goto(`${server.url}/#/${name}`, { waitUntil: "commit" });
      rounds.push(await page.evaluate(painted(selector)));
    }
    yield [title, quantile(rounds, 0.5)];
  }
}

/** Where a result of 50 MB is shown: its beginning, and the rest by pieces. */
async function largeResult({ url }) {
  const headers = { authorization: `Bearer ${token}` };
  const find = async (tool) => {
    const { records } = await (await fetch(`${url}/api/log?tool=${tool}&limit=1`, { headers })).json();
    return records[0].callId;
  };
  const [huge, other] = [await find("huge"), await find("lookup")];
  return [
    [`log/${huge}`, "aside pre", "log, a result of 50 MB"],
    [`trace/huge?by=task&call=${huge}`, "aside pre", "trace, a result of 50 MB"],
    [`log/${huge}?compare=${other}`, 'aside [role="region"]', "log, a result of 50 MB compared"],
  ];
}

/** In the page: the time from its request to the frame after the one in which it shows what it has to. */
function painted(selector) {
  return `new Promise((resolve) => requestAnimationFrame(function look() {
    if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => resolve(performance.now()));
  }))`;
}

const typingMs = 200;
const rows = '[...document.querySelectorAll("main [role=option], main nav a")].map((row) => row.textContent)';
/** What is typed on which page, what must hold of the rows then, and whether typing is waited out first. */
const filters = [
  [
    "log",
    "tool:broken outcome:failure",
    `${rows}.length > 0 && ${rows}.every((row) => row.includes("broken"))`,
    typingMs,
  ],
  [
    "log",
    "gamma-77 since:1d",
    `${rows}.length > 0 && ${rows}.every((row) => row.includes("gamma-77"))`,
    typingMs,
  ],
  ["log", "nowhere-to-be-found", `${rows}.length === 0`, typingMs],
  [
    "changes",
    "notes/77",
    'document.querySelectorAll("main li").length > 0 && [...document.querySelectorAll("main li")].every((row) => row.textContent.includes("notes/77"))',
    0,
  ],
  [
    "system",
    "timeout",
    'document.querySelectorAll("main tbody tr").length > 0 && [...document.querySelectorAll("main tbody tr")].every((row) => /timeout/i.test(row.textContent))',
    0,
  ],
  ["tools", "tool_77", `${rows}.length > 0 && ${rows}.every((row) => row.includes("tool_77"))`, 0],
  ["live", "row-77", `${rows}.length > 0 && ${rows}.every((row) => row.includes("row-77"))`, 0],
  [
    "trace",
    "task-77",
    'document.querySelectorAll("main li a").length > 0 && [...document.querySelectorAll("main li a")].every((row) => row.textContent.includes("task-77"))',
    typingMs,
  ],
  [
    "mcp",
    "server-7",
    'document.querySelectorAll("[data-server]").length > 0 && [...document.querySelectorAll("[data-server]")].every((row) => row.dataset.server.startsWith("server-7"))',
    0,
  ],
];

/** From the last key in a search field to the rows that fit, without the time in which typing is waited out; the median of three. */
export async function* measureFilters(page, { url }) {
  for (const [name, text, holds, waits] of filters) {
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      await page.goto("about:blank");
      await page.goto(`${url}/#/${name}`, { waitUntil: "commit" });
      await page.locator(ready[name]).first().waitFor();
      await page.locator("main [data-search]").waitFor();
      rounds.push((await page.evaluate(typing(text, holds))) - waits);
    }
    yield [`${name}: ${text}`, quantile(rounds, 0.5)];
  }
}

/** In the page: type, and wait for the frame in which the rows are those that fit. */
function typing(text, holds) {
  return `new Promise((resolve, reject) => {
    const field = document.querySelector("main [data-search]");
    const started = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, ${JSON.stringify(text)});
    field.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(function look() {
      if (${holds}) resolve(performance.now() - started);
      else if (performance.now() - started > 60000) reject(new Error("The rows never fit ${text}."));
      else requestAnimationFrame(look);
    });
  })`;
}

/** Calls of a small tool through the server, eight at a time. */
export async function pumpCalls({ url }, calls) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let next = 0;
  const work = async () => {
    while (next < calls)
      await post(agent, `${url}/api/tools/base64_encode/call`, { text: `row-${next++ % 1000}` });
  };
  await Promise.all(Array.from({ length: 8 }, work));
  agent.destroy();
}

function post(agent, url, args) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ arguments: args }));
  });
}
