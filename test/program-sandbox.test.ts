import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { Tenon } from "../src/runtime/tenon.js";
import type { SandboxAccess } from "../src/contract/ports/upstream.js";
import type { TenonConfig } from "../src/config/config-schema.js";

const fixture = resolve(import.meta.dirname, "fixtures/reaching-server.mjs");
const peers = resolve(import.meta.dirname, "peers/node_modules");

/** A workspace, a home folder with keys, and Tenon instances for them. */
let root: string;
let web: Server;
let port: number;
const opened: Tenon[] = [];

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-programs-")));
  for (const [path, text] of Object.entries({
    "home/.ssh/id_ed25519": "secret key",
    "workspace/notes.txt": "notes",
    "workspace/private/plan.txt": "secret plan",
    "workspace/data/one.txt": "one",
    "data/list.txt": "listed",
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  web = createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1");
  await once(web, "listening");
  ({ port } = web.address() as AddressInfo);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((tenon) => tenon.close({ graceMs: 0 })));
});
afterAll(async () => {
  web.close();
  await once(web, "close");
  rmSync(root, { recursive: true, force: true });
});

function open(config: TenonConfig): Tenon {
  const tenon = createTenon({
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    config: { mode: "auto", stateDir: join(root, "state"), audit: { enabled: false }, ...config },
  });
  opened.push(tenon);
  return tenon;
}

/** A Tenon with the server that obeys its caller, and a way to tell it what to do. */
function openReaching(sandbox: SandboxAccess | undefined, more: TenonConfig = {}) {
  const access = sandbox && { ...sandbox, readable: [fixture, ...(sandbox.readable ?? [])] };
  const entry = {
    command: process.execPath,
    args: [fixture],
    ...(access !== undefined && { sandbox: access }),
  };
  const tenon = open({ ...more, mcpServers: { reach: entry as never } });
  const act = async (name: string, args: object = {}): Promise<string> => {
    const { content, isError } = await tenon.mcp.callTool("reach", name, args);
    const [part] = content;
    return `${isError ? "failed: " : ""}${part?.type === "text" ? part.text : ""}`;
  };
  const view = () => tenon.mcp.servers().find(({ name }) => name === "reach")!;
  return { tenon, act, view };
}

