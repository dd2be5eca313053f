// Takes every page of the console at three widths, in both languages and themes, to be looked at:
// `node scripts/console-sheets.mjs DIR [PAGE …]`, after a build. Needs Chromium, and a Chinese font to read the Chinese.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { openDemo } from "./console/demo.mjs";
import { fillDemo } from "./console/demo-calls.mjs";
import { scenes } from "./console/scenes.mjs";

const [dir = "console-sheets", ...names] = process.argv.slice(2);
const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const looks = [
  { locale: "en-GB", colorScheme: "light" },
  { locale: "zh-CN", colorScheme: "light" },
  { locale: "en-GB", colorScheme: "dark" },
  { locale: "zh-CN", colorScheme: "dark" },
];
mkdirSync(dir, { recursive: true });
const demo = await openDemo();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const ids = await fillDemo(demo);
  const pages = [];
  for (const look of looks) {
    const page = await browser.newPage({ ...look, reducedMotion: "reduce" });
    await page.goto(await demo.link());
    await page.locator('[data-connection="open"]').waitFor();
    pages.push(page);
  }
  for (const [name, scene] of Object.entries(scenes)) {
    const isWanted = names.length === 0 || names.includes(name);
    if (!isWanted || scene.dark === true || scene.phone === true || name === "approvals-edit") continue;
    for (const size of sizes) {
      const shots = [];
      for (const page of pages) shots.push(await take(page, scene.path(ids), size));
      await writeSheet(join(dir, `${name}-${size.width}.png`), shots, size);
    }
    console.log(name);
  }
} finally {
  await browser.close();
  await demo.close();
}

async function take(page, address, size) {
  await page.setViewportSize(size);
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`);
  await page.locator("main h1").waitFor();
  await page.waitForTimeout(600);
  return page.screenshot();
}

/** Phones side by side, the others two by two. */
async function writeSheet(file, shots, { width, height }) {
  const columns = width < 600 ? 4 : 2;
  const place = (at) => ({
    left: (at % columns) * (width + 8),
    top: Math.floor(at / columns) * (height + 8),
  });
  await sharp({
    create: {
      width: columns * (width + 8),
      height: (shots.length / columns) * (height + 8),
      channels: 3,
      background: "#f0f",
    },
  })
    .composite(shots.map((input, at) => ({ input, ...place(at) })))
    .png()
    .toFile(file);
}
