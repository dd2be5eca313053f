import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
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