describe("a server in the sandbox", () => {
  it("reads no keys, writes nothing outside its own folder, and keeps that for its next start", async () => {
    const { tenon, act, view } = openReaching({});
    const key = join(root, "home/.ssh/id_ed25519");
    expect(await act("read", { path: key })).toMatch(/^failed: ENOENT/);
    expect(await act("read", { path: join(root, "workspace/notes.txt") })).toMatch(/^failed: ENOENT/);
    expect(await act("list", { path: join(root, "state") })).toMatch(/^failed: E/);
    for (const path of ["home/planted", "workspace/planted", "data/list.txt"])
      expect(await act("write", { path: join(root, path) })).toMatch(/^failed: E/);
    expect(await act("write", { path: "/usr/planted" })).toMatch(/^failed: EROFS/);
    const told = view().faults.map(({ message }) => message);
    const notes = join(root, "workspace/notes.txt");
    expect(told).toContain(
      `The sandbox hides ${notes} from it. To let it read there: tenon mcp-servers sandbox reach --readable ${notes}`,
    );
    expect(told).toContain(`The sandbox hides ${key} from it, as from all programs.`);
    const [home] = (await act("home")).split(" ");
    expect(await act("write", { path: `${home}/kept.txt`, data: "kept" })).toBe("written");
    await tenon.mcp.restart("reach");
    expect(await act("read", { path: `${home}/kept.txt` })).toBe("kept");
    expect(existsSync(join(root, "home/planted"))).toBe(false);
    expect(readFileSync(join(root, "data/list.txt"), "utf8")).toBe("listed");
    expect(view().sandbox).toEqual({ readable: [fixture] });
  });

  it("reads and writes what its entry names, except for what rules hide or protect", async () => {
    const { act } = openReaching(
      { readable: ["../data"], writable: ["."] },
      {
        files: { forbiddenPaths: ["private"] },
        policy: { rules: [{ decision: "deny", path: "data/one.txt", access: "read" }] },
      },
    );
    const at = (path: string) => ({ path: join(root, path) });
    expect(await act("read", at("data/list.txt"))).toBe("listed");
    expect(await act("write", at("data/list.txt"))).toMatch(/^failed: EROFS/);
    expect(await act("write", at("workspace/new.txt"))).toBe("written");
    expect(await act("read", at("workspace/private/plan.txt"))).toMatch(/^failed: E/);
    expect(await act("read", at("workspace/data/one.txt"))).toMatch(/^failed: E/);
    expect(await act("write", at("workspace/.mcp.json"))).toMatch(/written|failed/);
    expect(existsSync(join(root, "workspace/new.txt"))).toBe(true);
  });

  it("reaches the hosts of its entry only, and is told what was refused", async () => {
    const { act, view } = openReaching({ network: [`localhost:${port}`] });
    expect(await act("fetch", { url: `http://localhost:${port}/` })).toBe("hello");
    expect(await act("resolve", { host: "packages.example.org" })).toMatch(/^failed: ENOTFOUND/);
    expect(await act("dial", { host: "127.0.0.1", port: port + 1 })).toMatch(/^failed: ECONNREFUSED/);
    expect(await act("dial", { host: "93.184.216.34", port: 443 })).toMatch(/^failed: ENETUNREACH/);
    expect(await act("dial", { host: "169.254.169.254", port: 80 })).toMatch(/^failed: ENETUNREACH/);
    expect(await act("unix", { path: "/run/docker.sock" })).toMatch(/^failed: E/);
    await expect
      .poll(() => view().faults.map(({ message }) => message))
      .toContainEqual(
        expect.stringMatching(
          /refused it the host packages\.example\.org: .*tenon mcp-servers sandbox reach --network packages\.example\.org/,
        ),
      );
  });

  it("has no network at all without hosts, not even that of this machine", async () => {
    const { act } = openReaching({});
    expect(await act("dial", { host: "127.0.0.1", port })).toMatch(/^failed: ECONNREFUSED/);
    expect(await act("fetch", { url: `http://localhost:${port}/` })).toMatch(/^failed: /);
  });

  it("is gone with all that it started, and does not fill the disk with what it writes to standard error", async () => {
    const { tenon, act, view } = openReaching({ writable: ["../data"] });
    const file = join(root, "data/alive");
    expect(await act("outlive", { file })).toBe("started");
    await expect.poll(() => existsSync(file)).toBe(true);
    expect(await act("flood", { lines: 20_000 })).toBe("flooded");
    expect(view().log.length).toBeLessThanOrEqual(50);
    await tenon.mcp.stop("reach");
    // The kernel ends a namespace's programs a moment after its first one; none may go on writing.
    const grownIn300Ms = async (): Promise<number> => {
      const { size } = statSync(file);
      await new Promise((done) => setTimeout(done, 300));
      return statSync(file).size - size;
    };
    await expect.poll(grownIn300Ms).toBe(0);
  });

  it("is not started where there is no sandbox", async () => {
    const { act, view } = openReaching({}, { sandbox: { enabled: "off" } });
    await expect(act("pid")).rejects.toThrow(/runs in the sandbox, which is not available/);
    expect(view().state).toBe("failed");
  });

  it("is one of those from npm: files in granted folders, memory in its own folder", async () => {
    const bin = (name: string): string => join(peers, "@modelcontextprotocol", name, "dist/index.js");
    const tenon = open({
      mcpServers: {
        files: {
          command: process.execPath,
          args: [bin("server-filesystem"), join(root, "data")],
          sandbox: { readable: [peers], writable: [join(root, "data")] },
        },
        memory: {
          command: process.execPath,
          args: [bin("server-memory")],
          env: { MEMORY_FILE_PATH: "/run/tenon-home/memory.jsonl" },
          sandbox: { readable: [peers] },
        },
        all: {
          command: process.execPath,
          args: [bin("server-everything"), "stdio"],
          sandbox: { readable: [peers] },
        },
      },
    });
    const call = async (server: string, tool: string, args: object): Promise<string> => {
      const { content, isError } = await tenon.mcp.callTool(server, tool, args);
      return `${isError ? "failed: " : ""}${JSON.stringify(content)}`;
    };
    const [wrote, read, outside, stored, echoed] = await Promise.all([
      call("files", "write_file", { path: join(root, "data/made.txt"), content: "made" }),
      call("files", "read_text_file", { path: join(root, "data/list.txt") }),
      call("files", "read_text_file", { path: join(root, "home/.ssh/id_ed25519") }),
      call("memory", "create_entities", { entities: [{ name: "a", entityType: "b", observations: [] }] }),
      call("all", "echo", { message: "hi" }),
    ]);
    expect(wrote).toContain("Successfully wrote");
    expect(read).toContain("listed");
    expect(outside).toMatch(/^failed/);
    expect(stored).toContain("entityType");
    expect(echoed).toContain("hi");
    expect(readFileSync(join(root, "data/made.txt"), "utf8")).toBe("made");
  });
});

