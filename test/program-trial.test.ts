import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runTenon } from "../src/cli/testing/run-tenon.js";

describe("adding a server", () => {
  let root: string;
  let fixture: string;
  const at = (path: string): string => join(root, path);
  const config = (): { mcpServers: Record<string, { sandbox?: unknown; env?: unknown }> } =>
    parse(readFileSync(at("config/tenon/config.yml"), "utf8")) as never;
  const tenon = (...args: string[]) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      XDG_CONFIG_HOME: at("config"),
      TENON_STATE_DIR: at("state"),
    };
    return runTenon(args, { cwd: at("workspace"), env });
  };
  const server = (...acts: readonly (readonly [string, object])[]) =>
    ["--env", `AT_START=${JSON.stringify(acts)}`, "--", process.execPath, fixture] as const;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-trial-")));
    // Outside of a package, so that the file alone is what it needs.
    fixture = at("server.mjs");
    copyFileSync(resolve(import.meta.dirname, "fixtures/reaching-server.mjs"), fixture);
    for (const [path, text] of Object.entries({
      "config/tenon/config.yml": `sandbox:\n  hidden: ["${join(root, "keys")}"] # never\n`,
      "keys/id": "secret key",
      "data/list.txt": "listed",
      "notes/old.txt": "old",
      "workspace/readme.txt": "readme",
    })) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    }
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const acts = () =>
    [
      ["read", { path: at("keys/id") }],
      ["read", { path: at("data/list.txt") }],
      ["write", { path: at("notes/new.txt") }],
      ["resolve", { host: "packages.example.org" }],
      ["dial", { host: "192.0.2.7", port: 443 }],
      ["fork", { count: 1 }],
    ] as const;

  it("tries it in the sandbox and shows what it reaches for; nobody is there, so it gets nothing", async () => {
    const { code, err } = await tenon("mcp-servers", "add", "one", ...server(...acts()));
    expect(code).toBe(0);
    expect(err).toMatch(/did not start in the sandbox/);
    expect(err).toContain(`It wants to read:\n    ${fixture}`);
    expect(err).toContain("tenon mcp-servers sandbox one --yes");
    expect(config().mcpServers["one"]).toMatchObject({ sandbox: {} });
  });

  it("allows it what it reaches for by consent, round after round, but never keys or plain addresses", async () => {
    const { code, err, out } = await tenon("mcp-servers", "add", "two", "--yes", ...server(...acts()));
    expect([code, out]).toEqual([0, expect.stringContaining("Added two")]);
    expect(config().mcpServers["two"]?.sandbox).toEqual({
      network: ["packages.example.org"],
      readable: [fixture, at("data/list.txt")],
      writable: [at("notes")],
    });
    expect(err).toContain("started in the sandbox with 13 tools");
    expect(err).toMatch(/Always refused:\n {4}\S*keys\S*\n(?: {4}.*\n)* {4}192\.0\.2\.7:443 \(it connects/);
    expect(err).toMatch(/It started:\n {4}node, sleep/);
    expect(existsSync(at("notes/new.txt"))).toBe(true);
    expect(readFileSync(at("config/tenon/config.yml"), "utf8")).toContain("# never");
  });

  it("takes what the person grants beforehand, in JSON too", async () => {
    const flags = ["--readable", fixture, "../data", "--network", "packages.example.org"];
    const { out } = await tenon("mcp-servers", "add", "three", "--json", ...flags, ...server());
    const { sandbox } = JSON.parse(out) as { sandbox: { three: { access: object; trial: object } } };
    expect(sandbox.three).toMatchObject({
      access: { network: ["packages.example.org"], readable: [fixture, at("data")] },
      trial: { started: true, reached: { isTraced: true, readable: [], writable: [] } },
    });
    expect(sandbox.three).not.toHaveProperty("missing");
  });

  it("leaves it outside if told so; it is shown there and can be moved in", async () => {
    await tenon("mcp-servers", "add", "four", "--no-sandbox", ...server());
    expect(config().mcpServers["four"]).not.toHaveProperty("sandbox");
    const hint = "tenon mcp-servers sandbox four";
    expect((await tenon("mcp-servers", "list", "--offline")).out).toContain(
      `outside the sandbox; to move it in: ${hint}`,
    );
    expect((await tenon("doctor")).out).toContain(hint);
    expect(await tenon("mcp-servers", "sandbox", "four", "--yes")).toMatchObject({ code: 0 });
    expect(config().mcpServers["four"]?.sandbox).toEqual({ readable: [fixture] });
    expect((await tenon("mcp-servers", "list", "--offline")).out).toContain(
      `in the sandbox; reads ${fixture}`,
    );
    expect((await tenon("doctor")).out).not.toContain(hint);
    expect(await tenon("mcp-servers", "sandbox", "nobody")).toMatchObject({ code: 1 });
  });

  it("refuses a name that is taken before it tries anything", async () => {
    await tenon("mcp-servers", "add", "taken", "--url", "https://example.org/mcp");
    const { code, err } = await tenon("mcp-servers", "add", "taken", "--yes", ...server());
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("already has a server named") as string,
    });
    expect(err).not.toContain("Trying");
    const replaced = await tenon("mcp-servers", "add", "taken", "--yes", "--force", ...server());
    expect(replaced).toMatchObject({ code: 0 });
  });

  it("imports servers into the sandbox, and keeps references to variables in their entries", async () => {
    const entry = { command: process.execPath, args: [fixture], env: { TOKEN: "${SOME_TOKEN}" } };
    writeFileSync(
      at("hosts.json"),
      JSON.stringify({ mcpServers: { five: entry, away: { url: "https://example.org/mcp" } } }),
    );
    expect(await tenon("mcp-servers", "import", at("hosts.json"), "--yes")).toMatchObject({ code: 0 });
    expect(config().mcpServers["five"]).toMatchObject({ sandbox: { readable: [fixture] } });
    expect(JSON.stringify(config().mcpServers["five"]?.env)).toContain("SOME_TOKEN");
    expect(config().mcpServers["away"]).not.toHaveProperty("sandbox");
  });
});
