import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { askPostgres, testPostgres } from "../../../test/postgres.js";
import { schemaOf } from "../open-database.js";
import { openState, type State, type StateOptions } from "../open-state.js";

/** An empty place for the states of a test, in one of the databases. */
export interface Ground {
  readonly base: string;
  readonly stateDir: string;
  readonly workspace: string;
  /** "sqlite", or the address of the server. */
  readonly database: string;
  /** Open the state; it is closed with the ground at the latest. */
  open(options?: Partial<StateOptions>): Promise<State>;
  /** Say something to the database past the state. */
  exec(sql: string, values?: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Make a ground for each test. */
export type NewGround = () => Promise<Ground>;

/** In a file. */
export const sqliteGround: NewGround = () => createGround("sqlite");

/** On a server. */
export const postgresGround: NewGround = async () => createGround(await testPostgres());

/** End the connections that were closed: the package does so only when their statements are collected. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await nextTurn();
}

async function createGround(database: string): Promise<Ground> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-ground-")));
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
