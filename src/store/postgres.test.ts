import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askPostgres, ownPostgres } from "../../test/postgres.js";
import { migrations } from "./migrations.js";
import { schemaOf } from "./open-database.js";
import { openState, type State } from "./open-state.js";
import { postgresFixture, type Fixture } from "./testing/drivers.js";
import { fakePostgres } from "./testing/fake-postgres.js";
import { openProxy, type Proxy } from "./testing/proxy.js";
import { underLoad } from "../../test/setup/under-load.js";

let fixture: Fixture;

beforeEach(async () => void (fixture = await postgresFixture()));

afterEach(() => fixture.close());

function withParts(parts: Partial<Record<"port" | "password" | "username" | "pathname", string>>): string {
  const url = new URL(fixture.database);
  return Object.assign(url, { password: "hunter2-secret", ...parts }).href;
}

/** How opening fails; nothing of it may tell the password. */
async function failure(database: string): Promise<{ code?: string; message: string; hint?: string }> {
  const error = await openState({ ...fixture, database }).then(
    () => new Error("it opened"),
    (reason: unknown) => reason as Error,
  );
  const all = `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`;
  expect(all).not.toContain("hunter2");
  return error;
}

describe("a server that cannot be used", () => {
  it("refuses connections", async () => {
    const started = performance.now();
    const error = await failure(withParts({ port: "1" }));
    expect(error).toMatchObject({ code: "STATE_UNAVAILABLE", retryable: true });
    expect(error.message).toMatch(/postgres:\/\/127\.0\.0\.1:1\/postgres cannot be used: .*ECONNREFUSED/);
    expect(performance.now() - started).toBeLessThan(underLoad(5000));
  });

  it("refuses the password", async () => {
    expect(await failure(withParts({}))).toMatchObject({
      code: "STATE_UNAVAILABLE",
      retryable: false,
      hint: expect.stringContaining("password"),
    });
  });

  it("has no such database", async () => {
    const { password } = new URL(fixture.database);
    expect(await failure(withParts({ password, pathname: "/nowhere" }))).toMatchObject({
      code: "STATE_UNAVAILABLE",
      message: expect.stringContaining('"nowhere" does not exist'),
    });
  });

  it("does not let the user make a schema", async () => {
    const user = `limited_${Date.now()}`;
    await askPostgres(fixture.database, `CREATE ROLE ${user} LOGIN PASSWORD 'hunter2-secret'`);
    try {
      const error = await failure(withParts({ username: user }));
      expect(error).toMatchObject({
        code: "STATE_UNAVAILABLE",
        hint: expect.stringContaining("GRANT CREATE"),
      });
    } finally {
      await askPostgres(fixture.database, `DROP ROLE ${user}`);
    }
  });

  it("does not speak Unicode", async () => {
    const name = `ascii_${Date.now()}`;
    await askPostgres(
      fixture.database,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
    );
    try {
      const { password } = new URL(fixture.database);
      const error = await failure(withParts({ password, pathname: `/${name}` }));
      expect(error).toMatchObject({ code: "STATE_UNAVAILABLE", hint: expect.stringContaining("UTF8") });
    } finally {
      await askPostgres(fixture.database, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it("is too old", async () => {
    const server = await fakePostgres(120_017);
    const error = await failure(server.url);
    await server.close();
    expect(error).toMatchObject({
      code: "STATE_UNAVAILABLE",
      message: expect.stringContaining("PostgreSQL 12"),
    });
    expect(error.hint).toContain("13");
  });

  it.each([
    "postgres://hunter2:hunter2@:badport/x",
    "postgres://a:hunter2@[::1/x",
    "postgres://u:hunter2%ZZ@h/x",
  ])("has a malformed address, which is not repeated: %s", async (address) => {
    expect((await failure(address)).code).toBe("STATE_UNAVAILABLE");
  });
});

describe("a schema from the future", () => {
  it("is refused clearly and not touched", async () => {
    const state = await fixture.open();
    await state.close();
    const next = String(migrations.length + 1);
    await fixture.exec("UPDATE meta SET value = $1 WHERE key = 'schema_version'", [next]);
    await expect(fixture.open()).rejects.toMatchObject({ code: "STATE_TOO_NEW" });
    expect(await fixture.exec("SELECT value FROM meta WHERE key = 'schema_version'")).toEqual([
      { value: next },
    ]);
  });
});

describe("a connection", () => {
  const connection = async (state: State): Promise<unknown> =>
    (await state.sql.get<{ pid: number }>("SELECT pg_backend_pid() AS pid"))?.pid;

  it("is used again after a statement or a transaction that failed", async () => {
    const state = await fixture.open();
    const first = await connection(state);
    await expect(state.sql.get("SELECT nonsense")).rejects.toThrow("nonsense");
    expect(await connection(state)).toBe(first);
    const failing = state.sql.transaction(async (tx) => {
      await tx.run("INSERT INTO meta (key, value) VALUES (?, ?)", ["half", "done"]);
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await connection(state)).toBe(first);
    expect(await state.sql.get("SELECT value FROM meta WHERE key = 'half'")).toBeUndefined();
  });
});

describe("several openings", () => {
  it("begin a schema together, once", async () => {
    const states = await Promise.all(Array.from({ length: 5 }, () => fixture.open()));
    await states[0]?.kv("x").set("k", 1);
    expect(await states[4]?.kv("x").get("k")).toBe(1);
  });

  it("take an older schema forward together, and keep its rows", async () => {
    const [first] = migrations;
    const schema = schemaOf(fixture.workspace);
    const { dialectOf } = await import("./dialect.js");
    await askPostgres(fixture.database, `CREATE SCHEMA ${schema}`);
    for (const statement of first?.statements(dialectOf("postgres")) ?? []) await fixture.exec(statement);
    await fixture.exec("INSERT INTO meta VALUES ('schema_version', '1')");
    await fixture.exec("INSERT INTO kv VALUES ('x', 'k', '7', 2)");
    const states = await Promise.all([fixture.open(), fixture.open(), fixture.open()]);
    for (const state of states) expect(await state.kv("x").get("k")).toBe(7);
  });

  it("on two machines share what is remembered, but not the journal of their files", async () => {
    const here = await fixture.open();
    const stateDir = join(fixture.base, "other-machine");
    mkdirSync(stateDir);
    const there = await fixture.open({ stateDir });
    const origin = { callId: "c", sessionId: "s", tool: "t" };
    await here.journal.begin({ kind: "change", origin, time: 1, changes: [] });
    await here.kv("x").set("k", 1);
    expect(await there.kv("x").get("k")).toBe(1);
    expect(await there.journal.unfinished()).toEqual([]);
    expect(await here.journal.unfinished()).toHaveLength(1);
    expect((await there.journal.usage()).entries).toBe(0);
  });
});

async function raise(state: State): Promise<void> {
  await state.sql.transaction(async (tx) => {
    const row = await tx.get<{ value: string }>("SELECT value FROM kv WHERE namespace = 'n' AND key = 'n'");
    await tx.run(
      `INSERT INTO kv (namespace, key, value, bytes) VALUES ('n', 'n', ?, 1)
       ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value`,
      [String(Number(row?.value ?? 0) + 1)],
    );
  });
}

describe("a lost connection", () => {
  let proxy: Proxy;
  let state: State;

  beforeEach(async () => {
    proxy = await openProxy(fixture.database);
    state = await fixture.open({ database: proxy.url });
  });

  afterEach(async () => {
    await state.close();
    await proxy.close();
  });

  it.each([
    ["before the server got the commit", false],
    ["after the server got the commit", true],
  ])("leaves a transaction done exactly once: cut %s", async (_, delivered) => {
    await raise(state);
    // With the end of its message: a transaction begins as READ COMMITTED.
    proxy.cutAt("COMMIT\0", { delivered });
    await raise(state);
    await raise(state);
    expect(proxy.cuts).toBe(1);
    expect(await state.kv("n").get("n")).toBe(3);
  });

  it.each([
    ["read", "SELECT value FROM kv"],
    ["write", "INSERT INTO kv "],
    ["beginning", "BEGIN"],
  ])("in the middle of a %s is made good", async (_, text) => {
    await raise(state);
    proxy.cutAt(text, { delivered: true });
    await raise(state);
    expect(proxy.cuts).toBe(1);
    expect(await state.kv("n").get("n")).toBe(2);
  });

  it("of connections that nobody uses is not noticed", async () => {
    await Promise.all([raise(state), state.kv("n").get("n"), state.kv("n").list()]);
    await askPostgres(
      fixture.database,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tenon' AND pid <> pg_backend_pid()",
    );
    await raise(state);
    expect(await state.kv("n").get("n")).toBe(2);
  });
});

describe("a server that is stopped hard and started again", () => {
  it("costs no acknowledged write, and none happens twice", async () => {
    const server = await ownPostgres();
    const own = await openState({ ...fixture, database: server.url });
    try {
      let acknowledged = 0;
      for (let n = 0; n < 120; n += 1) {
        if (n === 40) server.restart();
        await raise(own);
        acknowledged += 1;
      }
      expect(await own.kv("n").get("n")).toBe(acknowledged);
    } finally {
      await own.close();
      await server.stop();
    }
  });
});
