import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { runTenon } from "../src/cli/testing/run-tenon.js";
import { importServers } from "../src/config/import-servers.js";
import { interpolate } from "../src/config/interpolate.js";

const fixtures = new URL("./fixtures/hosts/", import.meta.url).pathname;

/** Import a file on the command line, and read what is then in the configuration. */
async function importFile(file: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options = {
    cwd: folder,
    env: { XDG_CONFIG_HOME: join(folder, "config"), TENON_STATE_DIR: join(folder, "state"), ...env },
  };
  const ended = await runTenon(["mcp-servers", "import", file, "--no-sandbox"], options);
  const config = join(folder, "config", "tenon", "config.yml");
  const read = (): Record<string, unknown> =>
    (parse(readFileSync(config, "utf8")) as { mcpServers: Record<string, unknown> }).mcpServers;
  return { ...ended, read, list: () => runTenon(["mcp-servers", "list", "--offline", "--json"], options) };
}

/** All others are not set, and the configuration must be usable all the same. */
const setVariables = { HOME: "/home/ada", MCP_CLIENT_ID: "id", MCP_CLIENT_SECRET: "secret" };

const npx = (...args: string[]) => ({ command: "npx", args: ["-y", ...args] });

const hosts: Record<string, { file: string; servers: object; notes: readonly RegExp[] }> = {
  "Claude Desktop": {
    file: "claude-desktop.json",
    servers: {
      filesystem: npx(
        "@modelcontextprotocol/server-filesystem",
        "/Users/ada/Desktop",
        "/Users/ada/Downloads",
      ),
      "brave-search": {
        ...npx("@modelcontextprotocol/server-brave-search"),
        env: { BRAVE_API_KEY: "BSA-1234" },
      },
    },
    notes: [],
  },
  "Claude Code, with its projects": {
    file: "claude-code.json",
    servers: {
      api: {
        url: "${API_BASE_URL:-https://api.example.com}/mcp",
        headers: { Authorization: "Bearer ${API_KEY:-}" },
      },
      memory: {
        ...npx("@modelcontextprotocol/server-memory"),
        env: { MEMORY_FILE_PATH: "${HOME:-}/memory.json" },
      },
      db: {
        command: "./bin/db-server",
        args: ["--dsn", "${DB_URL:-postgresql://localhost/shop}"],
        env: {},
        cwd: "/home/ada/shop",
      },
      legacy: { url: "https://legacy.example.com/sse", transport: "sse", enabled: false },
      "memory-shop": {
        ...npx("@modelcontextprotocol/server-memory", "--shop"),
        env: {},
        cwd: "/home/ada/shop",
      },
    },
    notes: [/"memory" of the project \/home\/ada\/shop was renamed to "memory-shop"/],
  },
  Cursor: {
    file: "cursor.json",
    servers: {
      "local-server": {
        command: "python",
        args: ["./tools/mcp_server.py"],
        env: { API_KEY: "${API_KEY:-}" },
      },
      "oauth-server": {
        url: "https://api.example.com/mcp",
        oauth: {
          clientId: "${MCP_CLIENT_ID:-}",
          clientSecret: "${MCP_CLIENT_SECRET:-}",
          scope: "read write",
        },
      },
    },
    notes: [/"local-server": "envFile" is not supported/],
  },
  "VS Code": {
    file: "vscode.json",
    servers: {
      perplexity: { ...npx("server-perplexity-ask"), env: { PERPLEXITY_API_KEY: "${PERPLEXITY_KEY:-}" } },
      github: { url: "https://api.githubcopilot.example/mcp" },
      fetch: { command: "uvx", args: ["mcp-server-fetch"] },
    },
    notes: [/set the environment variable PERPLEXITY_KEY/],
  },
  "Gemini CLI": {
    file: "gemini.json",
    servers: {
      pythonTools: {
        command: "python",
        args: ["-m", "my_mcp_server", "--home=${HOME:-}/data"],
        cwd: "./mcp-servers/python",
        env: { DATABASE_URL: "${DB_CONNECTION_STRING:-}", API_KEY: "${EXTERNAL_API_KEY:-}" },
        timeoutMs: 15_000,
        include: ["safe_tool", "file_reader"],
        exclude: ["file_writer"],
      },
      httpServer: {
        url: "http://localhost:3000/mcp",
        headers: { Authorization: "Bearer ${HTTP_TOKEN:-}" },
        timeoutMs: 5000,
      },
      experimental: {
        url: "https://experimental.example.com/sse",
        oauth: { scope: "a b" },
        enabled: false,
      },
    },
    notes: [/"pythonTools": "trust" is not supported/],
  },
  Codex: {
    file: "codex.toml",
    servers: {
      context7: {
        ...npx("@upstash/context7-mcp"),
        env: { LOCAL_TOKEN: "${LOCAL_TOKEN:-}", PRICE: "costs $${5}" },
        startTimeoutMs: 20_000,
        timeoutMs: 45_000,
      },
      figma: {
        url: "https://mcp.figma.example/mcp",
        headers: {
          Authorization: "Bearer ${FIGMA_OAUTH_TOKEN:-}",
          "X-Figma-Region": "us-east-1",
          "X-Team": "${FIGMA_TEAM:-}",
        },
      },
      chrome_devtools: {
        url: "http://localhost:3000/mcp",
        enabled: false,
        include: ["open", "screenshot"],
        exclude: ["screenshot"],
      },
    },
    notes: [],
  },
  OpenCode: {
    file: "opencode.jsonc",
    servers: {
      "my-local-mcp-server": {
        ...npx("my-mcp-command"),
        enabled: true,
        env: { MY_ENV_VAR: "${MY_SECRET:-}" },
        startTimeoutMs: 20_000,
        exclude: ["delete*"],
      },
      jira: {
        url: "https://jira.example.com/mcp",
        headers: { Authorization: "Bearer ${JIRA_TOKEN:-}" },
        oauth: false,
      },
      gh_grep: { url: "https://mcp.grep.example", enabled: false },
    },
    notes: [],
  },
  Windsurf: {
    file: "windsurf.json",
    servers: {
      github: {
        ...npx("@modelcontextprotocol/server-github"),
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: "${GITHUB_TOKEN:-}" },
        enabled: true,
        exclude: ["delete_file", "merge_pull_request"],
      },
      "remote-http-mcp": {
        url: "https://mcp.example.com/mcp",
        headers: { API_KEY: "value" },
        exclude: [],
      },
    },
    notes: [],
  },
  Zed: {
    file: "zed.jsonc",
    servers: {
      "local-mcp-server": { enabled: true, command: "some-command", args: ["arg-1", "arg-2"] },
      "remote-mcp-server": {
        url: "https://zed.example.com/mcp",
        headers: { Authorization: "Bearer token" },
      },
      older: { command: "old-command", args: [] },
    },
    notes: [/"mcp-server-github" was left out: an extension of the other host starts it/],
  },
};

