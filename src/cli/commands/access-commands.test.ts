import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createFixture, open, type Fixture } from "../../../test/spine-fixture.js";
import type { NamedToken } from "../../contract/ports/access.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let fixture: Fixture;

const tenon = (...args: string[]): Promise<Ended> =>
  runTenon(args, { cwd: fixture.workspace, env: { TENON_STATE_DIR: fixture.stateDir } });

beforeEach(() => {
  fixture = createFixture();
});

describe("tenon users and tenon tokens", () => {
  it("create, list and revoke tokens whose secret is printed once", async () => {
    const created = await tenon("tokens", "create", "ci", "--role", "viewer", "--expires", "30d");
    expect(created).toMatchObject({ code: 0 });
    // Only the secret is on standard output, so that it can be piped.
    expect(created.out).toMatch(/^tnn_[\w-]{43}\n$/);
    const listed = JSON.parse((await tenon("tokens", "list", "--json")).out) as NamedToken[];
    expect(listed).toMatchObject([{ name: "ci", principal: "ci", role: "viewer" }]);
    const days = ((listed[0]?.expiresAt ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    expect((await tenon("users", "list")).out).toMatch(/ci +viewer +program/);

    expect((await tenon("tokens", "revoke", "ci")).out).toBe("Revoked ci.\n");
    expect((await tenon("tokens", "list")).out).toContain("No tokens.");
    expect((await tenon("tokens", "list", "--all")).out).toContain("revoked");

    expect((await tenon("tools", "stats")).out).toContain("No calls in the log");

    const runtime = open({ config: { stateDir: fixture.stateDir } }, fixture);
    const records = await runtime.audit.search();
    await runtime.close();
    const names = records.map(({ tool }) => tool);
    expect(names).toEqual(expect.arrayContaining(["users_add", "tokens_create", "tokens_revoke"]));
    const revoked = records.find(({ tool }) => tool === "tokens_revoke");
    expect(revoked).toMatchObject({ arguments: { name: "ci" }, result: { id: listed[0]?.id } });
    expect(JSON.stringify(records)).not.toContain(created.out.trim().slice(4));
  });

  it("do not put a secret into the log that was taken for the name of a token", async () => {
    const { out } = await tenon("tokens", "create", "phone");
    expect(await tenon("tokens", "revoke", out.trim())).toMatchObject({ code: 1 });
    const runtime = open({ config: { stateDir: fixture.stateDir } }, fixture);
    const records = JSON.stringify(await runtime.audit.search());
    await runtime.close();
    expect(records).toContain("tokens_revoke");
    expect(records).not.toContain(out.trim().slice(4));
  });

  it("refuse what makes no sense, with a way out", async () => {
    expect(await tenon("tokens", "create", "x", "--user", "alice")).toMatchObject({
      code: 1,
      err: expect.stringContaining("tenon users add alice"),
    });
    expect(await tenon("users", "add", "Alice")).toMatchObject({ code: 2 });
    expect((await tenon("users", "add", "alice", "--role", "root")).err).toContain("viewer, operator");
    expect(await tenon("users", "add", "alice", "--role", "operator")).toMatchObject({ code: 0 });
    const high = await tenon("tokens", "create", "x", "--user", "alice", "--role", "admin");
    expect(high.err).toContain("tenon users role alice admin");
    expect((await tenon("tokens", "create", "x", "--expires", "soon")).err).toContain("--expires");
    expect((await tenon("tokens", "create", "x", "--expires", "2001-01-01")).err).toContain("future");
    expect((await tenon("tokens", "list")).out).toContain("No tokens.");
    expect((await tenon("users", "disable", "bob")).err).toContain('User "bob" not found.');
  });

  it("decide about calls as a user", async () => {
    await tenon("users", "add", "alice", "--role", "viewer");
    const asked = ["policy", "explain", "write_file", "path=a.txt", "content=x"];
    expect((await tenon(...asked)).out).toMatch(/^ask:/);
    expect((await tenon(...asked, "--as", "alice")).out).toMatch(/^deny: .*a viewer may only read/);
    await tenon("users", "role", "alice", "operator");
    expect((await tenon(...asked, "--as", "alice")).out).toMatch(/^ask:/);
    expect((await tenon(...asked, "--as", "nobody")).err).toContain("tenon users list");
  });
});

describe("tenon secrets", () => {
  it("stores, lists, encrypts again and removes, without ever showing a value", async () => {
    const value = "a value that nobody may see";
    const env = { TENON_STATE_DIR: fixture.stateDir, XDG_CONFIG_HOME: join(fixture.stateDir, "config") };
    const run = (args: string[], input = `${value}\n`): Promise<Ended> =>
      runTenon(["secrets", ...args], { cwd: fixture.workspace, env, input });
    expect(await run(["set", "TOKEN"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("secrets key"),
    });
    const said = [await run(["key"]), await run(["set", "TOKEN"]), await run(["list"])];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(said[2]?.out).toMatch(/TOKEN +everybody +everywhere/);
    expect((await run(["set", "TOKEN"], "")).err).toContain("standard input");
    // It is part of no command line.
    expect((await run(["set", "TOKEN", value])).code).toBe(2);
    const rotated = await run(["rotate", "--json"]);
    expect(JSON.parse(rotated.out)).toMatchObject({ changed: 1 });
    const otherKey = { ...env, TENON_SECRETS_KEY: Buffer.alloc(32).toString("base64") };
    const wrong = await runTenon(["secrets", "rotate"], { cwd: fixture.workspace, env: otherKey });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("is encrypted with the key") });
    said.push(rotated, wrong, await run(["remove", "TOKEN"]), await tenon("log", "--json"));
    expect((await run(["list"])).out).toContain("No secrets.");
    expect(JSON.stringify(said)).not.toContain(value);
    expect(JSON.stringify(said)).toContain("secrets_set");
  });
});

describe("tenon endpoints", () => {
  it("show what to configure in a host, at the address of the server", async () => {
    const config = { endpoints: { review: { toolset: "readonly" }, "a.b": {} } };
    writeFileSync(join(fixture.workspace, "tenon.json"), JSON.stringify(config));
    const flags = ["--config", join(fixture.workspace, "tenon.json")];
    const tried = await tenon("endpoints", "try", "review", ...flags);
    expect(tried.out).toContain("read_file");
    for (const host of ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "Gemini CLI", "Codex"])
      expect(tried.out).toContain(`${host} (`);
    const cursor = await tenon("endpoints", "try", "review", "--host", "cursor", ...flags);
    const { mcpServers } = JSON.parse(cursor.out) as { mcpServers: Record<string, { url: string }> };
    expect(mcpServers["tenon-review"]?.url).toBe("http://127.0.0.1:7420/mcp/review");
    const away = ["--url", "https://tenon.example.org/"];
    const codex = await tenon("endpoints", "list", "--host", "codex", ...away, ...flags);
    expect(codex.out).toContain('[mcp_servers."tenon-a.b"]\nurl = "https://tenon.example.org/mcp/a.b"');
    expect(await tenon("endpoints", "list", "--host", "emacs", ...flags)).toMatchObject({ code: 2 });
  });
});
