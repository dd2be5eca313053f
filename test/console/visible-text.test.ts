import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomText } from "../../src/text/visible-text.fixture.js";
import { fromVisibleText } from "../../src/text/visible-text.js";
import { callTool } from "./call-suite.js";
import { type Fixture, openBrowser, openFixture, visit } from "./console-fixture.js";

let fixture: Fixture;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const rules = [{ id: "look", decision: "ask", tool: "json_parse" }];
  [fixture, browser] = await Promise.all([openFixture({ mode: "ask", policy: { rules } }), openBrowser()]);
  page = await browser.newPage({ locale: "en-GB" });
  page.setDefaultTimeout(100_000);
  await page.goto(await fixture.newLink());
  await page.locator('[data-connection="open"]').waitFor();
  await visit(page, "approvals");
});

afterAll(async () => {
  await browser?.close();
  await fixture?.close();
});

/** Ask for consent to a call, look at it, and refuse it. */
async function look(tool: string, args: unknown, inspect: (card: Locator) => Promise<void>): Promise<void> {
  const call = callTool(fixture, tool, args);
  const card = page.getByRole("article", { name: new RegExp(tool) });
  await card.waitFor();
  await inspect(card);
  await card.getByRole("button", { name: /^No/ }).click();
  await card.getByRole("button", { name: "Refuse" }).click();
  expect(await call).toFailWith("APPROVAL_DENIED");
  await card.waitFor({ state: "detached" });
}

describe("what a person sees in the browser", () => {
  it("decodes to the same code points, for a text of all characters", async () => {
    const texts = Array.from({ length: 60 }, (_, seed) => randomText(seed + 1).toWellFormed());
    const text = `${texts.join("\n")}\nthe end`;
    await look("json_parse", { text }, async (card) => {
      const shown = await card.getByRole("region", { name: "text", exact: true }).innerText();
      expect(fromVisibleText(shown) === text).toBe(true);
    });
  });

  it("holds every line of a heredoc, what an escape sequence would hide too", async () => {
    const command = "python3 - <<'X'\nprint(1)\n\u001b]0;\nopen('made', 'w')\n\u001b\\\n\u001b[8mlast\nX";
    await look("shell_exec", { command }, async (card) => {
      const shown = await card.getByRole("region", { name: "command", exact: true }).innerText();
      expect(fromVisibleText(shown)).toBe(command);
      expect(shown).toContain("⟨ESC⟩]0;\nopen('made', 'w')\n⟨ESC⟩\\\n⟨ESC⟩[8mlast");
    });
  });

  it("takes no consent to what is folded, says how much that is, and opens it whole", async () => {
    const text = `${"\n".repeat(20_000)}${"line\n".repeat(30_000)}the end`;
    await look("json_parse", { text }, async (card) => {
      const once = card.getByRole("button", { name: /^Once/ });
      await card.getByText(/[\d,]+ lines \([\d,]+ characters\) not shown/).waitFor();
      await card.getByText("Expand the folded text above before you allow this.").waitFor();
      expect(await once.isDisabled()).toBe(true);
      const more = card.getByRole("button", { name: "Show more" });
      while ((await more.count()) > 0) await more.click();
      await card.getByText("50,001 lines: scroll").waitFor();
      expect(await once.isDisabled()).toBe(false);
      const shown = await card.getByRole("region", { name: "text", exact: true }).innerText();
      expect(shown === text).toBe(true);
    });
  });

  it("shows a long line of a diff whole, with what is hidden in it", async () => {
    const content = `${"x".repeat(5000)}\u202e${"y".repeat(5000)} end\n`;
    await look("write_file", { path: "long.txt", content }, async (card) => {
      const shown = await card.getByRole("region", { name: "Difference" }).innerText();
      expect(fromVisibleText(shown)).toContain(`+${content.trimEnd()}`);
    });
  });
});
