import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";

type Fields = Readonly<Record<string, unknown>>;

const root = resolve(import.meta.dirname, "..");
const fixture = join(import.meta.dirname, "fixtures/chatty-server.mjs");
const prefix = "chatty__";

/** The differences that the guide names, by the fields in their first column. */
const guide = readFileSync(join(root, "docs/guide/mcp-servers.md"), "utf8");
const section = guide.slice(
  guide.indexOf("### Differences"),
  guide.indexOf("\n## ", guide.indexOf("### Differences")),
);
const allowed = new Set(
  [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
  ),
);

const answers: Fields = {
  "elicitation/create": { action: "accept", content: { name: "Ada" }, _meta: { j: 10 } },
  "sampling/createMessage": {
    role: "assistant",
    model: "m",
    content: { type: "text", text: "ok" },
    stopReason: "endTurn",
  },
  "roots/list": { roots: [{ uri: "file:///work", name: "work" }] },
};

const running: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A host that writes down everything it is sent. */
class RecordingHost {
  readonly heard: Fields[] = [];
  readonly #child: ChildProcess;
  readonly #envelope: Fields | undefined;
  readonly #waiting = new Map<number, (message: Fields) => void>();
  #id = 0;

  constructor(
    command: readonly string[],
    { env, capabilities, modern }: { env?: NodeJS.ProcessEnv; capabilities: Fields; modern: boolean },
  ) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    running.push(this.#child);
    if (modern)
      this.#envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "recorder", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/logLevel": "info",
      };
    createInterface({ input: this.#child.stdout! }).on("line", (line) =>
      this.#take(JSON.parse(line) as Fields),
    );
  }

  async greet(capabilities: Fields): Promise<void> {
    if (this.#envelope !== undefined) return;
    const clientInfo = { name: "recorder", version: "1" };
    await this.ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
    this.#send({ method: "notifications/initialized" });
    await this.ask("logging/setLevel", { level: "info" });
  }

  /** The whole answer without its id; questions of a host of 2026 are answered and the request is sent again. */
  async ask(method: string, params: Fields): Promise<Fields> {
    const { id: _id, ...answer } = await new Promise<Fields>((done) => {
      const id = ++this.#id;
      this.#waiting.set(id, done);
      const _meta = { ...(params["_meta"] as object), ...this.#envelope };
      this.#send({ id, method, params: this.#envelope === undefined ? params : { ...params, _meta } });
    });
    const { inputRequests, requestState } = Object(answer["result"]) as Record<
      string,
      Record<string, Fields>
    >;
    if (inputRequests === undefined) return answer;
    this.heard.push(...Object.entries(inputRequests).map(([key, request]) => ({ key, ...request })));
    const inputResponses = Object.fromEntries(
      Object.entries(inputRequests).map(([key, { method: asked }]) => [key, answers[String(asked)]]),
    );
    return this.ask(method, {
      ...params,
      inputResponses,
      ...(requestState !== undefined && { requestState }),
    });
  }

  #take(message: Fields): void {
    const { id, method } = message;
    if (method === undefined) return this.#waiting.get(id as number)?.(message);
    const { id: _id, jsonrpc: _version, ...rest } = message;
    this.heard.push(rest);
    if (id !== undefined) this.#send({ id, result: answers[method as string] });
  }

  #send(message: Fields): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

function behindTenon(era: string): { command: readonly string[]; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), "tenon-fidelity-"));
  folders.push(folder);
  const config = {
    policy: { rules: [{ decision: "allow", tool: "chatty:*" }] },
    mcpServers: { chatty: { command: process.execPath, args: [fixture, era] } },
  };
  writeFileSync(join(folder, "c.json"), JSON.stringify(config));
  const command = [
    process.execPath,
    join(root, "bin/tenon.cjs"),
    "mcp",
    "--config",
    join(folder, "c.json"),
    "-w",
    folder,
  ];
  return { command, env: { TENON_STATE_DIR: join(folder, "state") } };
}

