import { Client, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openHome, tenonProgram } from "./conformance/tenon-serve.js";

type Fields = Readonly<Record<string, unknown>>;

const peers = resolve(import.meta.dirname, "peers/node_modules/@modelcontextprotocol");
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-peers-")));
  writeFileSync(join(folder, "note.txt"), "a note\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Peer {
  readonly args: () => readonly string[];
  readonly call: () => { readonly name: string; readonly arguments: Fields };
  readonly env?: () => Readonly<Record<string, string>>;
}

/** Servers from npm that start without a network, and a call of each. */
const servers: Readonly<Record<string, Peer>> = {
  everything: {
    args: () => [join(peers, "server-everything/dist/index.js"), "stdio"],
    call: () => ({ name: "get-tiny-image", arguments: {} }),
  },
  "everything, structured": {
    args: () => [join(peers, "server-everything/dist/index.js"), "stdio"],
    call: () => ({ name: "get-structured-content", arguments: { location: "Chicago" } }),
  },
  filesystem: {
    args: () => [join(peers, "server-filesystem/dist/index.js"), folder],
    call: () => ({ name: "read_text_file", arguments: { path: join(folder, "note.txt") } }),
  },
  "filesystem, failing": {
    args: () => [join(peers, "server-filesystem/dist/index.js"), folder],
    call: () => ({ name: "read_text_file", arguments: { path: join(folder, "none.txt") } }),
  },
  memory: {
    args: () => [join(peers, "server-memory/dist/index.js")],
    env: () => ({ MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
    call: () => ({ name: "read_graph", arguments: {} }),
  },
};

interface Listed {
  readonly name: string;
  readonly execution?: unknown;
  readonly _meta?: unknown;
}

/** What a host sees: all lists, and the answer to one call. */
async function look(transport: Transport, prefix: string, call: ReturnType<Peer["call"]>): Promise<Fields> {
  const client = new Client({ name: "peers", version: "1" });
  await client.connect(transport);
  try {
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
    const { _meta, ...answer } = await client.callTool({ ...call, name: `${prefix}${call.name}` });
    const isForeign = ({ uri }: { readonly uri: string }): boolean => !uri.startsWith("tenon:");
    return { tools: own(tools), prompts: own(prompts), resources: resources.filter(isForeign), answer };
  } finally {
    await client.close();
  }
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
  it.each(Object.keys(servers))("is what it is without it: %s", async (name) => {
    const { args, call, env } = servers[name] as Peer;
    const command = { command: process.execPath, args: [...args()], env: { ...env?.() } };
    const home = openHome({
      policy: { rules: [{ decision: "allow", tool: "peer:*" }] },
      mcpServers: { peer: command },
    });
    try {
      const path = { PATH: process.env["PATH"] ?? "" };
      const direct = new StdioClientTransport({
        ...command,
        env: { ...path, ...command.env },
        stderr: "ignore",
      });
      const via = new StdioClientTransport({
        command: process.execPath,
        args: [tenonProgram, "mcp", ...home.args],
        env: { ...path, TENON_STATE_DIR: String(home.env["TENON_STATE_DIR"]) },
      });
      const [first, second] = [await look(direct, "", call()), await look(via, "peer__", call())];
      expect((first["tools"] as unknown[]).length).toBeGreaterThan(5);
      expect(unframed(second)).toEqual(first);
    } finally {
      home.remove();
    }
  });
});
