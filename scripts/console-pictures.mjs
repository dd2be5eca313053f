// Takes the pictures of the console for the docs, of a server with something on every page:
// `node scripts/console-pictures.mjs [NAME …]`, after a build. Needs Chromium, and PostgreSQL and nats-server for the fleet.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { openDemo } from "./console/demo.mjs";
import { openDemoFleet } from "./console/demo-fleet.mjs";
import { fillDemo } from "./console/demo-calls.mjs";
import { scenes } from "./console/scenes.mjs";
import { toSmallPng } from "./console/small-png.mjs";

const folder = resolve(import.meta.dirname, "../docs/images");
const names = process.argv.slice(2);
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const isWanted = (name) => names.length === 0 || names.includes(name);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  if (Object.keys(scenes).some(isWanted)) await takeAll(await openDemo(), scenes, fillDemo);
  if (isWanted("fleet")) await takeAll(await openDemoFleet(), { fleet: { path: () => "fleet" } });
} finally {
  await browser.close();
}

/** @param {{ url: string, places: string[][], link(): Promise<string>, close(): Promise<void> }} demo */
async function takeAll(demo, wanted, fill) {
  try {
    const ids = await fill?.(demo);
    const page = await browser.newPage({ locale: "en-GB" });
    await page.goto(await demo.link());
    await page.locator('[data-connection="open"]').waitFor();
    for (const [name, scene] of Object.entries(wanted).filter(([each]) => isWanted(each))) {
      const png = toSmallPng(await take(page, demo, { ...scene, address: scene.path(ids) }));
      writeFileSync(join(folder, `console-${name}.png`), png);
      console.log(`console-${name}.png: ${(png.length / 1000).toFixed(0)} kB`);
    }
  } finally {
    await demo.close();
  }
}

async function take(page, demo, { address, act, dark = false, phone = false }) {
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  await page.setViewportSize(phone ? sizes.phone : sizes.desk);
  await page.goto("about:blank");
  await page.goto(`${demo.url}/#/${address}`);
  await page.locator("main h1").waitFor();
  await page.locator('[data-connection="open"]').waitFor();
  await untilQuiet(page);
  await act?.(page);
  await untilQuiet(page);
  await page.evaluate(hidePlaces(demo.places));
  return page.screenshot();
}

/** Until nothing that the page asked for has come for a moment. */
async function untilQuiet(page) {
  const isQuiet = `document.body.textContent.includes("Loading…") === false && performance.now() - Math.max(500,
    ...performance.getEntriesByType("resource").map((one) => one.responseEnd)) > 400`;
  for (let tries = 0; tries < 100 && !(await page.evaluate(isQuiet)); tries++) await page.waitForTimeout(100);
}

/** In the page: folders of this machine by names that say what they are. */
function hidePlaces(places) {
  return `for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode(); )
    for (const [place, name] of ${JSON.stringify(places)})
      if (walker.currentNode.data.includes(place))
        walker.currentNode.data = walker.currentNode.data.replaceAll(place, name);`;
}
