import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, expect, it } from "vitest";
import { faultsOf } from "./axe.js";
import { callTool, rows } from "./call-suite.js";
import { type Fixture, type Stage, visit } from "./console-fixture.js";
import { hiddenViews } from "./hidden-views.js";

const images = fileURLToPath(new URL("../../docs/images", import.meta.url));
const pictures = process.env["TENON_SCREENSHOTS"] === "1";

const views: readonly {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
}[] = [
  { name: "live", path: "live", ready: openSecond },
  { name: "approvals", path: "approvals", ready: (page) => page.getByRole("article").waitFor() },
  {
    name: "tools",
    path: "tools/shell_exec",
    ready: (page) => page.getByRole("button", { name: "Run", exact: true }).waitFor(),
  },
  {
    name: "log",
    path: "log",
    ready: (page) => rows(page).filter({ hasText: "create_requirement" }).first().click(),
  },
  {
    name: "changes",
    path: "changes",
    ready: (page) =>
      page
        .getByRole("button", { name: /Undo the change to/ })
        .first()
        .waitFor(),
  },
  { name: "plan", path: "plan", ready: (page) => page.getByText("Quote fields").waitFor() },
  { name: "mcp", path: "mcp", ready: (page) => page.getByRole("heading", { name: "tiny" }).waitFor() },
  { name: "policy", path: "policy", ready: explain },
  // Last: its lines need some time to have points.
  { name: "metrics", path: "metrics", ready: (page) => page.locator(".u-over").nth(2).waitFor() },
];

/** Every page in both themes: no serious fault for those who use a keyboard or a screen reader. */
export function accessSuite(stage: () => Stage): void {
  const open: Promise<unknown>[] = [];

  beforeAll(async () => {
    const { fixture } = stage();
    const plan = [
      [
        "create_requirement",
        {
          id: "R-1",
          title: "Export as CSV",
          description: "For people who work in a sheet.",
          priority: "high",
        },
      ],
      [
        "add_feature",
        {
          id: "F-1",
          title: "CSV writer",
          description: "Writes rows as they come.",
          requirement_ids: ["R-1"],
        },
      ],
      [
        "create_task",
        { id: "T-1", title: "Quote fields", description: "As RFC 4180 says.", feature_id: "F-1" },
      ],
      [
        "create_task",
        { id: "T-2", title: "Write the file", description: "", feature_id: "F-1", depends_on: ["T-1"] },
      ],
      ["start_iteration", { name: "csv" }],
      ["read_file", { path: "missing.md" }],
      ["read_file", { path: "notes.md" }],
    ] as const;
    for (const [name, args] of plan) await callTool(fixture, name, args);
    const content = "# Notes\n\nfirst\nand a second line\n";
    open.push(
      callTool(fixture, "write_file", { path: "notes.md", content }, "csv-export").catch(() => undefined),
    );
    open.push(
      callTool(fixture, "shell_exec", { command: "npm test && rm -rf build" }).catch(() => undefined),
    );
    open.push(
      callTool(fixture, "ask_user", { question: "Which separator?", options: ["comma", "semicolon"] }).catch(
        () => undefined,
      ),
    );
  });

  for (const { name, path, ready } of views) {
    it(`has no serious fault: ${name}`, async () => {
      const { page, fixture } = stage();
      if (pictures && name === "metrics") await makeTraffic(fixture, 40_000);
      await visit(page, path);
      await ready(page);
      expect(await faultsOf(page), `${name}, light`).toEqual([]);
      await shoot(page, name);
      // Only colors differ in the dark.
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      expect(await faultsOf(page, { only: ["color-contrast"] }), `${name}, dark`).toEqual([]);
      await page.evaluate('document.documentElement.dataset.theme = "light"');
    });
  }

  it("has no serious fault in what opens above or behind: dialogs, second tabs, forms", async () => {
    const { page } = stage();
    for (const { name, path, within, open: reveal } of hiddenViews) {
      await visit(page, path);
      await reveal(page);
      expect(await faultsOf(page, { within }), `${name}, light`).toEqual([]);
      await page.evaluate('document.documentElement.dataset.theme = "dark"');
      expect(await faultsOf(page, { within, only: ["color-contrast"] }), `${name}, dark`).toEqual([]);
      await page.evaluate('document.documentElement.dataset.theme = "light"');
      await page.keyboard.press("Escape");
    }
  });

  it("works on a narrow screen, in the dark and in Chinese", async () => {
    const { page } = stage();
    await visit(page, "live");
    await page.getByRole("button", { name: "Dark theme" }).click();
    await shoot(page, "live-dark");
    await page.getByRole("button", { name: "切换到中文" }).click();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "页面" }).click();
    await page.getByRole("link", { name: "策略" }).click();
    await page.getByRole("heading", { name: "策略", exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await page.evaluate("document.documentElement.lang")).toBe("zh-CN");
    await page.reload();
    await page.getByRole("heading", { name: "策略", exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  });
}

/** Something to draw: calls of several tools, more and fewer of them, some of which fail. */
async function makeTraffic(fixture: Fixture, forMs: number): Promise<void> {
  const until = Date.now() + forMs;
  for (let at = 0; Date.now() < until; at += 1) {
    const busy = 1 + Math.round(4 + 4 * Math.sin(at / 12));
    const calls = Array.from({ length: busy }, (_, n) =>
      n % 7 === 6
        ? callTool(fixture, "read_file", { path: `missing-${at}.md` })
        : n % 2 === 0
          ? callTool(fixture, "base64_encode", { text: `${at} ${n}` })
          : callTool(fixture, "shell_exec", { command: `echo ${at} ${n}` }),
    );
    await Promise.all(calls);
  }
}

async function openSecond(page: Page): Promise<void> {
  await rows(page).nth(1).click();
  await page.getByRole("complementary").waitFor();
}

async function explain(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Tool" }).fill("shell_exec");
  await page.getByLabel("Arguments as JSON").fill('{ "command": "git status && rm -rf build" }');
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("Decided by").waitFor();
}

/** A picture for the docs; only kept where it is asked for, since no two runs give the same bytes. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  const picture = await sharp(await page.screenshot())
    .png({ palette: true, effort: 7 })
    .toBuffer();
  expect(picture.length).toBeGreaterThan(8000);
  expect(picture.length).toBeLessThan(150_000);
  if (!pictures) return;
  mkdirSync(images, { recursive: true });
  writeFileSync(join(images, `console-${name}.png`), picture);
}
