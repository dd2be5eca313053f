import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it } from "vitest";
import { envelope } from "./mcp-fixture.js";

const bin = resolve(import.meta.dirname, "../bin/tenon.cjs");
const dir = mkdtempSync(join(tmpdir(), "tenon-mcp-process-"));
const env = { PATH: process.env["PATH"] ?? "", HOME: dir, TENON_STATE_DIR: join(dir, ".state") };
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}

/** All that a process says to some lines, in the order of the ids. */
function say(
  args: readonly string[],
  lines: readonly object[],
): Promise<{ readonly messages: Message[]; readonly code: number | null }> {
  const child = spawn(process.execPath, [bin, "mcp", ...args], {
    cwd: dir,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stdin.end(lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join(""));
  return new Promise((done) => {
    child.on("close", (code) => {
      const messages = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Message);
      done({ code, messages: messages.sort((one, other) => Number(one.id) - Number(other.id)) });
    });
  });
}

const greet = (protocolVersion: string) => [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "ping" },
  { id: 3, method: "tools/list" },
];

describe("tenon mcp", () => {
  // `--session` is a flag that the quick start does not know: all is loaded before the first answer.
  it.each([
    ["2025-06-18", greet("2025-06-18")],
    ["an unknown revision", greet("1999-01-01")],
    [
      "2026-07-28",
      [
        { id: 1, method: "server/discover", params: { _meta: envelope() } },
        { id: 2, method: "tools/list", params: { _meta: envelope() } },
      ],
    ],
  ])("gives the same answers before and after all is loaded, in %s", async (_, lines) => {
    const [quick, full] = await Promise.all([say([], lines), say(["--session", "s"], lines)]);
    expect(quick).toEqual(full);
    expect(quick.code).toBe(0);
    expect(quick.messages).toHaveLength(lines.filter((line) => "id" in line).length);
  });

  it("tells the same of a configuration that it has seen, and of a new one where it changed", async () => {
    const config = join(dir, ".config/tenon/config.json");
    mkdirSync(dirname(config), { recursive: true });
    const lines = greet("2025-06-18");
    writeFileSync(config, JSON.stringify({ toolset: "readonly" }));
    const first = await say([], lines);
    expect(JSON.stringify(first)).not.toContain('"write_file"');
    expect(await say([], lines)).toEqual(first);
    rmSync(config);
    expect(JSON.stringify(await say([], lines))).toContain('"write_file"');
  });

  it("serves the SDK's client, and ends when it leaves", async () => {
    const client = new Client({ name: "t", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp"],
      cwd: dir,
      env,
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("read_file");
    const { structuredContent } = await client.callTool({
      name: "json_parse",
      arguments: { text: '{"a":1}' },
    });
    expect(structuredContent).toEqual({ data: { a: 1 } });
    const { pid } = transport;
    await client.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("serves the Inspector", async () => {
    const inspector = resolve(import.meta.dirname, "peers/node_modules/.bin/mcp-inspector");
    const call = ["--method", "tools/call", "--tool-name", "base64_encode", "--tool-arg", "text=hi"];
    const output = await new Promise<string>((done, fail) => {
      execFile(
        inspector,
        ["--cli", process.execPath, bin, "mcp", ...call],
        { cwd: dir, env },
        (error, stdout, stderr) => {
          if (error === null) done(stdout);
          else fail(new Error(`${stdout}\n${stderr}\nWhere the Inspector is missing: npm run setup`));
        },
      );
    });
    expect(JSON.parse(output)).toMatchObject({ structuredContent: { encoded: "aGk=" } });
  });
});

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