/** Every kind of request, and what the host was told and asked meanwhile. */
async function converse(host: RecordingHost, named: string): Promise<Fields> {
  const said: Record<string, unknown> = {};
  const listed = async (method: string, key: string): Promise<void> => {
    const { result } = await host.ask(method, {});
    const items = (result as Record<string, Fields[]>)[key] ?? [];
    const own = items.filter(
      (item) => "uri" in item || "uriTemplate" in item || String(item["name"]).startsWith(named),
    );
    said[key] = own.filter(
      (item) => !((item["uri"] ?? item["uriTemplate"] ?? "") as string).startsWith("tenon:"),
    );
    said[key] = (said[key] as Fields[]).toSorted((one, other) =>
      String(one["name"]) < String(other["name"]) ? -1 : 1,
    );
  };
  await listed("tools/list", "tools");
  await listed("prompts/list", "prompts");
  await listed("resources/list", "resources");
  await listed("resources/templates/list", "resourceTemplates");
  const call = (name: string, more: Fields = {}): Promise<Fields> =>
    host.ask("tools/call", { name: `${named}${name}`, arguments: {}, ...more });
  for (const name of ["blocks", "plain", "structured", "fails", "refuses", "asks"])
    said[name] = await call(name);
  said["chats"] = await call("chats", { _meta: { progressToken: "p" } });
  said["heard"] = await call("heard", { _meta: { "org.example/trace": "1" } });
  said["prompt"] = await host.ask("prompts/get", { name: `${named}hello`, arguments: { who: "Ada" } });
  said["read"] = await host.ask("resources/read", { uri: "chat:one" });
  said["missing"] = await host.ask("resources/read", { uri: "chat:none" });
  for (const ref of [
    { type: "ref/prompt", name: `${named}hello` },
    { type: "ref/resource", uri: "chat:{id}" },
  ])
    said[ref.type] = await host.ask("completion/complete", { ref, argument: { name: "who", value: "A" } });
  return said;
}

/** The fields in which two messages differ; positions in lists do not count. */
function differences(direct: unknown, via: unknown, path = ""): string[] {
  if (direct === via) return [];
  if (typeof direct !== "object" || typeof via !== "object" || direct === null || via === null) return [path];
  if (Array.isArray(direct) && Array.isArray(via)) {
    if (direct.length !== via.length) return [`${path}.length`];
    return direct.flatMap((item, at) => differences(item, via[at], `${path}[]`));
  }
  const keys = new Set([...Object.keys(direct), ...Object.keys(via)]);
  return [...keys].flatMap((key) => {
    const shown = key.replace(/^(tenon|io\.modelcontextprotocol)\/.*/, "$1/*");
    const inner = path === "" ? shown : `${path}.${shown}`;
    // What the protocol or Tenon adds to `_meta` counts as a field of its own, also where there was no `_meta`.
    const [one, other] = [(direct as Fields)[key], (via as Fields)[key]];
    return key === "_meta" ? differences(one ?? {}, other ?? {}, inner) : differences(one, other, inner);
  });
}

const everything = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };

describe.each(["2025", "2026"])("a server of %s behind the gateway", (era) => {
  it("says and hears what it does without it, but for what the guide names", async () => {
    const modern = era === "2026";
    const options = { capabilities: everything, modern };
    const direct = new RecordingHost([process.execPath, fixture, era], options);
    const { command, env } = behindTenon(era);
    const via = new RecordingHost(command, { ...options, env });
    await Promise.all([direct.greet(everything), via.greet(everything)]);
    const [first, second] = await Promise.all([converse(direct, ""), converse(via, prefix)]);
    const found: string[] = [];
    for (const key of Object.keys(first)) {
      const paths = differences(first[key], second[key]).map((path) =>
        path.replace(/^(?:result\.|\[\]\.)/, ""),
      );
      found.push(...paths.filter((path) => !allowed.has(path)).map((path) => `${key}: ${path}`));
    }
    const order = (heard: readonly Fields[]): readonly Fields[] =>
      heard
        .filter(({ method }) => !String(method).endsWith("list_changed"))
        // A server of 2026 that does not look at the level sends everything; the gateway keeps to it.
        .filter(({ params }) => (params as Fields)["level"] !== "debug")
        .toSorted((one, other) => (String(one["method"]) < String(other["method"]) ? -1 : 1));
    const paths = differences(order(direct.heard), order(via.heard)).map((path) =>
      path.replace(/^\[\]\./, ""),
    );
    found.push(...paths.filter((path) => !allowed.has(path)).map((path) => `heard: ${path}`));
    expect(found).toEqual([]);
    expect(second["refuses"]).toMatchObject({ error: { code: -32050, data: { why: ["x"] } } });
    expect(second["heard"]).toMatchObject({
      result: { structuredContent: { declared: everything, meta: { "org.example/trace": "1" } } },
    });
    expect(via.heard.filter(({ method }) => method === "notifications/message")).toHaveLength(2);
  });

  it("hears no capability that the host does not have", async () => {
    const { command, env } = behindTenon(era);
    const host = new RecordingHost(command, { capabilities: { sampling: {} }, modern: era === "2026", env });
    await host.greet({ sampling: {} });
    const { result } = await host.ask("tools/call", { name: `${prefix}heard`, arguments: {} });
    expect(result).toMatchObject({ structuredContent: { declared: { sampling: {} } } });
  });
});

it("allows no difference that the guide does not list", () => {
  expect(allowed.size).toBeGreaterThan(5);
  expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2, c: 3 }] })).toEqual(["a[].b", "a[].c"]);
});