describe("importing the servers of another host", () => {
  it.each(Object.entries(hosts))("takes over the file of %s", async (_host, { file, servers, notes }) => {
    const { code, err, read, list } = await importFile(join(fixtures, file), { ...setVariables });
    expect({ code, servers: read() }).toEqual({ code: 0, servers });
    for (const note of notes) expect(err).toMatch(note);
    expect(err.split("\n").filter((line) => line !== "")).toHaveLength(notes.length);
    const listed = await list();
    expect(listed.err).toBe("");
    expect((JSON.parse(listed.out) as unknown[]).length).toBe(Object.keys(servers).length);
  });

  it("leaves out an address that is none without its variable, instead of breaking the configuration", async () => {
    const file = { mcpServers: { a: { url: "${BASE}/mcp" }, b: { url: "https://b.example/${PATH_B}" } } };
    const { servers, left } = importServers(file, {});
    expect(servers).toEqual({ b: { url: "https://b.example/${PATH_B:-}" } });
    expect(left.join()).toMatch(/"a" was left out: it needs the environment variable BASE, which is not set/);
    expect(importServers(file, { BASE: "https://a.example" }).servers).toMatchObject({
      a: { url: "${BASE:-}/mcp" },
    });
    const oauth = { url: "https://a.example", oauth: { clientId: "${CLIENT}" } };
    expect(importServers({ mcpServers: { oauth } }, {}).left.join()).toMatch(
      /variable CLIENT, which is not set/,
    );
  });

  it("takes a dollar sign for a variable only where it is one", () => {
    const env = { A: "$TOKEN", B: "Bearer $TOKEN", C: "pa$WORD", D: "$5", E: "$${X}" };
    const { servers } = importServers({ mcpServers: { a: { command: "x", env } } });
    expect(servers["a"]).toMatchObject({
      env: { A: "${TOKEN:-}", B: "Bearer ${TOKEN:-}", C: "pa$WORD", D: "$5" },
    });
  });

  it.each([
    ["a file without servers", "{}", /no MCP servers were found|no servers that can be imported/],
    ["a broken file", '{"mcpServers": {', /Cannot read|no servers/],
    ["broken TOML", "[mcp_servers.a\ncommand = 1", /Cannot read/],
    ["a list", "[]", /no servers/],
    ["strange types", '{"mcpServers": {"a": 5, "b": [], "c": {"command": {"path": 1}}}}', /left out/],
    [
      "names that are none",
      '{"mcpServers": {"__proto__": {"command": "x"}, "/": {"command": "x"}}}',
      /renamed|left/,
    ],
  ])("survives %s", async (_what, text, message) => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-import-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, text.startsWith("[mcp") ? "config.toml" : "mcp.json");
    writeFileSync(file, text);
    const { err } = await importFile(file);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/at .*\.ts:\d/); // no stack of ours
  });

  it("names a file that does not exist without a system call", async () => {
    const { code, err } = await importFile("/none/mcp.json");
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(/none.mcp.json: no such file/),
    });
  });

  it("does not read a file without end into memory", async () => {
    const { code, err } = await importFile("/dev/zero");
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/more than 16777216 bytes/) });
  });

  it("never refers to a secret that is stored here", () => {
    for (const key of ["mcpServers", "mcp_servers", "context_servers"]) {
      const { servers } = importServers({ [key]: { a: { command: "x", args: ["${secret:TOKEN}"] } } });
      expect(servers["a"]).toMatchObject({ args: ["$${secret:TOKEN}"] });
    }
  });

  it("writes only references that can be read again, whatever a file holds", () => {
    const texts = string({
      unit: constantFrom("$", "{", "}", ":", "-", "A", "env", " ", "/", "$A", "${"),
    });
    const dialects = constantFrom("mcpServers", "mcp_servers", "context_servers");
    assert(
      property(texts, dialects, (text, key) => {
        const { servers } = importServers({ [key]: { a: { command: "x", args: [text] } } });
        const [written = ""] = (servers["a"] as { args: string[] }).args;
        expect(interpolate(written, { HOME: "/h" })).toMatchObject({ ok: true });
      }),
      { examples: [["${env}${", "mcp_servers"]] },
    );
  });
});
