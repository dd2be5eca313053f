import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeStage, type Fixture, openStage, type Stage, visit } from "./console-fixture.js";

let stage: Stage;
let fixture: Fixture;
let page: Page;

beforeAll(async () => {
  const config = { mode: "ask", shell: { askAfter: true }, sandbox: { layers: { enabled: true } } };
  stage = await openStage(config, { "notes.md": "first\n" });
  ({ fixture, page } = stage);
});
afterAll(async () => {
  await closeStage(stage);
});

/** Look at it: set the variable to a folder. */
async function picture(name: string): Promise<void> {
  const dir = process.env["TENON_PICTURES"];
  if (dir !== undefined) await page.screenshot({ path: join(dir, `${name}.png`) });
}

const exists = (path: string): boolean => existsSync(join(fixture.workspace, path));

function run(command: string): Promise<unknown> {
  return fixture.api("POST", "/api/tools/shell_exec/call", { arguments: { command } });
}

describe("the console shows the changes of commands", () => {
  it("asks with what a command changed, and carries the yes and the no", async () => {
    await visit(page, "approvals");
    const agreed = run("echo second >>notes.md; mkdir docs; echo new >docs/a.md");
    const card = page.getByRole("article", { name: /shell_exec/ });
    await card.getByText("+second").waitFor();
    await card.getByText("The command has run on a layer").waitFor();
    await card.getByRole("list", { name: "Changed paths" }).getByText("docs/a.md").waitFor();
    expect(await card.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    await picture("ask-after");
    expect(readFileSync(join(fixture.workspace, "notes.md"), "utf8")).toBe("first\n");
    await card.getByRole("button", { name: /^Once/ }).click();
    expect(await agreed).toMatchObject({ result: { committed: "all" } });
    expect(readFileSync(join(fixture.workspace, "notes.md"), "utf8")).toBe("first\nsecond\n");
    const refused = run("rm -r notes.md docs");
    await card.getByText("-second").waitFor();
    await card.getByRole("button", { name: /^No/ }).click();
    await page.keyboard.press("Enter");
    expect(await refused).toMatchObject({ error: { code: "APPROVAL_DENIED" } });
    expect([exists("notes.md"), exists("docs/a.md")]).toEqual([true, true]);
  });

  it("runs a command dry, shows its diff, and commits or discards chosen paths", async () => {
    await visit(page, "tools/shell_exec");
    await page.getByRole("textbox", { name: /^command/ }).fill("echo 1 >one; echo 2 >two; echo 3 >three");
    await page.getByRole("button", { name: "Dry run" }).click();
    const answer = page.getByRole("region", { name: "Result of the call" });
    await answer.getByRole("region", { name: "Difference" }).getByText("+3").waitFor();
    await answer.getByRole("list", { name: "Changed paths" }).getByText("one", { exact: true }).waitFor();
    await picture("dry-run");
    expect(exists("one")).toBe(false);
    await answer.getByRole("link", { name: /review the changes/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Difference" }).getByText("+2").waitFor();
    await dialog.getByRole("checkbox", { name: /two/ }).check();
    await picture("layer");
    await dialog.getByRole("button", { name: "Commit 1 selected" }).click();
    await dialog.getByRole("checkbox", { name: /two/ }).waitFor({ state: "detached" });
    expect([exists("one"), exists("two"), exists("three")]).toEqual([false, true, false]);
    await dialog.getByRole("checkbox", { name: /three/ }).check();
    await dialog.getByRole("button", { name: "Discard 1 selected" }).click();
    await dialog.getByRole("checkbox", { name: /three/ }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Commit all" }).click();
    await dialog.waitFor({ state: "detached" });
    expect([exists("one"), exists("two"), exists("three")]).toEqual([true, true, false]);
    // What was committed is in the history, with a way back.
    await page.getByRole("button", { name: "Undo the change to one" }).waitFor();
  });

  it("lists what waits in both languages, with the diff in the log", async () => {
    const dry = (await fixture.api("POST", "/api/tools/shell_exec/call", {
      arguments: { command: "echo '<img src=x onerror=alert(1)>\u202e' >'odd <b>'", dry_run: true },
    })) as { callId: string };
    await visit(page, `log/${dry.callId}`);
    const record = page.getByRole("complementary");
    await record.getByText("onerror").first().waitFor();
    await visit(page, "changes");
    await page.getByRole("region", { name: "Not in the workspace" }).getByText("dry run").first().waitFor();
    await picture("waiting");
    await page.getByRole("button", { name: "切换到中文" }).click();
    await page.getByRole("region", { name: "尚未进入工作区" }).getByRole("link", { name: "审核" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("⟨U+202E⟩").first().waitFor();
    await picture("layer-chinese");
    await dialog.getByRole("button", { name: "全部丢弃" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await fixture.api("GET", "/api/layers")).toEqual([]);
  });
});
