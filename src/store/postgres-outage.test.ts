import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askPostgres } from "../../test/postgres.js";
import { schemaOf } from "./open-database.js";
import type { State } from "./open-state.js";
import { postgresFixture, type Fixture } from "./testing/drivers.js";
import { openProxy, type Proxy } from "./testing/proxy.js";
import { underLoad } from "../../test/setup/under-load.js";

let fixture: Fixture;
let proxy: Proxy;
let state: State;

beforeEach(async () => {
  fixture = await postgresFixture();
  proxy = await openProxy(fixture.database);
  await open(2_000);
  await state.kv("x").set("k", 0);
});

async function open(patienceMs?: number): Promise<void> {
  const patience = patienceMs === undefined ? {} : { patienceMs };
  state = await fixture.open({ database: proxy.url, ...patience });
}

afterEach(async () => {
  await state.close();
  await proxy.close();
  await fixture.close();
});

interface Failure {
  readonly ms: number;
  readonly code: string;
}

/** How a call fails, and when. */
async function failure(call: Promise<unknown>): Promise<Failure> {
  const started = performance.now();
  const error = await call.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  return { ms: performance.now() - started, code: (error as { code?: string }).code ?? String(error) };
}

function someCalls(): Promise<unknown>[] {
  const writers = Array.from({ length: 8 }, (_, n) => state.kv("x").set(`w${n}`, n));
  return [...writers, state.kv("x").get("k"), state.kv("x").list(), state.rules.list()];
}

describe.each(["refuse", "swallow"] as const)("a server that is down (%s)", (how) => {
  it("fails all that waits within ten seconds, together, then at once, and serves again when it is back", async () => {
    // As people have it, once; with less patience the rest need not take so long.
    if (how === "refuse") await open();
    proxy.be(how);
    const failures = await Promise.all(someCalls().map(failure));
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["STATE_UNAVAILABLE"]));
    const times = failures.map(({ ms }) => ms);
    expect(Math.max(...times)).toBeLessThan(underLoad(10_000));
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(underLoad(1_500));
    for (const { ms, code } of await Promise.all(someCalls().map(failure))) {
      expect(code).toBe("STATE_UNAVAILABLE");
      expect(ms).toBeLessThan(underLoad(500));
    }
    proxy.be("well");
    // A busy machine may need more than one try within the patience of two seconds.
    let ms = 0;
    const serve = async (): Promise<string> => {
      const started = performance.now();
      await Promise.all(someCalls());
      ms = performance.now() - started;
      return "served";
    };
    await expect.poll(() => serve().catch(String), { interval: 50 }).toBe("served");
    expect(ms).toBeLessThan(underLoad(5_000));
  });
});

describe("a server that is slow", () => {
  it("is waited for, an answer in a fifth of the patience", async () => {
    proxy.be({ slow: 400 });
    await state.kv("x").set("k", 7);
    expect(await state.kv("x").get("k")).toBe(7);
  });
});

describe("a server that another client holds up", () => {
  it("is told as busy within ten seconds, to all that wait, and no write is lost or done late", async () => {
    const hold = `BEGIN; LOCK TABLE ${schemaOf(fixture.workspace)}.kv IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT`;
    const held = askPostgres(fixture.database, hold);
    await expect
      .poll(async () => {
        const sql =
          "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = $1::regclass";
        return (await askPostgres(fixture.database, sql, [`${schemaOf(fixture.workspace)}.kv`])).length;
      })
      .toBe(1);
    const calls = Array.from({ length: 6 }, (_, n) => state.kv("x").set(`w${n}`, n));
    const failures = await Promise.all([...calls, state.kv("x").get("k")].map(failure));
    for (const { ms, code } of failures) {
      expect(code).toBe("STATE_BUSY");
      expect(ms).toBeLessThan(underLoad(10_000));
    }
    await held;
    expect(await state.kv("x").list()).toEqual(["k"]);
  });

  it("or that has no connection left serves as soon as one is free", async () => {
    const user = `few_${Date.now()}`;
    await askPostgres(
      fixture.database,
      `CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD 'few' CONNECTION LIMIT 1`,
    );
    try {
      await askPostgres(fixture.database, `ALTER ROLE ${user} NOSUPERUSER`);
      await askPostgres(fixture.database, `GRANT CREATE ON DATABASE postgres TO ${user}`);
      const url = Object.assign(new URL(fixture.database), { username: user, password: "few" }).href;
      const own = await fixture.open({ database: url, workspace: fixture.base });
      await Promise.all(Array.from({ length: 8 }, (_, n) => own.kv("x").set(`w${n}`, n)));
      const reads = await Promise.all(Array.from({ length: 8 }, (_, n) => own.kv("x").get(`w${n}`)));
      expect(reads).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      await own.close();
    } finally {
      await askPostgres(fixture.database, `DROP SCHEMA IF EXISTS ${schemaOf(fixture.base)} CASCADE`);
      await askPostgres(fixture.database, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
    }
  });
});

describe("a commit whose answer is lost", () => {
  it("is told as unknown where the server stays away, and is not done again", async () => {
    // With the end of its message: a transaction begins as READ COMMITTED.
    proxy.cutAt("COMMIT\0", { delivered: true, then: "refuse" });
    const error: unknown = await state
      .kv("x")
      .set("once", 1)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "STATE_UNAVAILABLE", retryable: false });
    expect((error as Error).message).toContain("not known");
    expect(proxy.cuts).toBe(1);
    proxy.be("well");
    await expect
      .poll(
        () =>
          state
            .kv("x")
            .get("once")
            .catch(() => undefined),
        { timeout: 10_000 },
      )
      .toBe(1);
  });
});
