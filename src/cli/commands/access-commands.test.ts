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

    const runtime = open({ config: { stateDir: fixture.stateDir } }, fixture);
    const records = await runtime.audit.search();
    await runtime.close();
    const names = records.map(({ tool }) => tool);
    expect(names).toEqual(expect.arrayContaining(["users_add", "tokens_create", "tokens_revoke"]));
    expect(JSON.stringify(records)).not.toContain(created.out.trim().slice(4));
  });

  it("refuse what makes no sense, with a way out", async () => {
    expect(await tenon("tokens", "create", "x", "--user", "alice")).toMatchObject({
      code: 2,
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
