import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../console/src/pages.js";
import { callTool, rows } from "./call-suite.js";
import { type Stage, visit } from "./console-fixture.js";
import { type LooseWire, openLooseWire } from "./loose-wire.js";

/** A connection that breaks while the server goes on: the page has every call once in the end. */
export function breakSuite(stage: () => Stage): void {
  let wire: LooseWire;
  let page: Page;

  beforeAll(async () => {
    const { fixture, context } = stage();
    wire = await openLooseWire(fixture.url);
    page = await context.newPage();
    await page.goto(await fixture.newLink(wire.url));
    await page.locator('[data-connection="open"]').waitFor();
  });
  afterAll(async () => {
    await page?.close();
    wire?.close();
  });

  const pull = async () => {
    wire.pull();
    await page.getByRole("alert").getByText("Connection lost. Reconnecting…").waitFor();
  };
  const plug = async () => {
    wire.plug();
    await page.locator('[data-connection="open"]').waitFor();
  };
  const encode = (text: string) => callTool(stage().fixture, "base64_encode", { text });
  const answer = async (kind: "approvals" | "questions", body: unknown) => {
    const [{ id }] = (await stage().fixture.api("GET", `/api/${kind}`)) as [{ id: string }];
    await stage().fixture.api("POST", `/api/${kind}/${id}`, body);
  };
  const only = (text: string) => page.getByRole("searchbox").fill(text);

  it("says that no worker answers, as a front of a fleet does, and goes on when one does", async () => {
    const { fixture, context } = stage();
    const front = await context.newPage();
    const error = { code: "WORKSPACE_UNAVAILABLE", message: "No worker with the volume v is there." };
    await front.route("**/api/calls?*", (route) => route.fulfill({ status: 503, json: { error } }));
    await front.goto(await fixture.newLink());
    await front.getByRole("alert").getByText("No worker answers for this workspace.").waitFor();
    expect(await front.getByText("Connection lost").count()).toBe(0);
    await front.unroute("**/api/calls?*");
    await front.locator('[data-connection="open"]').waitFor();
    await front.getByText("No worker answers").waitFor({ state: "detached" });
    await front.close();
  });

  it("keeps all pages usable while the server is away, and they are whole when it is back", async () => {
    const paths = pages.map(({ name }) => name);
    // The files of all pages are loaded ahead.
    const isLoaded =
      'performance.getEntriesByType("resource").some(({ name }) => name.includes("trace-page"))';
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
    await pull();
    for (const path of paths) {
      await visit(page, path);
      expect(await page.getByText("could not be shown").count(), path).toBe(0);
    }
    await plug();
    for (const path of paths) {
      await visit(page, path);
      await page.locator("main").getByText("The server cannot be reached.").waitFor({ state: "detached" });
    }
    await visit(page, "live");
  });

  it("says so where a file of another version is gone, and keeps the rest", async () => {
    const { context, fixture } = stage();
    const late = await context.newPage();
    // Nothing was loaded ahead.
    await late.addInitScript("window.requestIdleCallback = () => 0");
    for (const name of ["policy-page", "palette"])
      await late.route(`**/assets/${name}-*`, (route) => route.fulfill({ status: 404 }));
    await late.goto(await fixture.newLink());
    await late.locator('[data-connection="open"]').waitFor();
    await visit(late, "policy");
    const note = late.getByText("This part of the console could not be shown.");
    await note.waitFor();
    await late.keyboard.press("Control+k");
    await expect.poll(() => note.count()).toBe(2);
    await visit(late, "log");
    await late.getByRole("searchbox", { name: "Search the log" }).waitFor();
    await late.unrouteAll();
    await visit(late, "policy");
    await late.getByRole("button", { name: "Reload" }).last().click();
    await late.getByRole("region", { name: "Rules", exact: true }).waitFor();
    await late.close();
  });

  it("offers to reload where page and server are of different versions, whatever the answers are", async () => {
    const { context, fixture } = stage();
    const old = await context.newPage();
    let isReloaded = false;
    await old.route("**/api/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      if (isReloaded || pathname === "/api/feed") return route.continue();
      if (pathname !== "/api/about") return route.fulfill({ json: { another: "version" } });
      return route.fulfill({ json: { version: "9.0.0", startedAt: 1, consoleScript: "index-another.js" } });
    });
    await old.goto(await fixture.newLink());
    for (const { name } of pages) {
      await visit(old, name);
      await old.getByRole("alert").getByText("The server has been updated to another version.").waitFor();
      expect(await old.getByRole("navigation", { name: "Pages" }).count(), name).toBe(1);
    }
    // The note goes as soon as the server answers like its own version, so that it must not before the click.
    old.on("request", (request) => (isReloaded ||= request.isNavigationRequest()));
    await old.getByRole("alert").getByRole("button", { name: "Reload" }).first().click();
    await old.locator('[data-connection="open"]').waitFor();
    await old.getByText("another version").waitFor({ state: "detached" });
    await old.close();
  });

  it("misses no call that was made before the page had seen any event", async () => {
    await pull();
    for (const at of [1, 2, 3]) await encode(`unseen ${at}`);
    await plug();
    await only("unseen");
    await page.locator('[data-call][data-state="succeeded"]', { hasText: "unseen 3" }).waitFor();
    expect(await shown(page)).toEqual(["unseen 1", "unseen 2", "unseen 3"]);
  });

  it("has every call once, and every piece of output, after several breaks", async () => {
    const { fixture } = stage();
    const asked = callTool(fixture, "ask_user", { question: "during the breaks" });
    await only("during the breaks");
    await page.locator('[data-call][data-state="asking"]').waitFor();
    const command = "echo said-before; while ! test -e go-on; do sleep 0.05; done; echo said-after";
    // With a terminal it runs directly on the workspace, so that it sees the file.
    const ran = callTool(fixture, "shell_exec", { command, pty: true });
    await page.getByRole("link", { name: /Approvals 2/ }).waitFor();
    await answer("approvals", { verdict: "once" });
    await only("said-before");
    await rows(page).click();
    const output = page.getByRole("complementary").getByRole("region", { name: "Output" });
    await output.getByText("said-before").waitFor();
    for (const round of [1, 2]) {
      await encode(`round ${round} joined`);
      await pull();
      await Promise.all([1, 2, 3, 4].map((at) => encode(`round ${round} apart ${at}`)));
      if (round === 2) {
        await answer("questions", { text: "yes" });
        writeFileSync(join(fixture.workspace, "go-on"), "");
        await ran;
      }
      await plug();
    }
    expect(await asked).toMatchObject({ result: { answer: "yes" } });
    await page.getByRole("complementary").getByText("succeeded", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Approvals", exact: true }).waitFor();
    await only("round");
    await expect.poll(async () => (await shown(page)).length).toBe(10);
    const apart = (round: number) => [1, 2, 3, 4].map((at) => `round ${round} apart ${at}`);
    expect(await shown(page)).toEqual([...apart(1), "round 1 joined", ...apart(2), "round 2 joined"]);
    await only("during the breaks");
    await page.locator('[data-call][data-state="succeeded"]').waitFor();
    const said = await output.innerText();
    expect(said.match(/said-\w+/g)).toEqual(["said-before", "said-after"]);
    await visit(page, "approvals");
    await page.getByText("No requests are waiting.").waitFor();
  });
}

/** What the calls in the list were given. */
async function shown(page: Page): Promise<readonly string[]> {
  const texts = await rows(page).allInnerTexts();
  return texts.map((text) => /(?:unseen|round)[\w ]*/.exec(text)?.[0].trim() ?? text).sort();
}
