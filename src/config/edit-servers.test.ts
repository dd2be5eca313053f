import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { editServers } from "./edit-servers.js";
import { importServers } from "./import-servers.js";

describe("servers in the person's own configuration", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tenon-edit-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("keeps comments and all else in YAML", async () => {
    const file = join(folder, "config.yml");
    writeFileSync(file, "# mine\nmode: ask # careful\nmcpServers:\n  a: # first\n    command: x\n");
    await editServers(folder, { b: { url: "https://example.com/mcp" } });
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(
      /# mine\nmode: ask # careful\nmcpServers:\n {2}a:\s+# first\n {4}command: x\n {2}b:\n {4}url: https:/,
    );
    await editServers(folder, { b: undefined });
    expect(readFileSync(file, "utf8")).not.toContain("example.com");
    expect(await editServers(folder, { none: undefined })).toMatchObject({ changed: false });
  });

  it("writes a line for each key again after the last server was removed", async () => {
    await editServers(folder, { a: { command: "x" } });
    await editServers(folder, { a: undefined });
    await editServers(folder, { b: { command: "y" } });
    expect(readFileSync(join(folder, "config.yml"), "utf8")).toBe("mcpServers:\n  b:\n    command: y\n");
  });

  it("makes a file where there is none, edits JSON, and only prints for programs", async () => {
    expect(await editServers(folder, { a: { command: "x" } })).toMatchObject({ done: true, changed: true });
    rmSync(join(folder, "config.yml"));
    writeFileSync(join(folder, "config.json"), '{\n    "mode": "ask"\n}\n');
    await editServers(folder, { a: { command: "x" } });
    expect(JSON.parse(readFileSync(join(folder, "config.json"), "utf8"))).toEqual({
      mode: "ask",
      mcpServers: { a: { command: "x" } },
    });
    writeFileSync(join(folder, "config.ts"), "export default {}");
    expect(await editServers(folder, { a: { command: "x" } })).toMatchObject({ done: false });
  });

  it("leaves a server of the same name alone unless it is to be replaced", async () => {
    for (const name of ["config.yml", "config.json"]) {
      const file = join(folder, name);
      writeFileSync(file, '{"mcpServers": {"a": {"command": "x"}}}\n');
      const changes = { a: { command: "y" }, b: { command: "z" } };
      expect(await editServers(folder, changes)).toMatchObject({ changed: true, kept: ["a"] });
      expect(readFileSync(file, "utf8")).toMatch(/"?x"?[^]*"?z"?/);
      expect(await editServers(folder, changes, { replace: true })).toMatchObject({ kept: [] });
      expect(readFileSync(file, "utf8")).toMatch(/command"?: "?y/);
      rmSync(file);
    }
  });

  it("brings placeholders into its own form, and never writes one that it could not read", () => {
    const { servers, left } = importServers({
      inputs: [{ id: "api-key", type: "promptString" }],
      servers: {
        a: {
          type: "stdio",
          command: "npx",
          args: ["-y", "x", "${workspaceFolder}", "${userHome}/b", "${odd thing}"],
          env: { KEY: "${input:api-key}", TOKEN: "${env:TOKEN}", PLAIN: "$5 ${", KEPT: "${A:-b}" },
        },
      },
    });
    expect(servers["a"]).toEqual({
      command: "npx",
      args: ["-y", "x", ".", "${HOME}/b", "$${odd thing}"],
      env: { KEY: "${API_KEY:-}", TOKEN: "${TOKEN:-}", PLAIN: "$5 $${", KEPT: "${A:-b}" },
    });
    expect(left.join("\n")).toMatch(/API_KEY[^]*plain text|plain text[^]*API_KEY/);
  });

  it("knows the forms of the common hosts, and refuses with a reason", () => {
    const { servers, left } = importServers({
      cline: { type: "streamableHttp", url: "https://a.example/mcp", timeout: 60 },
      windsurf: { url: "https://b.example/sse", transportType: "sse" },
      zed: { command: { path: "x", args: ["y"] }, env: {} },
      Zed: { command: "z" },
      "???": { command: "z" },
      both: { command: "x", url: "https://c.example" },
      odd: { command: "x", args: "y" },
    });
    expect(servers).toEqual({
      cline: { url: "https://a.example/mcp", timeoutMs: 60_000 },
      windsurf: { url: "https://b.example/sse", transport: "sse" },
      zed: { command: "x", args: ["y"], env: {} },
    });
    expect(left.join("\n")).toMatch(
      /"Zed".*another[^]*\?\?\?.*not a valid server name[^]*both.*both a command[^]*odd.*args: /,
    );
  });

  it("takes numbers and switches for texts, and tools with arguments for tools", () => {
    const { servers, left } = importServers({
      mcpServers: {
        odd: {
          command: "x",
          args: ["--port", 3000, true],
          env: { N: 5, ON: false, NONE: null, T: "t" },
          includeTools: ["read", "run(ls)"],
          excludeTools: ["write(*)"],
        },
      },
    });
    expect(servers["odd"]).toEqual({
      command: "x",
      args: ["--port", "3000", "true"],
      env: { N: "5", ON: "false", T: "t" },
      include: ["read", "run"],
      exclude: ["write"],
    });
    expect(left).toEqual([]);
  });

  it("says that files which OpenCode would read are plain text here", () => {
    const { servers, left } = importServers({
      mcp: { l: { type: "local", command: ["x"], environment: { F: "{file:./key}" } } },
    });
    expect(servers["l"]).toMatchObject({ command: "x", env: { F: "{file:./key}" } });
    expect(left.join()).toMatch(/"\{file:\.\/key\}" names a file/);
  });

  it("takes over what other hosts write, and says what it leaves", () => {
    const { servers, left } = importServers({
      mcpServers: {
        "my fs": { command: "npx", args: ["x"], disabled: true, alwaysAllow: [] },
        bad: { cmd: "x" },
      },
    });
    expect(servers).toEqual({ "my-fs": { command: "npx", args: ["x"], enabled: false } });
    expect(left.join("\n")).toMatch(/alwaysAllow[^]*my-fs[^]*bad/);
  });
});
