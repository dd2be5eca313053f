import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { callTool, rows } from "./call-suite.js";
import { type Stage, visit } from "./console-fixture.js";
import { hostileText } from "./hostile-text.js";

/** What must not work, and what must be seen when something breaks. */
export function safetySuite(stage: () => Stage): void {
  it("shows hostile output as text only", async () => {
    const { fixture, page } = stage();
    await visit(page, "live");
    await callTool(fixture, "json_parse", { text: JSON.stringify(hostileText) });
    await rows(page).filter({ hasText: "json_parse" }).first().click();
    const pane = page.getByRole("complementary");
    await pane.getByRole("link", { name: /in the log/ }).click();
    const result = page.getByRole("region", { name: "data", exact: true });
    await result.getByText("<script>", { exact: false }).first().waitFor();
    const text = await result.innerText();
    expect(text).toContain("⟨U+202E⟩");
    expect(text).not.toContain("\u202e");
    expect(text).not.toContain("\u001b");
    expect(text.length).toBeLessThan(40_000);
    await page
      .getByText(/characters\) not shown/)
      .first()
      .waitFor();
    expect(await page.evaluate("document.body.dataset.hacked ?? 'no'")).toBe("no");
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  it("shows output as it comes, as text", async () => {
    const { fixture, page } = stage();
    const call = callTool(fixture, "shell_exec", { command: "echo '<b>first</b>'; sleep 600" });
    await visit(page, "live");
    await rows(page).filter({ hasText: "<b>first" }).first().click();
    const pane = page.getByRole("complementary");
    await pane.getByRole("region", { name: "Output" }).getByText("<b>first</b>").waitFor();
    expect(await pane.getByText("running", { exact: true }).count()).toBe(1);
    await pane.getByRole("button", { name: "Stop call" }).click();
    await pane.getByText("failed", { exact: true }).waitFor();
    expect(await call).toMatchObject({ success: false });
  });

  it("refuses what another site in the same browser tries", async () => {
    const { fixture, context } = stage();
    const before = JSON.stringify(await fixture.api("GET", "/api/tools/base64_encode"));
    const other = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<form id="f" method="post" enctype="text/plain"
        action="${fixture.url}/api/tools/base64_encode/state"><input name='{"enabled":false,"x":"' value='"}'></form>`);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const port = (other.address() as AddressInfo).port;
    const stranger = await context.newPage();
    try {
      for (const host of ["127.0.0.1", "localhost"]) {
        await stranger.goto(`http://${host}:${port}/`);
        expect(await stranger.evaluate(attempts(fixture.url))).toEqual([
          "failed",
          "failed",
          "failed",
          "failed",
        ]);
        await Promise.all([stranger.waitForURL(`${fixture.url}/**`), stranger.evaluate("f.submit()")]);
        expect(await stranger.locator("body").innerText()).toContain(
          "Requests from other sites are not allowed.",
        );
      }
    } finally {
      await stranger.close();
      other.close();
    }
    expect(JSON.stringify(await fixture.api("GET", "/api/tools/base64_encode"))).toBe(before);
  });

  it("answers nothing under a name that is not its own", async () => {
    const { fixture, context } = stage();
    const stranger = await context.newPage();
    const link = await fixture.newLink();
    const response = await stranger.goto(link.replace("127.0.0.1", "rebound.example"));
    expect(response?.status()).toBe(421);
    await stranger.close();
  });

  it("says that the server is gone, and goes on by a new link when it was started again", async () => {
    const { fixture, page } = stage();
    await visit(page, "live");
    await fixture.kill();
    await page.getByRole("alert").getByText("Connection lost. Reconnecting…").waitFor();
    await page.locator('main[data-stale="true"]').waitFor();
    await fixture.restart();
    // Another program may have had the port meanwhile and heard the page ask: nothing that it heard opens anything.
    await page.getByRole("heading", { name: "Sign-in link required" }).waitFor();
    expect(await page.locator("main").innerText()).toContain("tenon serve link");
    const other = await page.context().newPage();
    await other.goto(await fixture.newLink());
    await other.locator('[data-connection="open"]').waitFor();
    // The tabs of one browser share its session.
    await page.locator('[data-connection="open"]').waitFor();
    await other.close();
    expect(await page.getByText("Connection lost").count()).toBe(0);
    await callTool(fixture, "current_time", {});
    await page.locator('[data-call][data-state="succeeded"]', { hasText: "current_time" }).first().waitFor();
  });
}

/** With and without credentials, as a plain request, as JSON, and to read the feed. */
function attempts(url: string): string {
  const target = JSON.stringify(`${url}/api/tools/base64_encode/state`);
  const body = JSON.stringify('{"enabled":false}');
  const send = (init: string) =>
    `fetch(${target}, { method: "POST", credentials: "include", body: ${body}, ${init} }).then((r) => r.type === "opaque" ? "opaque" : String(r.status), () => "failed")`;
  return `Promise.all([
    ${send('headers: { "content-type": "application/json", "x-tenon-console": "1" }')},
    ${send('headers: { "content-type": "text/plain" }')},
    ${send('mode: "no-cors"')},
    new Promise((resolve) => {
      const source = new EventSource(${JSON.stringify(`${url}/api/feed`)}, { withCredentials: true });
      source.onmessage = () => resolve("read");
      source.onerror = () => { source.close(); resolve("failed"); };
    }),
  ])`;
}
