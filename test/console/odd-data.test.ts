import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "./axe.js";
import { callTool, rows } from "./call-suite.js";
import { closeStage, type Fixture, openStage, type Stage, visit } from "./console-fixture.js";

const html = '<img src=x onerror="window.hit=1"><b>bold</b>';
const names = ["🍏 emoji", "\u202Ertl שלום", html, "x".repeat(190), "a/b?c#d%zz e", "__proto__"];
const deep = `${'{"down":'.repeat(60)}1${"}".repeat(60)}`;
const values: Readonly<Record<string, string>> = {
  nothing: "null",
  "large number": "1e21",
  "empty text": '""',
  "empty texts": '{"a":"","b":"  ","c":"null","d":"12","e":null,"f":12,"":"no name"}',
  "nested 60 deep": deep,
  "table of odd rows": '[{"a":1,"b":null},{"a":"","c":{"d":[]}},{"__proto__":2}]',
  "tall and wide": JSON.stringify({
    wide: "y".repeat(20_000),
    tall: Array.from({ length: 3000 }, (_, at) => at),
  }),
};

let stage: Stage;
let fixture: Fixture;
let page: Page;
const thrown: string[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  stage = await openStage({ mode: "auto" }, { "list.sql": "-- old comment\nselect 1;\n" });
  ({ fixture, page } = stage);
  page.on("pageerror", (error) => thrown.push(String(error)));
  const call = async (tool: string, args: unknown, taskId?: string) => {
    const { callId } = (await callTool(fixture, tool, args, taskId)) as { callId: string };
    return callId;
  };
  for (const [name, text] of Object.entries(values))
    ids[name] = await call("json_parse", { text }, "odd values");
  for (const name of names) await call("base64_encode", { text: name }, name);
  for (const [at, title] of names.entries()) {
    await call("create_task", { id: `T-${at}`, title, description: title });
    await call("save_insight", { title, content: title, tags: [title.slice(0, 40)] });
  }
  await call("save_prd_doc", { content: "# One\n" });
  await call("save_prd_doc", { content: "# Two\n" });
  await call("read_file", { path: "list.sql" });
  ids["edit"] = await call("edit_file", {
    path: "list.sql",
    old_text: "-- old comment\n",
    new_text: "++ new line\n",
  });
  ids["large"] = await call("base64_encode", { text: "z".repeat(100_000) });
});
afterAll(() => closeStage(stage));

const details = () => page.getByRole("complementary");
const tooWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");

