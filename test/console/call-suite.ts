import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { type Fixture, type Stage, visit } from "./console-fixture.js";

/** What a person does with calls: see, approve, refuse, answer, try, take back. */
export function callSuite(stage: () => Stage): void {
  it("shows a call made over MCP as it happens", async () => {
    const { fixture, page } = stage();
    await page.locator('[data-connection="open"]').waitFor();
    const client = await fixture.mcp();
    expect(await rows(page).count()).toBe(0);
    const answer = await client.callTool({ name: "current_time", arguments: {} });
    const id = String(answer._meta?.["tenon/callId"]);
    await page.locator(`[data-call="${id}"][data-state="succeeded"]`, { hasText: "current_time" }).click();
    await page.getByRole("complementary").getByText(id).waitFor();
    await page.getByRole("complementary").getByText("timezone").waitFor();
  });

  it("lets a dangerous call wait, shows its diff, and lets it go on by the key for once", async () => {
    const { fixture, page } = stage();
    const client = await fixture.mcp();
    await client.callTool({ name: "read_file", arguments: { path: "notes.md" } });
    const call = client.callTool({
      name: "write_file",
      arguments: { path: "notes.md", content: "# Notes\n\nsecond\n" },
    });
    await page.getByRole("link", { name: /Approvals 1/ }).waitFor();
    expect(await page.title()).toMatch(/^\(1\)/);
    await visit(page, "approvals");
    const card = page.getByRole("article", { name: /write_file/ });
    await card.getByText("-first").waitFor();
    await card.getByText("+second").waitFor();
    await card.getByText("built-in:dangerous", { exact: true }).waitFor();
    expect(readFileSync(join(fixture.workspace, "notes.md"), "utf8")).toContain("first");
    await pressUntilGone(page, "a");
    expect((await call).isError ?? false).toBe(false);
    expect(readFileSync(join(fixture.workspace, "notes.md"), "utf8")).toContain("second");
  });

  it("carries a refusal with its reason to the caller", async () => {
    const { fixture, page } = stage();
    const client = await fixture.mcp();
    await visit(page, "approvals");
    const call = client.callTool({
      name: "shell_exec",
      arguments: { command: "touch made.txt && rm -rf notes.md" },
    });
    const card = page.getByRole("article", { name: /shell_exec/ });
    await card.getByRole("list", { name: "Commands" }).getByText("rm -rf notes.md").waitFor();
    await card.getByRole("button", { name: /^No/ }).click();
    await page.keyboard.type("not in this folder");
    await page.keyboard.press("Enter");
    const answer = await call;
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain("not in this folder");
  });

  it("answers a question of a tool, a confirmation and a review with an edit", async () => {
    const { fixture, page } = stage();
    await visit(page, "approvals");
    const asked = callTool(fixture, "ask_user", {
      question: "Which separator?",
      options: ["comma", "semicolon"],
    });
    await page.getByRole("button", { name: "semicolon" }).click();
    expect(await asked).toMatchObject({ result: { answer: "semicolon" } });
    const confirmed = callTool(fixture, "request_confirmation", { stage_name: "plan", message: "Go on?" });
    await page.getByRole("button", { name: "Yes" }).click();
    expect(await confirmed).toMatchObject({ result: { approved: true } });
    const reviewed = callTool(fixture, "review_with_feedback_content", { title: "Notes", content: "draft" });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Text to review" }).fill("final");
    await page.getByRole("button", { name: "Send my edit" }).click();
    expect(await reviewed).toMatchObject({ result: { action: "edit", content: "final" } });
  });

  it("makes a form from the schema and shows the envelope of the call", async () => {
    const { fixture, page } = stage();
    await visit(page, "tools");
    await page.getByRole("searchbox", { name: "Search tools" }).fill("base64");
    await page.getByRole("link", { name: /base64_encode/ }).click();
    await page.getByRole("tab", { name: "Try it" }).waitFor();
    await page.getByRole("textbox").first().fill("hello");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("region", { name: "Result of the call" }).getByText("aGVsbG8=").first().waitFor();
    const enabled = page.getByRole("switch", { name: "Enabled" });
    await enabled.click();
    await page.getByText("Disabled").first().waitFor();
    expect(await fixture.api("GET", "/api/tools/base64_encode")).toMatchObject({ enabled: false });
    await enabled.click();
    await page.locator('[role="switch"][aria-label="Enabled"][data-state="checked"]').waitFor();
  });

  it("takes a change back after showing what that does", async () => {
    const { fixture, page } = stage();
    await visit(page, "changes");
    await page.getByRole("button", { name: "Undo the change to notes.md" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("+first").waitFor();
    await dialog.getByRole("button", { name: "Undo now" }).click();
    await dialog.getByText("Undone: 1 file").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(readFileSync(join(fixture.workspace, "notes.md"), "utf8")).toContain("first");
  });

  it("stops a running call from the list", async () => {
    const { fixture, page } = stage();
    await visit(page, "live");
    const call = callTool(fixture, "ask_user", { question: "Still there?" });
    await page.locator('[data-call][data-state="asking"]').first().click();
    await page.getByRole("button", { name: "Stop call" }).click();
    expect(await call).toMatchObject({ success: false });
  });

  it("finds calls in the log and verifies its chain", async () => {
    const { page } = stage();
    await visit(page, "log");
    await page.getByRole("searchbox", { name: "Search the log" }).fill("rm -rf");
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).filter({ hasText: "shell_exec" }).click();
    await page.getByRole("complementary").getByText("not in this folder").first().waitFor();
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(/Intact: \d+ records/).waitFor();
  });

  it("explains what the policy would decide", async () => {
    const { page } = stage();
    await visit(page, "policy");
    await page.getByRole("combobox", { name: "Tool" }).fill("shell_exec");
    await page.getByLabel("Arguments as JSON").fill('{ "command": "git status && rm -rf /" }');
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Decided by").waitFor();
    const verdicts = page.getByRole("listitem").filter({ hasText: "rm -rf /" });
    expect(await verdicts.first().innerText()).toMatch(/^(deny|ask)/);
  });
}

/** A call by the API, which does not wait for the page. */
export function callTool(fixture: Fixture, name: string, args: unknown, taskId?: string): Promise<unknown> {
  return fixture.api("POST", `/api/tools/${name}/call`, {
    arguments: args,
    ...(taskId === undefined ? {} : { taskId }),
  });
}

/** The rows of the list on the page. */
export function rows(page: Page): Locator {
  return page.locator('[role="option"]');
}

/** A card takes keys only once it has been in front for a moment. */
async function pressUntilGone(page: Page, key: string): Promise<void> {
  const card = page.locator("[data-card]");
  for (let tries = 0; tries < 40 && (await card.count()) > 0; tries += 1) {
    await page.keyboard.press(key);
    await card
      .first()
      .waitFor({ state: "detached", timeout: 100 })
      .catch(() => undefined);
  }
}
