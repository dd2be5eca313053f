import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { accessSuite } from "./access-suite.js";
import { answerSuite } from "./answer-suite.js";
import { breakSuite } from "./break-suite.js";
import { callSuite } from "./call-suite.js";
import { type Fixture, openBrowser, openFixture } from "./console-fixture.js";
import { entrySuite } from "./entry-suite.js";
import { queueSuite } from "./queue-suite.js";
import { safetySuite } from "./safety-suite.js";

let fixture: Fixture;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const tiny = fileURLToPath(new URL("tiny-mcp-server.mjs", import.meta.url));
  [fixture, browser] = await Promise.all([
    openFixture(
      { mode: "ask", mcpServers: { tiny: { command: process.execPath, args: [tiny] } } },
      { "notes.md": "# Notes\n\nfirst\n" },
    ),
    openBrowser(),
  ]);
  context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    colorScheme: "light",
  });
  context.setDefaultTimeout(100_000);
  page = await context.newPage();
  await page.goto(await fixture.newLink());
});

afterAll(async () => {
  await browser?.close();
  await fixture?.close();
});

const stage = () => ({ fixture, browser, context, page });

describe("the console shows and steers calls", () => {
  callSuite(stage);
});
describe("the console carries the answers of a person", () => {
  answerSuite(stage);
});
describe("the console has a queue of what waits", () => {
  queueSuite(stage);
});
describe("the console outlives a broken connection", () => {
  breakSuite(stage);
});
describe("the console lets a browser in", () => {
  entrySuite(stage);
});
describe("the console is safe", () => {
  safetySuite(stage);
});
describe("the console can be read by everybody", () => {
  accessSuite(stage);
});
