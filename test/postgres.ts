import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";

/**
 * The address of a PostgreSQL server for tests: `DATABASE_URL`, else one that the first who asks starts for
 * all workers of this run. Throws where neither can be had: then these tests have to fail.
 */
export async function testPostgres(): Promise<string> {
  const given = process.env["DATABASE_URL"];
  if (given !== undefined && given !== "") return given;
  const dir = process.env["TENON_TEST_POSTGRES"];
  if (dir === undefined) throw new Error("test/postgres-setup.ts did not run: check globalSetup.");
  try {
    mkdirSync(join(dir, "claimed"));
    startServer(dir, Number(process.env["TENON_TEST_RUN"]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readyServer(dir);
}

/** A server of one's own, to be mistreated. */
export interface OwnPostgres {
  readonly url: string;
  /** Where its data lies. */
  readonly data: string;
  /** Stop it hard, or start it again; resolves when that is done. */
  toggle(): Promise<void>;
  /** Stop it hard and start it again on the same data; resolves when the signal is sent. */
  restart(): void;
  stop(): Promise<void>;
}

/** Start a server that nobody else uses. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const dir = join(tmpdir(), `tenon-pg-own-${process.pid}-${Date.now()}`);
  mkdirSync(dir);
  const child = startServer(dir, process.pid);
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const url = await readyServer(dir);
  return {
    url,
    data: join(dir, "data"),
    async toggle() {
      const wasThere = await answersOn(url);
      child.kill("SIGUSR2");
      while ((await answersOn(url)) === wasThere) await wait(50);
      // One that refuses connections may still be writing.
      const lock = join(dir, "data", "postmaster.pid");
      if (wasThere) while (existsSync(lock)) await wait(50);
    },
    restart: () => void child.kill("SIGHUP"),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ask the server something, past the state. */
export async function askPostgres<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const { Client } = createRequire(import.meta.url)("pg") as typeof pg;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

function answersOn(url: string): Promise<boolean> {
  return askPostgres(url, "SELECT 1").then(
    () => true,
    () => false,
  );
}

function startServer(dir: string, parent: number): ChildProcess {
  const script = resolve(import.meta.dirname, "postgres-server.mjs");
  const child = spawn(process.execPath, [script, dir, String(parent)], { detached: true, stdio: "ignore" });
  child.unref();
  return child;
}

async function readyServer(dir: string): Promise<string> {
  const [ready, failed] = [join(dir, "ready"), join(dir, "failed")];
  for (let tries = 0; tries < 600; tries += 1) {
    if (existsSync(ready)) return readFileSync(ready, "utf8");
    if (existsSync(failed)) {
      throw new Error(
        `No PostgreSQL for the tests (set DATABASE_URL to use another): ${readFileSync(failed, "utf8")}`,
      );
    }
    await wait(100);
  }
  throw new Error("The PostgreSQL server of the tests did not answer within a minute.");
}
