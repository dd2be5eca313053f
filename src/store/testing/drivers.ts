import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach } from "vitest";
import { askPostgres, testPostgres } from "../../../test/postgres.js";
import { migrations, tablesOf } from "../migrations.js";
import { schemaOf } from "../open-database.js";
import { openState, type State, type StateOptions } from "../open-state.js";
import { memoryDir } from "../../../test/setup/memory-dir.js";

/** An empty place for the states of a test, in one of the databases. */
export interface Fixture {
  readonly base: string;
  readonly stateDir: string;
  readonly workspace: string;
  /** "sqlite", or the address of the server. */
  readonly database: string;
  /** Open the state; it is closed with the fixture at the latest. */
  open(options?: Partial<StateOptions>): Promise<State>;
  /** Say something to the database past the state. */
  exec(sql: string, values?: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Make a fixture for each test. */
export type NewFixture = () => Promise<Fixture>;

/** Makes fixtures, and closes them after each test of the file that calls this. */
export function fixturesOfTest(): (newFixture: NewFixture) => Promise<Fixture> {
  const fixtures: Fixture[] = [];
  afterEach(async () => {
    for (const fixture of fixtures.splice(0)) await fixture.close();
  });
  return async (newFixture) => {
    const fixture = await newFixture();
    fixtures.push(fixture);
    return fixture;
  };
}

/** In a file. */
export const sqliteFixture: NewFixture = () => createFixture("sqlite");

/** In a file in memory where the system has room there, for tests that need no disk: syncing takes long under load. */
export const quickSqliteFixture: NewFixture = () => createFixture("sqlite", memoryDir());

/** On a server. */
export const postgresFixture: NewFixture = async () => createFixture(await testPostgres());

/** A fixture whose schema is made once: closing it only empties the tables, `end` drops it. */
export interface LastingFixture {
  readonly newFixture: NewFixture;
  end(): Promise<void>;
}

/** On a server, for many tests that leave the schema as it is: making one takes longer than most of them. */
export function lastingPostgresFixture(): LastingFixture {
  let fixture: Fixture | undefined;
  return {
    async newFixture() {
      const lasting = (fixture ??= await postgresFixture());
      const opened: State[] = [];
      return {
        ...lasting,
        async open(options) {
          const state = await lasting.open(options);
          opened.push(state);
          return state;
        },
        async close() {
          for (const state of opened) await state.close();
          await lasting.exec(emptySql);
          rmSync(lasting.stateDir, { recursive: true, force: true });
        },
      };
    },
    end: async () => fixture?.close(),
  };
}

/** Rows go before those that they refer to, and numbers begin again. */
const emptySql = `DO $$ DECLARE found text; BEGIN
  FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
    AND tablename <> 'meta' AND tablename <> ALL ('{${tablesOf(migrations.length).join()}}'::text[])
  LOOP EXECUTE format('DELETE FROM %I', found); END LOOP;
  ${tablesOf(migrations.length)
    .toReversed()
    .map((table) => `DELETE FROM ${table};`)
    .join("\n  ")}
  FOR found IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()
  LOOP PERFORM setval(found::regclass, 1, false); END LOOP;
END $$`;

/** End the connections that were closed: the package does so only when their statements are collected. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await nextTurn();
}

async function createFixture(database: string, parent = tmpdir()): Promise<Fixture> {
  const base = realpathSync(mkdtempSync(join(parent, "tenon-fixture-")));
  const [stateDir, workspace] = [join(base, "state"), join(base, `ws-${randomUUID()}`)];
  mkdirSync(workspace);
  const opened: State[] = [];
  const schema = schemaOf(workspace);
  const exec = async (sql: string, values: readonly unknown[] = []): Promise<unknown[]> => {
    if (database !== "sqlite")
      return askPostgres(`${database}?options=-csearch_path%3D${schema}`, sql, [...values]);
    const { connectSqlite } = await import("../sqlite-driver.js");
    const { databaseFile } = await import("../open-database.js");
    const { openStateDir } = await import("../state-dir.js");
    const raw = connectSqlite(databaseFile(openStateDir(stateDir, workspace).dir));
    try {
      return raw.prepare(sql.replaceAll(/\$\d+/g, "?")).all(...(values as never[]));
    } finally {
      raw.close();
    }
  };
  return {
    base,
    stateDir,
    workspace,
    database,
    exec,
    async open(options = {}) {
      const state = await openState({ stateDir, workspace, database, ...options });
      opened.push(state);
      return state;
    },
    async close() {
      for (const state of opened) await state.close();
      if (database !== "sqlite") await askPostgres(database, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
