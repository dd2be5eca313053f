import { Client, type ProtocolError } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHome, tenonProgram } from "./conformance/tenon-serve.js";
import { underLoad } from "./setup/under-load.js";

type Fields = Readonly<Record<string, unknown>>;

const peers = resolve(import.meta.dirname, "peers/node_modules");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-peers-")));
writeFileSync(join(folder, "note.txt"), "a note\n");

interface Call {
  readonly name: string;
  readonly arguments: Fields;
}

interface Peer {
  /** The program, as a path in `peers`. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
}

/** Servers from npm that start without a network, and calls of each; many of them can only fail here. */
const servers: Readonly<Record<string, Peer>> = {
  everything: {
    file: "@modelcontextprotocol/server-everything/dist/index.js",
    args: ["stdio"],
    calls: [
      { name: "get-tiny-image", arguments: {} },
      { name: "get-structured-content", arguments: { location: "Chicago" } },
    ],
  },
  filesystem: {
    file: "@modelcontextprotocol/server-filesystem/dist/index.js",
    args: [folder],
    calls: ["note.txt", "none.txt"].map((name) => ({
      name: "read_text_file",
      arguments: { path: join(folder, name) },
    })),
  },
  memory: {
    file: "@modelcontextprotocol/server-memory/dist/index.js",
    env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    calls: [{ name: "read_graph", arguments: {} }],
  },
  thinking: {
    file: "@modelcontextprotocol/server-sequential-thinking/dist/index.js",
    calls: [
      {
        name: "sequentialthinking",
        arguments: { thought: "first", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      },
    ],
  },
  github: {
    file: "@modelcontextprotocol/server-github/dist/index.js",
    calls: [{ name: "search_repositories", arguments: { query: "x" } }],
  },
  charts: {
    file: "@antv/mcp-server-chart/build/index.js",
    calls: [{ name: "generate_pie_chart", arguments: { data: [{ category: "a", value: 1 }] } }],
  },
  notion: {
    file: "@notionhq/notion-mcp-server/bin/cli.mjs",
    calls: [{ name: "API-get-self", arguments: {} }],
  },
  playwright: {
    file: "@playwright/mcp/cli.js",
    args: ["--headless"],
    calls: [{ name: "browser_close", arguments: {} }],
  },
  context7: {
    file: "@upstash/context7-mcp/dist/index.js",
    calls: [{ name: "resolve-library-id", arguments: { libraryName: "x", query: "x" } }],
  },
  tavily: {
    file: "tavily-mcp/build/index.js",
    env: { TAVILY_API_KEY: "none" },
    calls: [{ name: "tavily_search", arguments: { query: "x" } }],
  },
};

const noNetwork = resolve(import.meta.dirname, "fixtures/no-network.cjs");
const commandOf = ({ file, args = [], env = {} }: Peer) => ({
  command: process.execPath,
  args: ["--require", noNetwork, join(peers, file), ...args],
  env,
});

const home = openHome({
  policy: { rules: Object.keys(servers).map((name) => ({ decision: "allow", tool: `${name}:*` })) },
  mcpServers: Object.fromEntries(Object.entries(servers).map(([name, peer]) => [name, commandOf(peer)])),
});
const path = { PATH: process.env["PATH"] ?? "" };
const gateway = new Client({ name: "peers", version: "1" });
beforeAll(async () => {
  await gateway.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [tenonProgram, "mcp", ...home.args],
      env: { ...path, TENON_STATE_DIR: String(home.env["TENON_STATE_DIR"]) },
    }),
  );
}, underLoad(60_000));
afterAll(async () => {
  await gateway.close();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Listed {
  readonly name: string;
  readonly execution?: unknown;
  readonly _meta?: unknown;
}

/** What a host sees of a server: all lists, and the answers to calls. */
async function look(client: Client, prefix: string, calls: readonly Call[]): Promise<Fields> {
  const own = (items: readonly Listed[]): readonly Fields[] =>
    items
      .filter(({ name }) => name.startsWith(prefix))
      // Tasks are not offered, and Tenon adds what it knows of a tool.
      .map(({ execution: _execution, _meta, ...item }: Listed) => ({
        ...item,
        name: item.name.slice(prefix.length),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const offers = client.getServerCapabilities() ?? {};
  const { tools } = await client.listTools();
  const prompts = offers.prompts === undefined ? [] : (await client.listPrompts()).prompts;
  const resources = offers.resources === undefined ? [] : (await client.listResources()).resources;
  const answers = [];
  for (const { name, arguments: args } of calls) {
    const asked = client.callTool({ name: `${prefix}${name}`, arguments: args });
    // Some servers answer with an error of the protocol where a tool fails.
    const { _meta, ...answer } = await asked.catch(({ code, message }: ProtocolError): Fields => ({
      code,
      message,
    }));
    answers.push(answer);
  }
  return { tools: own(tools), prompts: own(prompts), resources, answers };
}

/** Without the frame of text from outside. */
const unframed = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(
      /\[Content from outside, by [^\]]*\]\\n([\s\S]*?)\\n\[End of content from outside\]/g,
      "$1",
    ),
  );

describe("a server from npm behind the gateway", () => {
  const seen: string[] = [];

  it.each(Object.keys(servers))("is what it is without it: %s", async (name) => {
    const peer = servers[name] as Peer;
    const command = commandOf(peer);
    const client = new Client({ name: "peers", version: "1" });
    await client.connect(
      new StdioClientTransport({ ...command, env: { ...path, ...command.env }, stderr: "ignore" }),
    );
    try {
      const direct = await look(client, "", peer.calls);
      const behind = await look(gateway, `${name}__`, peer.calls);
      const addresses = (direct["resources"] as { uri: string }[]).map(({ uri }) => uri);
      const resources = (behind["resources"] as { uri: string }[]).filter(({ uri }) =>
        addresses.includes(uri),
      );
      seen.push(...addresses);
      expect((direct["tools"] as unknown[]).length).toBeGreaterThan(0);
      expect(unframed({ ...behind, resources })).toEqual(direct);
    } finally {
      await client.close();
    }
  });

  it("adds no resources of its own but those of Tenon", async () => {
    const { resources } = await gateway.listResources();
    const foreign = resources.map(({ uri }) => uri).filter((uri) => !uri.startsWith("tenon:"));
    expect(foreign.toSorted()).toEqual(seen.toSorted());
  });
});