describe("a server outside the sandbox", () => {
  it("runs as before and is shown so", async () => {
    const { act, view } = openReaching(undefined);
    expect(await act("read", { path: join(root, "home/.ssh/id_ed25519") })).toBe("secret key");
    expect(view().sandbox).toBe(false);
  });
});

describe("a plugin in the sandbox", () => {
  const pluginText = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { connect } from "node:net";
    import { spawn } from "node:child_process";
    const tool = (name, execute) => ({ name, description: "A tool.", category: "custom", annotations: { readOnly: true },
      input: { type: "object", additionalProperties: true }, execute });
    const code = (act) => async (input, ctx) => { try { return await act(input, ctx); } catch (error) { return error.code ?? String(error); } };
    export default { name: "reach", version: "1.0.0", tools: [
      tool("plugin_read", code(({ path }) => readFileSync(path, "utf8"))),
      tool("plugin_fail", async ({ path }) => readFileSync(path, "utf8")),
      tool("plugin_write", code(({ path }) => (writeFileSync(path, "x"), "written"))),
      tool("plugin_ask", code(({ path }, ctx) => ctx.files.read(path).then((bytes) => Buffer.from(bytes).toString()))),
      tool("plugin_dial", code(({ port }) => new Promise((resolve, reject) =>
        connect(port, "127.0.0.1").once("connect", () => resolve("connected")).once("error", reject)))),
      tool("plugin_spawn", code(({ file }) => { spawn("sh", ["-c", "while :; do echo x >> " + file + "; sleep 0.05; done"],
        { detached: true, stdio: "ignore" }).unref(); return "started"; })),
    ] };`;

  it("reaches nothing by itself, works through its context, and is gone with all that it started", async () => {
    const file = join(root, "plugins/reach.mjs");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, pluginText);
    const tenon = open({});
    // From source, the program that plugins run in is bundled by the first one, which needs to write.
    await tenon.loadPlugin(file);
    await tenon.unloadPlugin("reach");
    const info = await tenon.loadPlugin(file, { sandbox: { writable: [join(root, "data")] } });
    expect(info.sandbox).toEqual({ writable: [join(root, "data")] });
    const call = async (name: string, input: object): Promise<unknown> =>
      (await tenon.call({ name, arguments: input })).result;
    expect(await call("plugin_read", { path: join(root, "home/.ssh/id_ed25519") })).toBe("ENOENT");
    expect(await call("plugin_read", { path: join(root, "workspace/notes.txt") })).toBe("ENOENT");
    await call("plugin_fail", { path: join(root, "workspace/notes.txt") });
    expect(tenon.plugins()[0]?.notes).toEqual([expect.stringContaining(`${file} --readable ${root}`)]);
    expect(await call("plugin_write", { path: join(root, "home/planted") })).toMatch(/^E(?:ROFS|NOENT)$/);
    expect(await call("plugin_dial", { port })).toBe("ECONNREFUSED");
    expect(await call("plugin_ask", { path: "notes.txt" })).toEqual(expect.stringContaining("notes"));
    const alive = join(root, "data/plugin-alive");
    expect(await call("plugin_spawn", { file: alive })).toBe("started");
    await expect.poll(() => existsSync(alive)).toBe(true);
    await tenon.unloadPlugin("reach");
    const { size } = statSync(alive);
    await new Promise((done) => setTimeout(done, 300));
    expect(statSync(alive).size).toBe(size);
    await expect(tenon.loadPlugin(file, { inProcess: true, sandbox: {} })).rejects.toThrow(
      /own process and in the sandbox/,
    );
  });
});
