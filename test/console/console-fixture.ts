import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const bin = fileURLToPath(new URL("../../bin/tenon.cjs", import.meta.url));

/** A real `tenon serve` with a workspace of its own. */
export interface Fixture {
  readonly workspace: string;
  readonly url: string;
  readonly token: string;
  /** A new link that opens the console once; `at` where it is reached by another address. */
  readonly newLink: (at?: string) => Promise<string>;
  /** Ask the API as a program does, with the token. */
  readonly api: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** An MCP client of the server; closed with the fixture. */
  readonly mcp: () => Promise<Client>;
  /** End the process as a crash would. */
  readonly kill: () => Promise<void>;
  /** Start it again on the same port with the same token. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param config What is written as the workspace's own user's configuration. */
export async function openFixture(
  config: unknown,
  files: Readonly<Record<string, string>> = {},
): Promise<Fixture> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-console-")));
  const workspace = join(base, "workspace");
  const home = join(base, "home");
  mkdirSync(home, { recursive: true });
  mkdirSync(workspace);
  writeFileSync(join(base, "tenon.json"), JSON.stringify(config));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const token = "console-test-token-0123456789abcdef";
  const clients: Client[] = [];
  const start = (port: string) =>
    startServer(
      ["serve", "--json", "--no-open", "--port", port, "-w", workspace, "-c", join(base, "tenon.json")],
      {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TENON_TOKEN: token,
      },
    );
  let { child, said } = await start("0");
  const fixture: Fixture = {
    workspace,
    url: said.url,
    token,
    async newLink(at = said.url) {
      const { link } = (await fixture.api("POST", "/api/links")) as { link: string };
      return link.replace(said.url, at);
    },
    async api(method, path, body) {
      const response = await fetch(`${said.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as unknown;
    },
    async mcp() {
      const client = new Client({ name: "console-test", version: "1.0.0" });
      const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${said.url}/mcp`), options));
      clients.push(client);
      return client;
    },
    kill: () => end(child),
    async restart() {
      ({ child, said } = await start(new URL(said.url).port));
    },
    async close() {
      await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
      await end(child);
      rmSync(base, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** The browser of all tests. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP rebound.example 127.0.0.1"],
  });
}

/** A server, and a browser that is signed in to its console. */
export interface Stage {
  readonly fixture: Fixture;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
}

export async function openStage(...given: Parameters<typeof openFixture>): Promise<Stage> {
  const [fixture, browser] = await Promise.all([openFixture(...given), openBrowser()]);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    colorScheme: "light",
  });
  context.setDefaultTimeout(100_000);
  const page = await context.newPage();
  await page.goto(await fixture.newLink());
  await page.locator('[data-connection="open"]').waitFor();
  return { fixture, browser, context, page };
}

export async function closeStage(stage: Stage | undefined): Promise<void> {
  await stage?.browser.close();
  await stage?.fixture.close();
}

/** Go to a page of the console without reloading it. */
export async function visit(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = "#/${name}"`);
  await page.locator("main h1").waitFor();
}

interface Said {
  readonly url: string;
}

async function startServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; said: Said }> {
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (piece: Buffer) => (complaint += piece.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return { child, said: JSON.parse(line) as Said };
  }
  throw new Error(`tenon serve ended before it listened: ${complaint}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
