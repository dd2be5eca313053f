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

  it("takes over what other hosts write, and says what it leaves", () => {
    const { servers, left } = importServers({
      mcpServers: {
        "my fs": { command: "npx", args: ["x"], disabled: true, alwaysAllow: [] },
        bad: { cmd: "x" },
      },
    });
    expect(servers).toEqual({ "my-fs": { command: "npx", args: ["x"], enabled: false } });
    expect(left.join("\n")).toMatch(/my-fs[^]*alwaysAllow[^]*bad/);
  });
});
