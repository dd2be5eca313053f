// How fast the console is there, how large it is, and whether it stays smooth under many events.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { printGoal, quantile } from "../measure.mjs";

const here = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const token = "console-bench-token-0123456789";
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Checked before the suite runs. */
export const needs = [{ program: "chromium" }];

export async function run() {
  console.log("\n## Console\n");
  const kilobytes = firstPageBytes() / 1000;
  const base = mkdtempSync(join(tmpdir(), "tenon-bench-console-"));
  const server = await serve(base);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const ready = await readyTimes(browser, server.url, 7);
    const page = await openWatched(browser, server.url);
    await pump(server.url, { calls: 10_000, perSecond: Number.POSITIVE_INFINITY });
    await page.getByText("10000 calls").waitFor({ timeout: 60_000 });
    await page.evaluate("watched.reset()");
    const started = performance.now();
    await pump(server.url, { calls: 1700, perSecond: 334 });
    const seconds = (performance.now() - started) / 1000;
    await page.getByText("11700 calls").waitFor({ timeout: 30_000 });
    const seen = await page.evaluate("watched.read()");
    console.log(
      `${((1700 * 3) / seconds).toFixed(0)} events a second for ${seconds.toFixed(1)} s with 10,000 calls in view:`,
    );
    console.log(
      `${seen.long} tasks over 50 ms, ${seen.frames} frames, the longest gap between two ${seen.gap.toFixed(0)} ms\n`,
    );
    printGoal("first page, compressed, kB", kilobytes, 200);
    printGoal("first page ready, ms", quantile(ready, 0.5), 1000);
    printGoal("longest task under 1,000 events a second, ms", seen.longest, 200);
  } finally {
    await browser.close();
    server.child.kill("SIGKILL");
    agent.destroy();
    rmSync(base, { recursive: true, force: true });
  }
}

/** What is loaded before the first page shows: all that index.html names. */
function firstPageBytes() {
  const html = readFileSync(here("dist/console/index.html"), "utf8");
  const assets = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => path);
  return ["index.html", ...assets].reduce(
    (sum, path) => sum + gzipSync(readFileSync(here(`dist/console/${path}`))).length,
    0,
  );
}

async function serve(base) {
  const args = [here("bin/tenon.cjs"), "serve", "--json", "--no-open", "--port", "0", "-w", base];
  const env = { PATH: process.env.PATH, HOME: base, TENON_TOKEN: token };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error("tenon serve did not start");
}

/** From the click on the link to a page that is connected, each time in a browser that has nothing cached. */
async function readyTimes(browser, url, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const link = await newLink(url);
    const started = performance.now();
    await page.goto(link, { waitUntil: "commit" });
    await page.locator('[data-connection="open"]').waitFor();
    times.push(performance.now() - started);
    await context.close();
  }
  return times;
}

/** A link opens the console once. */
async function newLink(url) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/links`, { method: "POST", headers });
  return (await response.json()).link;
}

async function openWatched(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(`
    window.watched = { long: 0, longest: 0, gap: 0, frames: 0, last: 0,
      reset() { Object.assign(this, { long: 0, longest: 0, gap: 0, frames: 0, last: 0 }); },
      read() { return { long: this.long, longest: this.longest, gap: this.gap, frames: this.frames }; } };
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) { watched.long += 1; watched.longest = Math.max(watched.longest, task.duration); }
    }).observe({ entryTypes: ["longtask"] });
    requestAnimationFrame(function tick(now) {
      if (watched.last > 0) watched.gap = Math.max(watched.gap, now - watched.last);
      watched.last = now; watched.frames += 1;
      requestAnimationFrame(tick);
    });`);
  await page.goto(await newLink(url));
  await page.locator('[data-connection="open"]').waitFor();
  return page;
}

/** Make calls of a small tool, each of which is three events. */
async function pump(url, { calls, perSecond }) {
  const started = performance.now();
  let next = 0;
  const work = async () => {
    while (next < calls) {
      const at = next++;
      const due = started + (at / perSecond) * 1000;
      if (due > performance.now()) await wait(due - performance.now());
      await post(`${url}/api/tools/base64_encode/call`, { arguments: { text: `call ${at}` } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

function post(url, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
