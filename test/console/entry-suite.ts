import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Stage } from "./console-fixture.js";

interface SessionRow {
  readonly id: string;
  readonly browser: string;
}

/** How a real browser comes in, stays in and leaves. */
export function entrySuite(stage: () => Stage): void {
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    context = await stage().browser.newContext({ locale: "en-GB" });
    context.setDefaultTimeout(100_000);
    page = await context.newPage();
  });
  afterAll(() => context?.close());

  const connected = (tab: Page) => tab.locator('[data-connection="open"]').waitFor();
  const sessions = async () => (await stage().fixture.api("GET", "/api/sessions")) as readonly SessionRow[];

  it("by a link that works once and leaves no trace in the address or the history", async () => {
    const { fixture } = stage();
    const link = await fixture.newLink();
    const sent: Promise<Readonly<Record<string, string>>>[] = [];
    page.on("request", (request) => sent.push(request.allHeaders()));
    await page.goto(link);
    await connected(page);
    expect(page.url()).toBe(`${fixture.url}/`);
    const code = new URL(link).searchParams.get("code") ?? "";
    const referers = (await Promise.all(sent)).map((headers) => headers["referer"] ?? "");
    expect(referers.filter((referer) => referer.includes(code))).toEqual([]);
    page.removeAllListeners("request");
    await page.goBack().catch(() => undefined); // nothing lies before it
    expect(page.url()).not.toContain("code=");
    const stranger = await stage().browser.newContext();
    const second = await stranger.newPage();
    expect((await second.goto(link))?.status()).toBe(401);
    const told = await second.locator("body").innerText();
    expect(told).toContain("already been used");
    expect(told).toContain("tenon serve link");
    expect((await second.goto(fixture.url))?.status()).toBe(401);
    expect(await second.locator("body").innerText()).toContain("tenon serve link");
    await stranger.close();
    await page.goto(fixture.url);
    await connected(page);
  });

  it("and stays in after a reload and in a second tab, but not by its cookie alone", async () => {
    const { fixture } = stage();
    await page.reload();
    await connected(page);
    const tab = await context.newPage();
    await tab.goto(`${fixture.url}/#/tools`);
    await connected(tab);
    await tab.close();
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    expect(await page.evaluate("document.cookie")).toBe("");
    // A server at another port of the machine is sent the cookie by the browser, and can do nothing with it.
    const heard: string[] = [];
    const neighbor = createServer((request, response) => {
      heard.push(request.headers.cookie ?? "");
      response.setHeader("content-type", "text/html").end("<p>another port</p>");
    });
    await new Promise<void>((resolve) => neighbor.listen(0, "127.0.0.1", resolve));
    const visited = await context.newPage();
    await visited.goto(`http://127.0.0.1:${(neighbor.address() as AddressInfo).port}/`);
    await visited.close();
    neighbor.close();
    const cookie = heard.find((text) => text.includes("tenon_")) ?? "";
    expect(cookie).not.toBe("");
    for (const path of ["/api/approvals", "/api/feed", "/api/sessions", "/api/about"])
      expect((await fetch(fixture.url + path, { headers: { cookie } })).status).toBe(401);
  });

  it("and is out within a second when its session is ended elsewhere, or when its person signs out", async () => {
    const { fixture } = stage();
    const [row] = await sessions();
    expect(row?.browser).toMatch(/^Chrome on /);
    await fixture.api("DELETE", `/api/sessions/${row?.id}`);
    await page.getByRole("heading", { name: "Sign-in link required" }).waitFor();
    await page.goto(await fixture.newLink());
    await connected(page);
    const before = (await sessions()).length;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign-in link required" }).waitFor();
    expect((await sessions()).length).toBe(before - 1);
    expect(await context.cookies()).toEqual([]);
    expect((await page.goto(fixture.url))?.status()).toBe(401);
  });
}
