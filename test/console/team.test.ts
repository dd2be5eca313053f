import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeStage, type Fixture, openStage, type Stage, visit } from "./console-fixture.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-team-"));
const keyFile = join(folder, "secrets.key");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let stage: Stage;
let fixture: Fixture;
let page: Page;

beforeAll(async () => {
  writeFileSync(keyFile, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  const config = {
    endpoints: { review: { toolset: "readonly", limits: { perMinute: 50 } } },
    tools: { quotas: [{ user: "*", perMinute: 60 }] },
    policy: { rules: [{ decision: "ask", approvals: 2, tool: "write_file" }] },
    secrets: { keyFile },
  };
  stage = await openStage(config);
  ({ fixture, page } = stage);
});
afterAll(async () => {
  await closeStage(stage);
  rmSync(folder, { recursive: true, force: true });
});

const row = (name: string) => page.getByRole("row").filter({ hasText: name });
const confirm = async (name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** The secret as the page shows it, once. */
async function createToken(name: string, more: { user?: string; endpoint?: string } = {}): Promise<string> {
  await visit(page, "tokens");
  const form = page.getByRole("region", { name: "Create a token" });
  await form.getByLabel("Name", { exact: true }).fill(name);
  await form.getByLabel(/^User/).fill(more.user ?? "");
  await form.getByLabel("Endpoint").selectOption(more.endpoint ?? "");
  await form.getByRole("button", { name: "Create token" }).click();
  return form.getByRole("status").locator("code").innerText();
}

const statusWith = async (secret: string, path: string): Promise<number> =>
  (await fetch(`${fixture.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })).status;

describe("people", () => {
  it("are added, given another role, disabled and removed", async () => {
    await visit(page, "people");
    await page.getByText("Only you use this server").waitFor();
    for (const name of ["alice", "bob"]) {
      await page.getByRole("region", { name: "Add a user" }).getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await row(name).waitFor();
    }
    await page.getByLabel("Role of alice").selectOption("approver");
    const users = async () => (await fixture.api("GET", "/api/users")) as { rows: object[] };
    await expect
      .poll(async () => (await users()).rows)
      .toMatchObject([{ role: "approver" }, { name: "bob" }]);
    await page.getByRole("button", { name: "Disable: bob" }).click();
    await confirm("Disable");
    await row("bob").getByText("disabled").waitFor();
    await page.getByRole("button", { name: "Remove: bob" }).click();
    await confirm("Remove");
    await row("bob").waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("nobody");
    await page.getByText("No matching names.").waitFor();
    expect(page.url()).toContain("#/people?q=nobody");
  });
});

describe("tokens", () => {
  it("are created, shown once, and revoked at once", async () => {
    const secret = await createToken("laptop", { user: "alice" });
    expect(secret).toMatch(/^tnn_[\w-]{43}$/);
    expect(await statusWith(secret, "/api/tools")).toBe(200);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await row("laptop").getByText("valid").waitFor();
    // The page forgets it in its next turn.
    await expect.poll(() => page.content()).not.toContain(secret);
    await page.reload();
    await row("laptop").waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole("button", { name: "Revoke: laptop" }).click();
    await confirm("Revoke");
    await row("laptop").waitFor({ state: "detached" });
    expect(await statusWith(secret, "/api/tools")).toBe(401);
    await page.getByRole("switch", { name: "Include expired and revoked" }).click();
    await row("laptop").getByText("revoked").waitFor();
    expect(page.url()).toContain("all=true");
  });

  it("for one endpoint open nothing else, and their hosts are seen and ended", async () => {
    const secret = await createToken("ci", { endpoint: "review" });
    expect(await statusWith(secret, "/api/tools")).toBe(403);
    const client = new Client({ name: "night-build", version: "2.1" });
    const headers = { authorization: `Bearer ${secret}` };
    const address = new URL(`${fixture.url}/mcp/review`);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    await client.listTools();
    await visit(page, "sessions");
    await row("night-build 2.1").getByText("/mcp/review").waitFor();
    await row("night-build").getByText("operator").waitFor();
    await client.callTool({ name: "current_time", arguments: {} });
    await page.getByRole("tab", { name: "Limits in use" }).click();
    await row("/mcp/review").getByText("1 / 50").waitFor();
    await row("User ci").getByText("1 / 60").waitFor();
    await page.getByRole("tab", { name: "MCP hosts" }).click();
    await page.getByRole("button", { name: /End: night-build/ }).click();
    await confirm("End");
    await row("night-build").waitFor({ state: "detached" });
    await client.close().catch(() => undefined);
    await page.getByRole("tab", { name: "Browsers" }).click();
    await page.getByText("this browser").waitFor();
  });
});

describe("secrets", () => {
  it("are stored and removed, and their values are nowhere in the page", async () => {
    const value = `value-${randomBytes(12).toString("hex")}`;
    await visit(page, "secrets");
    const form = page.getByRole("region", { name: "Store a secret" });
    await form.getByLabel("Name", { exact: true }).fill("GITHUB_TOKEN");
    await form.getByLabel("Value").fill(value);
    await form.getByLabel(/^User/).fill("alice");
    await form.getByRole("button", { name: "Store" }).click();
    await row("GITHUB_TOKEN").getByText("alice").waitFor();
    expect(await form.getByLabel("Value").inputValue()).toBe("");
    expect(await page.content()).not.toContain(value);
    await page.getByRole("button", { name: "Remove: GITHUB_TOKEN alice" }).click();
    await confirm("Remove");
    await page.getByText("No secrets.").waitFor();
  });
});

describe("endpoints", () => {
  it("show what is offered and what to copy into each host", async () => {
    await visit(page, "endpoints");
    await page.getByRole("link", { name: "/mcp/review" }).click();
    await page.getByText("50 a minute").waitFor();
    expect(page.url()).toContain("#/endpoints/review");
    for (const host of ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "Gemini CLI", "Codex"]) {
      await page.getByRole("tab", { name: host, exact: true }).click();
      const text = await page.getByRole("region", { name: `Configuration for ${host}` }).innerText();
      expect(text).toContain(`${fixture.url}/mcp/review`);
    }
    expect(page.url()).toContain("host=codex");
    await visit(page, "endpoints/..");
    await page.getByText("Endpoint not found.").waitFor();
  });
});

describe("four eyes", () => {
  it("show who has approved", async () => {
    const calling = fixture.api("POST", "/api/tools/write_file/call", {
      arguments: { path: "a.txt", content: "x" },
    });
    const secret = await createToken("approver", { user: "alice" });
    let waiting: { id: string }[] = [];
    const look = async () =>
      (waiting = (await fixture.api("GET", "/api/approvals")) as typeof waiting).length;
    await expect.poll(look, { timeout: 20_000 }).toBe(1);
    const path = `/api/approvals/${waiting[0]?.id}`;
    const answered = await fetch(`${fixture.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ verdict: "once" }),
    });
    expect(await answered.json()).toEqual({ answered: true, missing: 1 });
    await visit(page, "approvals");
    await page.getByText("1 of 2").waitFor();
    await page.locator("[data-card]").getByText("alice").waitFor();
    await fixture.api("POST", path, { verdict: "no" });
    await calling;
  });
});

