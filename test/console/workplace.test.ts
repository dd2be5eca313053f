import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../console/src/pages.js";
import { callTool, rows } from "./call-suite.js";
import { closeStage, type Fixture, openStage, type Stage, visit } from "./console-fixture.js";

let stage: Stage;
let fixture: Fixture;
let page: Page;
const ids: Record<string, string> = {};

beforeAll(async () => {
  stage = await openStage({ mode: "auto" }, { "notes.md": "# Notes\n\nfirst\n" });
  ({ fixture, page } = stage);
  const call = async (name: string, args: unknown, taskId?: string) => {
    const { callId } = (await callTool(fixture, name, args, taskId)) as { callId: string };
    return callId;
  };
  ids["first"] = await call("base64_encode", { text: "one" }, "letters");
  ids["second"] = await call("base64_encode", { text: "two" }, "letters");
  ids["read"] = await call("read_file", { path: "notes.md" }, "edits");
  ids["edit"] = await call("edit_file", { path: "notes.md", old_text: "first", new_text: "second" }, "edits");
  ids["large"] = await call("base64_encode", { text: "x".repeat(700_000) }, "letters");
});
afterAll(() => closeStage(stage));

const details = () => page.getByRole("complementary");

describe("everything has an address", () => {
  it("keeps search and selection in it, and the back button undoes each step", async () => {
    await visit(page, "log");
    await page.getByRole("searchbox", { name: "Search the log" }).fill("tool:base64_encode task:letters");
    await expect.poll(() => rows(page).count()).toBe(3);
    await rows(page).last().click();
    await details()
      .getByText(ids["first"] ?? "")
      .first()
      .waitFor();
    expect(page.url()).toContain(`#/log/${ids["first"]}?q=tool%3Abase64_encode+task%3Aletters`);
    await page.goBack();
    await expect.poll(() => details().count()).toBe(0);
    expect(await page.getByRole("searchbox").inputValue()).toBe("tool:base64_encode task:letters");
    const other = await stage.context.newPage();
    await other.goto(`${fixture.url}/#/log/${ids["first"]}?q=outcome%3Asuccess`);
    await other.getByRole("complementary").getByText("letters").waitFor();
    expect(await other.getByRole("combobox", { name: "Outcome" }).inputValue()).toBe("success");
    await other.close();
  });

  it("says so where an address, a record, a trace or a tool is unknown", async () => {
    await page.evaluate('location.hash = "#/nonsense"');
    await page.getByRole("heading", { name: "Unknown address" }).waitFor();
    await visit(page, "log/call_nothing");
    await page.getByText("No call with this id is known.").waitFor();
    await visit(page, "trace/nothing");
    await page.getByText("No calls of this task, session or call are known.").waitFor();
    await visit(page, "tools/nothing");
    await page.getByRole("alert").getByText("nothing").waitFor();
    expect(await page.title()).toContain("Tools");
    for (const [path, told] of [
      ["live/call_nothing", "This call is not among the latest ones."],
      ["approvals/nothing", "The request in the address is no longer waiting."],
      ["changes/nothing", "No waiting changes have the id nothing."],
      ["changes?task=nothing", "No matching changes."],
      ["mcp/nothing", "MCP server nothing not found."],
      ["endpoints/nothing", "Endpoint not found."],
      ["policy?from=call_nothing", "not found."],
      ["tools/base64_encode?from=call_nothing", "not found."],
      ["people/nobody", "No page has the address"],
    ] as const) {
      await visit(page, path);
      await page.locator("main").getByText(told).first().waitFor();
    }
  });
});

