import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startLoginServer } from "../mcp-login-server.js";
import { callTool, rows } from "./call-suite.js";
import { type Stage, visit } from "./console-fixture.js";

const tiny = fileURLToPath(new URL("tiny-mcp-server.mjs", import.meta.url));

/** What a person changes: tasks, memories, rules and MCP servers. */
export function manageSuite(stage: () => Stage): void {
  const focused = () => stage().page.evaluate("document.activeElement.textContent");

  it("moves tasks on the board by drag, by keys that go on with the card, and by finger", async () => {
    const { page, fixture, browser } = stage();
    await callTool(fixture, "create_task", { id: "T-7", title: "Move me", description: "." });
    const statusOf = async () => {
      const { tasks } = (await fixture.api("GET", "/api/plan")) as { tasks: Record<string, unknown>[] };
      return tasks.find(({ id }) => id === "T-7")?.["status"];
    };
    await visit(page, "plan?tab=board");
    const card = page.getByRole("button", { name: /T-7/ });
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    await card.dragTo(column("In progress"));
    await column("In progress").getByText("Move me").waitFor();
    await column("In progress").getByRole("button", { name: /T-7/ }).press("ArrowRight");
    await column("Blocked").getByText("Move me").waitFor();
    await expect.poll(focused).toContain("T-7");
    await page.keyboard.press("ArrowRight");
    await column("Done").getByText("Move me").waitFor();
    expect(await statusOf()).toBe("done");
    const phone = await browser.newContext({ hasTouch: true, isMobile: true, locale: "en-GB" });
    const small = await phone.newPage();
    await small.goto(await fixture.newLink());
    await small.locator('[data-connection="open"]').waitFor();
    await visit(small, "plan?tab=board");
    await small.getByLabel("Status of T-7").selectOption("cancelled");
    await expect.poll(statusOf).toBe("cancelled");
    await phone.close();
  });

  it("edits a memory, promotes it, and forgets it after a question", async () => {
    const { page, fixture } = stage();
    await callTool(fixture, "save_insight", { title: "Pears are late", content: "By two weeks." });
    await visit(page, "plan?tab=memory&q=late");
    const card = page.getByRole("listitem").filter({ hasText: /Pears/ });
    await card.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Content").fill("By three weeks.");
    await page.getByLabel("Tags, separated by commas").fill("harvest, fruit");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await card.getByText("By three weeks.").waitFor();
    await card.getByText("#fruit").waitFor();
    await card.getByRole("button", { name: "Promote to a decision" }).click();
    const decision = card.filter({ has: page.getByText("decision", { exact: true }) });
    await decision.getByRole("button", { name: /^Forget/ }).click();
    await page.getByRole("dialog").getByText("Forget “Pears are late”?").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(focused).toBe("Forget");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await decision.waitFor({ state: "detached" });
    expect(await card.count()).toBe(1);
  });

  it("adds a rule, edits it, and sees each decide", async () => {
    const { page, fixture } = stage();
    await visit(page, "policy");
    const form = page.getByRole("region", { name: "Add a rule" });
    await form.getByLabel("Tool").fill("base64_decode");
    await form.getByLabel("Reason").fill("Not today.");
    await form.getByRole("button", { name: "Save rule" }).click();
    await form.getByText(/^Saved as/).waitFor();
    const decode = () => callTool(fixture, "base64_decode", { encoded: "b25l" });
    expect(JSON.stringify(await decode())).toContain("Not today.");
    const rule = page.getByRole("row").filter({ hasText: "base64_decode" });
    await rule.getByRole("button", { name: /^Edit/ }).click();
    const editing = page.getByRole("region", { name: /^Edit rule/ });
    await editing.getByLabel("Decision").selectOption("allow");
    await editing.getByRole("button", { name: "Save rule" }).click();
    await rule.getByText("allow", { exact: true }).waitFor();
    expect(await decode()).toMatchObject({ success: true });
    await rule.getByRole("button", { name: /^Revoke/ }).click();
    await rule.waitFor({ state: "detached" });
  });

  it("adds an MCP server, tries its tool, reads its log and removes it", async () => {
    const { page, fixture } = stage();
    await visit(page, "mcp");
    await page.getByText("Add a server").click();
    await page.getByLabel("Name", { exact: true }).fill("small");
    await page.getByLabel("Command with its arguments, or an address").fill(`${process.execPath} ${tiny}`);
    await page.getByRole("switch", { name: /outside the sandbox/ }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(/^small was added to/).waitFor();
    const server = page.locator('[data-server="small"]');
    await server.getByText("ready", { exact: true }).waitFor();
    await server.getByRole("button", { name: "Show log" }).click();
    await server
      .getByRole("region", { name: "Log of small" })
      .or(server.getByText(/standard error/))
      .first()
      .waitFor();
    await visit(page, "tools/small:greet");
    await page.getByRole("textbox", { name: /^name/ }).fill("Ada");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("link", { name: /Approvals 1/ }).waitFor();
    const [{ id }] = (await fixture.api("GET", "/api/approvals")) as [{ id: string }];
    await fixture.api("POST", `/api/approvals/${id}`, { verdict: "once" });
    await page.getByRole("region", { name: "Result of the call" }).getByText("Hello, Ada.").first().waitFor();
    await visit(page, "mcp/small");
    // Another source than the user's configuration has this one.
    const configured = page.locator('[data-server="tiny"]');
    await configured.getByText(join(fixture.workspace, "../tenon.json")).waitFor();
    expect(await configured.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
    await server.getByRole("button", { name: "Remove: small" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => server.count()).toBe(0);
  });

  it("logs in to a server behind an address, and its tools are there", async () => {
    const { page, context } = stage();
    const remote = await startLoginServer();
    try {
      await visit(page, "mcp");
      await page.getByText("Add a server").click();
      await page.getByLabel("Name", { exact: true }).fill("locked");
      await page.getByLabel("Command with its arguments, or an address").fill(remote.url);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      const server = page.locator('[data-server="locked"]');
      await server.getByRole("button", { name: "Log in" }).click();
      const [opened] = await Promise.all([
        context.waitForEvent("page"),
        server.getByRole("link", { name: /authorize/ }).click(),
      ]);
      await server.getByText("ready", { exact: true }).waitFor();
      await server.getByText("peek").waitFor();
      // Nothing is left to log in to.
      expect(await page.getByRole("button", { name: "Log in" }).count()).toBe(0);
      await opened.close();
      await server.getByRole("button", { name: "Remove: locked" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await expect.poll(() => server.count()).toBe(0);
    } finally {
      remote.server.closeAllConnections();
      remote.server.close();
    }
  });

  it("offers to add a server only where the user's configuration is not a program", async () => {
    const { page, fixture } = stage();
    const folder = join(fixture.workspace, "../home/.config/tenon");
    const program = join(folder, "config.js");
    await visit(page, "mcp");
    await page.getByText("Add a server").waitFor();
    mkdirSync(folder, { recursive: true });
    writeFileSync(program, "export default {};\n");
    await page.reload();
    await page.getByText("The configuration of this server is a program").waitFor();
    expect(await page.getByText("Add a server").count()).toBe(0);
    const add = { name: "late", server: { command: process.execPath } };
    await expect(fixture.api("POST", "/api/mcp-servers", add)).rejects.toThrow(/409.*CONFIG_IS_PROGRAM/);
    rmSync(program);
    await page.reload();
    await page.getByText("Add a server").waitFor();
  });

  it("pauses Live while another tab goes on, and catches up", async () => {
    const { page, fixture, context } = stage();
    const encode = (text: string) => callTool(fixture, "base64_encode", { text });
    const other = await context.newPage();
    await other.goto(`${fixture.url}/#/live?q=pause`);
    await encode("before the pause");
    await visit(page, "live?q=pause");
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole("button", { name: "Pause" }).click();
    await encode("during the pause");
    await expect.poll(() => rows(other).count()).toBe(2);
    expect(await rows(page).count()).toBe(1);
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    await other.close();
  });
}
