// Takes every page, dialog and opened form of the console at three widths, in both languages and themes, to be looked at:
// `node scripts/console-sheets.mjs DIR [NAME …]`, after a build.
// Needs Chromium, a Chinese font to read the Chinese, and PostgreSQL and nats-server for the fleet.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { openDemo } from "./console/demo.mjs";
import { openDemoFleet } from "./console/demo-fleet.mjs";
import { fillDemo } from "./console/demo-calls.mjs";
import { scenes } from "./console/scenes.mjs";
import { states } from "./console/states.mjs";

const [dir = "console-sheets", ...names] = process.argv.slice(2);
/** Taller than the screens of most people, so that what lies below is seen too. */
const sizes = [
  { width: 1440, height: 1000 },
  { width: 1024, height: 1300 },
  { width: 390, height: 1500 },
];
/** Those of one row lie on one sheet, which must stay large enough to be read. */
const looks = [
  { locale: "en-GB", colorScheme: "light" },
  { locale: "zh-CN", colorScheme: "dark" },
  { locale: "zh-CN", colorScheme: "light" },
  { locale: "en-GB", colorScheme: "dark" },
];
const isWanted = (name) => names.length === 0 || names.includes(name);
mkdirSync(dir, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const all = Object.entries({ ...scenes, ...states }).filter(
    ([name, { dark, phone }]) => isWanted(name) && dark !== true && phone !== true,
  );
  if (all.length > 0) await takeAll(await openDemo(), all, fillDemo);
  if (isWanted("fleet")) await takeAll(await openDemoFleet(), [["fleet", { path: () => "fleet" }]]);
} finally {
  await browser.close();
}

async function takeAll(demo, wanted, fill) {
  try {
    const ids = await fill?.(demo);
    const pages = [];
    for (const look of looks) {
      const page = await browser.newPage({ ...look, reducedMotion: "reduce" });
      page.setDefaultTimeout(10_000);
      await page.goto(await demo.link());
      await page.locator('[data-connection="open"]').waitFor();
      pages.push(page);
    }
    for (const [name, scene] of wanted) {
      for (const size of sizes) {
        const shots = await Promise.all(
          pages.map((page) => take(page, { ...scene, url: demo.url, ids, name }, size)),
        );
        await writeSheets(join(dir, `${name}-${size.width}`), shots, size);
      }
      console.log(name);
    }
  } finally {
    await demo.close();
  }
}

async function take(page, { url, path, act, ids, name }, size) {
  await page.setViewportSize(size);
  await page.goto("about:blank");
  await page.goto(`${url}/#/${path(ids)}`);
  await page.locator("main h1").waitFor();
  await page.locator('[data-connection="open"]').waitFor();
  await page.waitForTimeout(700);
  // A picture of what is there says more than none.
  await act?.(page).catch((error) => console.error(`${name}: ${error.message.split("\n")[0]}`));
  await page.waitForTimeout(500);
  return page.screenshot();
}

/** Phones side by side on one sheet, the others two on each. */
async function writeSheets(file, shots, { width, height }) {
  const isSmall = width < 600;
  const groups = isSmall ? [shots] : [shots.slice(0, 2), shots.slice(2)];
  for (const [at, group] of groups.entries()) {
    const count = group.length;
    const place = (index) =>
      isSmall ? { left: index * (width + 8), top: 0 } : { left: 0, top: index * (height + 8) };
    await sharp({
      create: {
        width: isSmall ? count * (width + 8) : width,
        height: isSmall ? height : count * (height + 8),
        channels: 3,
        background: "#f0f",
      },
    })
      .composite(group.map((input, index) => ({ input, ...place(index) })))
      .png()
      .toFile(`${file}${isSmall ? "" : `-${at + 1}`}.png`);
  }
}
