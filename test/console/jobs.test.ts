import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeStage, type Fixture, openStage, type Stage, visit } from "./console-fixture.js";

const tiny = resolve(import.meta.dirname, "../fixtures/plain-server.mjs");
const hostile = "\u001b[31mred\u001b[0m \u202Etxt.exe\u202C <img src=x onerror=alert(1)>";

let stage: Stage;
let fixture: Fixture;
let page: Page;
let web: Server;
let port: number;

beforeAll(async () => {
  web = createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1");
  await once(web, "listening");
  ({ port } = web.address() as AddressInfo);
  const config = {
    mode: "auto",
    policy: { rules: [{ decision: "allow", tool: "shell_exec" }] },
    mcpServers: {
      inside: { command: process.execPath, args: [tiny], sandbox: { readable: [tiny] } },
      outside: { command: process.execPath, args: [tiny, "one"] },
    },
  };
  stage = await openStage(config);
  ({ fixture, page } = stage);
});
afterAll(async () => {
  await closeStage(stage);
  web?.close();
});

/** Look at it: set the variable to a folder. */
async function picture(name: string): Promise<void> {
  const dir = process.env["TENON_PICTURES"];
  if (dir !== undefined) await page.screenshot({ path: join(dir, `${name}.png`) });
}

const run = (args: object): Promise<unknown> =>
  fixture.api("POST", "/api/tools/shell_exec/call", { arguments: args });

describe("the jobs page", () => {
  it("follows the output of a job, types into it, and stops it", async () => {
    await visit(page, "jobs");
    await page.getByText("No background jobs").waitFor();
    const command = `printf '%b\\n' '${hostile.replaceAll("\u001b", "\\033")}'; while read -r line; do echo "got $line"; done; echo over`;
    await run({ command, background: true });
    const panel = page.getByRole("region", { name: /^job_1/ }).first();
    const output = panel.getByRole("region", { name: "Output of job_1" });
    await output.getByText("red").waitFor();
    expect(await output.textContent()).toContain("⟨U+202E⟩");
    expect(await output.locator("img").count()).toBe(0);
    const line = panel.getByRole("textbox", { name: "Type into job_1" });
    await line.fill("first line");
    await line.press("Enter");
    await output.getByText("got first line").waitFor();
    await expect.poll(() => line.inputValue()).toBe("");
    await line.fill("second $(id) `x` \\");
    await panel.getByRole("button", { name: "Send" }).click();
    await output.getByText("got second $(id) `x` \\").waitFor();
    await picture("jobs");
    await panel.getByRole("button", { name: "End input" }).click();
    await output.getByText("over", { exact: false }).waitFor();
    await panel.getByText("ended with code 0").waitFor();
    expect(await panel.getByRole("textbox").count()).toBe(0);

    await run({ command: "sleep 600", background: true });
    const second = page.getByRole("region", { name: /^job_2/ }).first();
    await second.getByRole("button", { name: "Stop" }).click();
    await second.getByText(/^ended (by|with)/).waitFor();
    const log = JSON.stringify(await fixture.api("GET", "/api/log?tool=job_type"));
    expect(log).toContain('"characters":11');
    expect(log).not.toContain("first line");
  });

  it("takes only jobs that exist, and input that is input", async () => {
    const sessionId =
      ((await fixture.api("GET", "/api/jobs")) as { sessionId: string }[])[0]?.sessionId ?? "";
    const at = (session: string, job: string): string =>
      `/api/jobs/${encodeURIComponent(session)}/${encodeURIComponent(job)}`;
    const type = (path: string, body: unknown) => fixture.api("POST", `${path}/input`, body);
    await expect(type(at(sessionId, "job_1"), { text: "x" })).rejects.toThrow(/400.*it has ended/);
    await expect(type(at(sessionId, "job_9"), { text: "x" })).rejects.toThrow(/404/);
    await expect(type(at("nobody", "job_1"), { text: "x" })).rejects.toThrow(/404/);
    await expect(type(at(sessionId, "job_1"), { text: 5 })).rejects.toThrow(/400/);
    await expect(type(at(sessionId, "job_1"), { text: "x".repeat(70_000) })).rejects.toThrow(/400/);
    await expect(fixture.api("GET", `${at(sessionId, "job_1")}/output?since=-1`)).rejects.toThrow(/400/);
    await expect(fixture.api("POST", `${at("../..", "job_1")}/stop`, {})).rejects.toThrow(/404/);
    expect(await fixture.api("GET", "/api/jobs")).toHaveLength(2);
  });
});

describe("the network page", () => {
  it("shows what is reached and what is refused while it happens", async () => {
    await visit(page, "network");
    const place = `localhost:${port}`;
    await run({
      command: `curl -s http://${place}/; curl -s http://packages.example.org/ || true; sleep 600`,
      network: [place],
      background: true,
    });
    const rowOf = (host: RegExp) =>
      page
        .getByRole("row")
        .filter({ has: page.locator("code", { hasText: host }) })
        .first();
    const allowed = rowOf(new RegExp(`^${place}$`));
    await allowed.getByText("allowed").waitFor();
    await allowed.getByText("live").waitFor();
    expect(await allowed.textContent()).toMatch(/127\.0\.0\.1/);
    const refused = rowOf(/^packages\.example\.org(?::80)?$/);
    await refused.getByText("refused", { exact: true }).waitFor();
    await picture("network");
    const jobs = (await fixture.api("GET", "/api/jobs")) as { jobId: string; sessionId: string }[];
    const { jobId = "", sessionId = "" } = jobs.at(-1) ?? {};
    await fixture.api("POST", `/api/jobs/${encodeURIComponent(sessionId)}/${jobId}/stop`, {});
    await expect.poll(() => allowed.getByText("live").count(), { timeout: 30_000 }).toBe(0);
  });
});

describe("the page of MCP servers", () => {
  it("shows which run in the sandbox, stops and restarts one, and shows its log", async () => {
    await visit(page, "mcp");
    const outside = page.getByRole("region", { name: "outside" });
    await outside.getByText("tenon mcp-servers sandbox outside").waitFor();
    const inside = page.getByRole("region", { name: "inside" });
    await inside.getByText(`Inside: reads ${tiny}`).waitFor();
    await inside.getByText("ready", { exact: true }).waitFor();
    await inside.getByRole("button", { name: "Stop" }).click();
    await inside.getByText("stopped", { exact: true }).waitFor();
    expect(await inside.getByRole("button", { name: "Stop" }).isDisabled()).toBe(true);
    await inside.getByRole("button", { name: "Restart" }).click();
    await inside.getByText("ready", { exact: true }).waitFor();
    await outside.getByRole("button", { name: "Show log" }).click();
    await outside
      .getByRole("region", { name: "Log of outside" })
      .getByText("started with one")
      .first()
      .waitFor();
    await picture("mcp");
  });

  it("and the other pages speak Chinese", async () => {
    await page
      .getByRole("button", { name: /中文|language/i })
      .first()
      .click();
    await page.getByRole("button", { name: "重启" }).first().waitFor();
    await visit(page, "jobs");
    await page
      .getByText(/已结束/)
      .first()
      .waitFor();
    await picture("jobs-zh");
    await visit(page, "network");
    await page.getByText("已拒绝").first().waitFor();
    expect(await page.getByRole("columnheader").allTextContents()).toContain("主机");
    await picture("network-zh");
  });
});