describe("a call can be worked with", () => {
  it("is in the trace of its task, with what it gave back", async () => {
    await visit(page, "trace");
    await page.getByRole("link", { name: /letters/ }).click();
    await expect.poll(() => page.locator("[data-span]").count()).toBe(3);
    await page.locator(`[data-span="${ids["second"]}"]`).click();
    await details().getByText("dHdv").waitFor();
    expect(page.url()).toContain(`call=${ids["second"]}`);
  });

  it("is run again, sent to the form and compared", async () => {
    await details().getByRole("button", { name: "Run again" }).click();
    await details().getByText("New call").waitFor();
    await details().getByRole("button", { name: "Compare with another call" }).click();
    await page.locator(`[data-span="${ids["first"]}"]`).click();
    await details().getByRole("region", { name: "Difference" }).first().getByText("-text").waitFor();
    await details().getByRole("button", { name: "End comparison" }).click();
    await details().getByRole("link", { name: "Send to form" }).click();
    await page.getByRole("tab", { name: "Try it" }).waitFor();
    expect(await page.getByRole("textbox").first().inputValue()).toBe("one");
  });

  it("is made in a form that has a row for each member of a map, with names of their own", async () => {
    await visit(page, "tools/shell_exec");
    await page.getByRole("textbox", { name: /^command/ }).fill('echo "$GREETING, $NAME"');
    const env = page.getByRole("group", { name: /^env/ });
    const add = env.getByRole("button", { name: "Add" });
    const run = page.getByRole("button", { name: "Run", exact: true });
    await add.click();
    expect(await run.isDisabled()).toBe(true);
    await env.getByLabel("env: name 1").fill("GREETING");
    await env.getByLabel("Value of GREETING").fill("Hello");
    await add.click();
    await env.getByLabel("env: name 2").fill("GREETING");
    await env.getByText("Another entry has this name.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await env.getByLabel("env: name 2").fill("NAME");
    await env.getByLabel("Value of NAME").fill("Ada");
    await run.click();
    await page.getByRole("region", { name: "Result of the call" }).getByText("Hello, Ada").first().waitFor();
    await env.getByRole("button", { name: "Remove NAME" }).click();
    await page.getByRole("switch", { name: "As JSON" }).click();
    expect(JSON.parse(await page.getByRole("textbox", { name: /as JSON$/ }).inputValue())).toMatchObject({
      env: { GREETING: "Hello" },
    });
  });

  it("is read piece by piece where its result is large", async () => {
    await visit(page, `log/${ids["large"]}`);
    const note = details()
      .getByText(/characters, the first .* are shown/)
      .last();
    await note.waitFor();
    await details().getByRole("button", { name: "Read all of it" }).last().click();
    await details()
      .getByText(/Characters 1 to 200,000 of/)
      .waitFor();
    await details().getByRole("button", { name: "Next part" }).click();
    await details()
      .getByText(/Characters 200,001 to 400,000 of/)
      .waitFor();
    expect(await details().getByRole("button", { name: "Previous part" }).isEnabled()).toBe(true);
    // What was not compared is not told to be the same.
    await visit(page, `log/${ids["large"]}?compare=${ids["first"]}`);
    await details().getByText("Of large texts and lists, only the beginnings are compared.").waitFor();
  });

  it("is undone only where there is something to undo, after its diff in place", async () => {
    await visit(page, `log/${ids["read"]}`);
    await details().getByRole("button", { name: "Compare with another call" }).waitFor();
    expect(await details().getByRole("button", { name: "Undo its changes" }).count()).toBe(0);
    await visit(page, `log/${ids["edit"]}`);
    await details().getByRole("link", { name: "Files changed (1)" }).click();
    await page.getByRole("region", { name: "Task edits" }).waitFor();
    await page.getByRole("button", { name: "Show diff: notes.md" }).click();
    const diff = page.getByRole("region", { name: "Difference" });
    await diff.getByText("-first").waitFor();
    await diff.getByText("+second").waitFor();
    await page.getByRole("button", { name: "Undo the change to notes.md" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo now" }).click();
    await page.getByText("Undone: 1 file").waitFor();
    await page.keyboard.press("Escape");
    expect(readFileSync(`${fixture.workspace}/notes.md`, "utf8")).toContain("first");
  });

  it("is exported with all others that fit the search", async () => {
    await visit(page, "log?q=task:letters");
    await page.getByTestId("record-count").getByText("3 records").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain("base64_encode");
  });
});

describe("the keyboard", () => {
  it("reaches every page, the search of each, and a list of all keys, and focus comes back", async () => {
    await visit(page, "live");
    for (const [keys, name] of [
      ["gm", "Metrics"],
      ["go", "Log"],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name }).waitFor();
    }
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.matches('[data-search]')")).toBe(true);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("base64_enc");
    await page
      .getByRole("dialog")
      .getByRole("option", { name: /base64_encode/ })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "base64_encode" }).waitFor();
    await page.getByRole("button", { name: "Search everything" }).focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    // The dialog gives the focus back when it has gone.
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe("Search everything");
  });
});

describe("a phone", () => {
  it("shows every page no wider than itself", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const { name } of pages) {
      await visit(page, name);
      await page.locator("main").getByText("Loading…").first().waitFor({ state: "hidden" });
      const wide = await page.evaluate(
        "[...document.querySelectorAll('main, main > *, header, body')].filter((e) => e.scrollWidth > 391).map((e) => e.outerHTML.slice(0, 200))",
      );
      expect({ name, wide }).toEqual({ name, wide: [] });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("cuts no duration off beside or above an open record, and nor does a small laptop", async () => {
    for (const width of [390, 1024]) {
      await page.setViewportSize({ width, height: 844 });
      for (const address of [`log/${ids["first"]}`, `trace/letters?by=task&call=${ids["first"]}`]) {
        await visit(page, address);
        await rows(page).first().waitFor();
        await details().waitFor();
        const cut =
          await page.evaluate(`[...document.querySelectorAll("main [role=option]")].filter((row) => {
          const inner = row.querySelector(".tabular-nums:last-child");
          return inner.getBoundingClientRect().right > row.getBoundingClientRect().right;
        }).length`);
        expect({ width, address, cut }).toEqual({ width, address, cut: 0 });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