describe("odd data", () => {
  it("is shown by every page, in full or with a way to the rest, at any width", async () => {
    const paths = [
      "live",
      "trace",
      "log",
      "changes",
      "metrics",
      "plan",
      "plan?tab=board",
      "plan?tab=memory",
      "tools/json_parse",
      ...names.map((name) => `trace/${encodeURIComponent(name)}?by=task`),
      ...Object.values(ids).map((id) => `log/${id}`),
    ];
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      for (const path of paths) {
        await visit(page, path);
        await page.locator("main").getByText("Loading…").first().waitFor({ state: "hidden" });
        expect({ path, wide: await tooWide() }).toEqual({ path, wide: false });
        expect(await page.getByText("could not be shown").count(), path).toBe(0);
      }
    }
    expect(thrown).toEqual([]);
    expect(await page.evaluate("window.hit")).toBeUndefined();
  });

  it("is told apart: no text, a text of blanks, and texts that read like other values", async () => {
    await visit(page, `log/${ids["empty texts"]}`);
    const result = details().getByRole("region", { name: "Result" });
    await result.getByText("no name").waitFor();
    const said = (await result.innerText()).replaceAll(/\s*\n\s*/g, " ");
    for (const member of ['a: ""', 'b: "  "', 'c: "null"', 'd: "12"', "e: null", "f: 12"])
      expect(said).toContain(member);
  });

  it("opens a value of 60 levels one level at a time", async () => {
    await visit(page, `log/${ids["nested 60 deep"]}`);
    const result = details().getByRole("region", { name: "Result" });
    const closed = () => result.locator('button[aria-expanded="false"]').first();
    await closed().waitFor();
    const before = await result.getByText("down:").count();
    for (let at = 0; at < 10; at++) await closed().click();
    await expect.poll(() => result.getByText("down:").count()).toBe(before + 10);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("shows removed and added lines as such, though they begin like the head of a diff", async () => {
    await visit(page, `log/${ids["edit"]}`);
    const diff = details().getByRole("region", { name: "Difference" }).last();
    const removed = diff.getByText("--- old comment");
    await removed.waitFor();
    expect(await removed.getAttribute("class")).toContain("text-bad");
    expect(await diff.getByText("+++ new line").getAttribute("class")).toContain("text-ok");
    expect(await diff.getByText("--- a/list.sql").getAttribute("class")).toContain("text-muted");
  });
});

describe("large arguments", () => {
  it("are run again and sent to the form as they were, not as they are shown", async () => {
    await visit(page, `log/${ids["large"]}`);
    await details().getByRole("button", { name: "Run again" }).click();
    await details().getByText("New call").waitFor();
    const { records } = (await fixture.api("GET", "/api/log?tool=base64_encode&limit=1")) as {
      records: { callId: string }[];
    };
    const record = (await fixture.api("GET", `/api/log/${records[0]?.callId}`)) as {
      arguments: { text: string };
    };
    expect(record.arguments.text).toHaveLength(100_000);
    await details().getByRole("link", { name: "Send to form" }).click();
    await expect
      .poll(async () => (await page.getByRole("textbox").first().inputValue()).length)
      .toBe(100_000);
  });
});

describe("a browser whose clock is wrong", () => {
  it("tells times, durations and what is left by the clock of the server", async () => {
    const late = await stage.context.newPage();
    await late.addInitScript("{ const real = Date.now; Date.now = () => real() - 7_200_000; }");
    const asked = callTool(fixture, "ask_user", { question: "What time is it?" });
    await late.goto(`${fixture.url}/#/live?q=time`);
    const row = late.locator('[data-call][data-state="asking"]');
    await row.waitFor();
    expect(await row.innerText()).toMatch(/\d (?:ms|s)$/);
    await visit(late, "log?q=since:15m tool:json_parse");
    await late
      .getByTestId("record-count")
      .getByText(`${Object.keys(values).length} records`)
      .waitFor();
    await visit(late, `log/${ids["edit"]}`);
    await late
      .getByRole("complementary")
      .getByText(/· (?:now|\d+ (?:second|minute)s? ago)$/)
      .waitFor();
    const [{ id }] = (await fixture.api("GET", "/api/questions")) as [{ id: string }];
    await fixture.api("POST", `/api/questions/${id}`, { text: "late" });
    await asked;
    await late.close();
  });
});

describe("the address", () => {
  it("names an artifact, its version and the one that it is compared with; back undoes each choice", async () => {
    await visit(page, "plan?tab=artifacts");
    await page.getByRole("button", { name: /prd/ }).click();
    await page.getByLabel("Compare with").selectOption("1");
    expect(page.url()).toMatch(/artifact=\S+prd&compare=1$/);
    const diff = page.getByRole("region", { name: "Difference" });
    await diff.getByText("+# Two").waitFor();
    await page.reload();
    await diff.getByText("-# One").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Two" }).waitFor();
    await page.getByLabel("Version", { exact: true }).selectOption("1");
    await page.getByRole("heading", { name: "One" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Two" }).waitFor();
    await visit(page, "plan?tab=artifacts&artifact=nothing");
    await page.getByText("Artifact not found.").waitFor();
  });
});

describe("the palette", () => {
  it("lists names that begin with what was typed before those that contain it", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("re");
    const options = page.getByRole("dialog").getByRole("option");
    await options.filter({ hasText: "read_file" }).first().waitFor();
    const found = (await options.allInnerTexts()).map((text) => text.split(/\s+/).at(-1) ?? "");
    const begins = found.map((name) => name.startsWith("re"));
    expect(begins.lastIndexOf(true)).toBeLessThan(
      begins.indexOf(false) === -1 ? found.length : begins.indexOf(false),
    );
    await page.keyboard.press("Escape");
  });

  it("keeps the list of the log short enough to see whole names on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, "log?q=tool:create_task");
    await rows(page).first().waitFor();
    const cut = `[...document.querySelectorAll("main [role=option] .truncate.font-medium")]
      .filter((name) => name.scrollWidth > name.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
  });
});
