import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/contract/define-tool.js";
import { openTestServer, type TestServer } from "../../src/server/testing/open-server.js";
import { openBrowser, visit } from "./console-fixture.js";

let at: TestServer;
let browser: Browser;

const dozen = (version: string) =>
  defineTool({
    name: "dozen",
    version,
    description: "Say how many a dozen is.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: () => ({ count: 12 }),
  });

beforeAll(async () => {
  const dist = fileURLToPath(new URL("../../dist/console", import.meta.url));
  [at, browser] = await Promise.all([openTestServer({ consoleFolders: [dist] }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await at?.close();
});

it("shows the versions that share the calls of a tool, also on a phone", async () => {
  at.tenon.registry.registerMany([dozen("1.0.0"), dozen("2.0.0")]);
  at.tenon.registry.experiment("dozen", [
    { version: "1.0.0", weight: 3 },
    { version: "2.0.0", weight: 1 },
  ]);
  for (let call = 0; call < 40; call++)
    await at.tenon.createSession({ id: `session-${call}` }).call({ name: "dozen", arguments: {} });
  const page = await browser.newPage({ locale: "en-GB", viewport: { width: 390, height: 844 } });
  await page.goto(at.server.createLink().link);
  await page.locator('[data-connection="open"]').waitFor();
  await visit(page, "metrics");
  const cells = page.getByRole("region", { name: "A/B" }).last().getByRole("cell");
  await cells.first().waitFor();
  const said = await cells.allInnerTexts();
  expect([said.slice(0, 3), said.slice(7, 10)]).toEqual([
    ["dozen", "1.0.0", "3"],
    ["dozen", "2.0.0", "1"],
  ]);
  expect(Number(said[3]) + Number(said[10])).toBe(40);
  expect(await cells.nth(3).getAttribute("data-label")).toBe("Calls");
});
