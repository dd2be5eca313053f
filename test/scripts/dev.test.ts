import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const project = resolve(import.meta.dirname, "../..");
let root: string;
let dev: ChildProcess;
let output = "";

beforeAll(async () => {
  // A copy, because the test changes a source file.
  root = mkdtempSync(join(tmpdir(), "tenon-dev-"));
  for (const name of ["src", "scripts", "console", "bin", "package.json", "tsconfig.json"]) {
    cpSync(join(project, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, "workspace"));
  const options = ["--port", "0", "--workspace", join(root, "workspace")];
  dev = spawn(process.execPath, [join(root, "scripts/dev.mjs"), ...options], {
    env: { ...process.env, HOME: root, TENON_STATE_DIR: join(root, "state") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  await vi.waitUntil(() => starts().length === 1, { timeout: 300_000, interval: 100 });
}, 300_000);

afterAll(async () => {
  if (dev.exitCode === null && dev.signalCode === null) {
    dev.kill("SIGTERM");
    await once(dev, "exit");
  }
  rmSync(root, { recursive: true, force: true });
});

describe("npm run dev", () => {
  it("serves the console from its sources, signed in by the one-time link, with the API behind it", async () => {
    const link = starts()[0]?.link ?? "";
    const page = await ask(link);
    expect(page.body).toContain('src="/@vite/client"');
    const secret = /name="tenon-page-secret" content="([^"]+)"/.exec(page.body)?.[1] ?? "";
    const cookie = String(page.headers["set-cookie"]).split(";")[0] ?? "";
    const api = new URL("/api/tools", link);
    const answer = await ask(api, { cookie, "x-tenon-page": secret });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining("read_file")]);
    // The checks of the real server hold through the proxy.
    expect((await ask(api, { cookie })).status).toBe(401);
    const elsewhere = { cookie, "x-tenon-page": secret, origin: "http://127.0.0.1:1" };
    expect((await ask(api, elsewhere)).status).toBe(403);
    expect((await ask(link)).status).toBe(401);
  });

  it("rebuilds and restarts on a change, on the same port", async () => {
    const mcp = starts()[0]?.mcp;
    appendFileSync(join(root, "src/index.ts"), "\n// changed\n");
    await expect.poll(starts, { timeout: 300_000 }).toHaveLength(2);
    const [first, second] = starts();
    expect(second?.pid).not.toBe(first?.pid);
    expect(second?.mcp).toBe(mcp);
    expect((await ask(second?.link ?? "")).status).toBe(200);
  }, 300_000);

  it("goes on with the running server where the build fails", async () => {
    appendFileSync(join(root, "src/index.ts"), "\nexport {\n");
    await expect.poll(() => output, { timeout: 300_000 }).toContain("the build failed");
    const health = new URL("/health", starts()[0]?.link);
    expect((await ask(health)).status).toBe(200);
  }, 300_000);
});

/** What was printed of each start. */
function starts() {
  const found = output.matchAll(/\(pid (\d+)\) is ready[^]*?Console\s+(\S+)[^]*?MCP\s+(\S+)/g);
  return [...found].map(([, pid, link = "", mcp]) => ({ pid, link, mcp }));
}

async function ask(url: string | URL, headers: Record<string, string> = {}) {
  const sent = request(url, { headers: { "user-agent": "test", ...headers } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
