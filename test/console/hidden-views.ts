import type { Page } from "playwright-core";
import { expect } from "vitest";
import { rows } from "./call-suite.js";

/** What is not on a page until somebody opens it. */
export const hiddenViews: readonly {
  readonly name: string;
  readonly path: string;
  /** The page around it is looked at elsewhere. */
  readonly within: string;
  readonly open: (page: Page) => Promise<unknown>;
}[] = [
  {
    name: "schema of a tool",
    path: "tools/shell_exec",
    within: "main",
    open: (page) => openTab(page, "Schema"),
  },
  {
    name: "facts of a tool",
    path: "tools/shell_exec",
    within: "main",
    open: (page) => openTab(page, "State and history"),
  },
  { name: "memories", path: "plan", within: "main", open: (page) => openTab(page, "Memory") },
  { name: "undo", path: "changes", within: "[role=dialog]", open: openUndo },
  { name: "replay", path: "log", within: "aside", open: openReplay },
  { name: "refusal", path: "approvals", within: "article", open: openRefusal },
];

function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole("tab", { name }).click();
}

async function openUndo(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /Undo the change to/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("region").first().waitFor();
}

async function openReplay(page: Page): Promise<void> {
  await page.getByRole("searchbox").fill("task:replayed-task");
  await expect.poll(() => rows(page).count()).toBe(2);
  await rows(page).first().click();
  await page.getByRole("button", { name: "Replay this task" }).click();
  await page.getByText("Same results").waitFor();
}

async function openRefusal(page: Page): Promise<void> {
  await page.getByRole("button", { name: "No", exact: true }).first().click();
  await page.getByRole("textbox", { name: "Reason (the agent will see it)" }).waitFor();
}
