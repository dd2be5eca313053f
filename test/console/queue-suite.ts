import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { ripe, waiting } from "./answer-suite.js";
import { callTool } from "./call-suite.js";
import { type Stage, visit } from "./console-fixture.js";

/** What waits for a person as a queue: found, changed, refused together, and the same on every screen. */
export function queueSuite(stage: () => Stage): void {
  const write = (path: string, content = "x") => callTool(stage().fixture, "write_file", { path, content });
  const filled = async (page: Page, count: number): Promise<void> => {
    await visit(page, "approvals");
    await expect.poll(() => waiting(page).count()).toBeGreaterThanOrEqual(count);
  };
  const refuseAll = (reason: string): Promise<unknown> =>
    stage().fixture.api("POST", "/api/approvals/refuse", { session: "console", reason });

  // What a test left waiting, at the server or still on the page, is not the next one's.
  afterEach(async () => {
    await refuseAll("over");
    await expect.poll(() => waiting(stage().page).count()).toBe(0);
  });

  it("says who waits for what, and is filtered and grouped", async () => {
    const { fixture, page } = stage();
    const calls = [
      write("one.txt"),
      write("two.txt"),
      callTool(fixture, "shell_exec", { command: "make it" }),
    ];
    await filled(page, 3);
    await page.getByRole("searchbox", { name: /^Filter/ }).fill("shell");
    await expect.poll(() => waiting(page).count()).toBe(1);
    expect(await waiting(page).innerText()).toMatch(/critical\s+shell_exec/);
    await page.getByRole("article", { name: /shell_exec/ }).waitFor();
    await page.getByRole("searchbox", { name: /^Filter/ }).fill("");
    await page.getByRole("combobox", { name: "Group by" }).selectOption("tool");
    // Three requests, and a heading for each of the two tools.
    await expect.poll(() => waiting(page).count()).toBe(5);
    await page.getByRole("combobox", { name: "Group by" }).selectOption("none");
    const pane = page.getByRole("article");
    await pane.getByText("Requested by").waitFor();
    // The line stands once, not among the arguments, the commands and the details.
    await waiting(page).filter({ hasText: "shell_exec" }).click();
    await expect.poll(() => pane.getByText("make it", { exact: true }).count()).toBe(1);
    await refuseAll("enough");
    for (const call of calls) expect(await call).toMatchObject({ error: { code: "APPROVAL_DENIED" } });
  });

  it("allows a call with changed arguments, shown as a difference, and asks again where they do not fit", async () => {
    const { fixture, page } = stage();
    const call = write("edited.txt", "as asked");
    await filled(page, 1);
    await ripe(page);
    await page.keyboard.press("e");
    const area = page.getByRole("textbox", { name: "Arguments, as JSON" });
    const allow = page.getByRole("button", { name: "Allow once with these arguments" });
    await area.fill("{ not json");
    expect(await allow.isDisabled()).toBe(true);
    await area.fill(JSON.stringify({ path: "edited.txt", content: 7 }));
    await allow.click();
    await page.getByRole("alert").filter({ hasText: "ARGUMENTS_INVALID" }).waitFor();
    await area.fill((await area.inputValue()).replace("7", '"as changed"'));
    await page
      .getByText(/^\+.*as changed/)
      .first()
      .waitFor();
    await page
      .getByText(/^-.*as asked/)
      .first()
      .waitFor();
    await allow.click();
    expect(await call).toMatchObject({ success: true });
    expect(readFileSync(join(fixture.workspace, "edited.txt"), "utf8").trim()).toBe("as changed");
  });

  it("writes what cannot be seen as escapes where arguments are edited", async () => {
    const { page } = stage();
    const call = write("bidi.txt", "left \u202Eright\u200B end");
    await filled(page, 1);
    await page.getByRole("article").getByText("⟨U+202E⟩").first().waitFor();
    await ripe(page);
    await page.keyboard.press("e");
    const area = page.getByRole("textbox", { name: "Arguments, as JSON" });
    expect(await area.inputValue()).toContain(String.raw`left \u202eright\u200b end`);
    await page.keyboard.press("Escape");
    await refuseAll("seen");
    expect(await call).toMatchObject({ success: false });
  });

  it("refuses all of a session with one reason", async () => {
    const { page } = stage();
    const calls = ["r1.txt", "r2.txt", "r3.txt"].map((path) => write(path));
    await filled(page, 3);
    await ripe(page);
    await page.keyboard.press("r");
    await page.getByRole("textbox", { name: /^Reason/ }).fill("not today");
    await page.getByRole("checkbox", { name: "All 3 requests of this session" }).check();
    await page.getByRole("button", { name: "Refuse" }).click();
    for (const call of calls) expect(JSON.stringify(await call)).toContain("not today");
    await page.getByText("No requests are waiting.").waitFor();
  });

  it("shows an answer on every screen at once, and tells the second who was first", async () => {
    const { fixture, browser, page } = stage();
    const other = await browser.newContext({ locale: "en-GB" });
    try {
      const second = await other.newPage();
      await second.goto(await fixture.newLink());
      const call = write("shared.txt");
      await Promise.all([filled(page, 1), filled(second, 1)]);
      const [pending] = (await fixture.api("GET", "/api/approvals")) as { id: string }[];
      // The second screen hears of nothing and answers what it still shows.
      await second.route("**/api/approvals/*", async (route) => {
        await fixture.api("POST", `/api/approvals/${pending?.id ?? ""}`, { verdict: "once" });
        await route.continue();
      });
      await ripe(second);
      await second.getByRole("button", { name: /^Once/ }).click();
      await second
        .getByRole("status")
        .filter({ hasText: /answered first.*channel api: once/ })
        .waitFor();
      expect(await call).toMatchObject({ success: true });
      await expect.poll(() => waiting(page).count()).toBe(0);
    } finally {
      await other.close();
    }
  });

  it("keeps the answers on the screen however long the request is, and tells all keys", async () => {
    const { page } = stage();
    const call = write("long.txt", "line\n".repeat(3000));
    await filled(page, 1);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const box = await page.getByRole("article").getByRole("button", { name: /^No/ }).boundingBox();
      expect((box?.y ?? 1e6) + (box?.height ?? 0), String(width)).toBeLessThanOrEqual(800);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await ripe(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Edit the arguments, then allow").waitFor();
    // Below a dialog no key answers.
    await page.keyboard.press("a");
    await page.keyboard.press("Escape");
    expect(await waiting(page).count()).toBe(1);
    await refuseAll("too long");
    expect(await call).toMatchObject({ success: false });
  });

  it("stays quick with 200 requests: only the rows in view are drawn", async () => {
    const { page } = stage();
    const calls = Array.from({ length: 200 }, (_, at) => write(`many-${at}.txt`));
    await visit(page, "approvals");
    await page.getByText("200 of 200").waitFor();
    expect(await waiting(page).count()).toBeLessThan(60);
    const before = await page.getByRole("article").innerText();
    for (let step = 0; step < 30; step += 1) await page.keyboard.press("j");
    await expect.poll(() => page.getByRole("article").innerText()).not.toBe(before);
    await refuseAll("too many");
    await Promise.all(calls);
    await page.getByText("No requests are waiting.").waitFor();
  });
}