describe("every page of the team", () => {
  it("has no serious fault of accessibility, with its dialogs and tabs", async () => {
    await page.evaluate(axe);
    const faults = () =>
      page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => id + " " + nodes[0].html))`);
    const paths = [
      "people",
      "tokens",
      "secrets",
      "endpoints/review",
      "sessions?tab=browsers",
      "sessions?tab=limits",
    ];
    for (const path of paths) {
      await visit(page, path);
      await page.locator("main table, main nav").first().or(page.getByText("No secrets.")).first().waitFor();
      expect({ path, faults: await faults() }).toEqual({ path, faults: [] });
    }
    await visit(page, "people");
    await page.getByRole("button", { name: "Remove: alice" }).click();
    expect(await faults()).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("is there in Chinese, and fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit(page, "people");
    await page.getByRole("button", { name: "切换到中文" }).click();
    for (const [name, title] of [
      ["people", "添加成员"],
      ["tokens", "创建令牌"],
      ["secrets", "存储密钥"],
      ["endpoints", "连接宿主"],
      ["sessions", "MCP 宿主"],
    ] as const) {
      await visit(page, name);
      await page.locator("main").getByText(title).first().waitFor();
      const english = await page.locator("main").innerText();
      expect(english).not.toMatch(/\b(?:Name|Role|Endpoint|Remove|viewer|operator|admin)\b/);
      const wide = await page.evaluate("document.querySelector('main').scrollWidth");
      expect(wide).toBeLessThanOrEqual(391);
    }
  });
});
