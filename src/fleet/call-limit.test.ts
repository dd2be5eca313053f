import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { askPostgres } from "../../test/postgres.js";
import { underLoad } from "../../test/setup/under-load.js";
import type { TenonConfig } from "../config/config-schema.js";
import type { HostAnswer } from "../contract/host.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { useServers } from "./testing/use-servers.js";

const servers = useServers();
let fleet: ReturnType<typeof createFleet>;

afterEach(() => fleet.close());

interface Call {
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** A front and a worker, and what makes calls through them. */
async function open(config: TenonConfig = {}, ofWorker: TenonConfig["fleet"] = {}) {
  fleet = createFleet({ ...servers, config });
  const { dir, worker } = await fleet.worker({ fleet: ofWorker });
  const { front, host } = await fleet.front();
  const call = (name: string, args: object, more: Call = {}): Promise<HostAnswer> =>
    host.openSession({}).call({ name, arguments: args, signal: new AbortController().signal, ...more });
  return { dir, worker, front, call };
}

const codeOf = ({ envelope }: HostAnswer): string | undefined => envelope.error?.code;

describe("the limit of a call in a fleet", () => {
  it("counts the wait in its worker's queue: it is answered in time and never made", async () => {
    const one = { concurrency: { maxConcurrentCalls: 1 } };
    const { call, worker } = await open({ tools: { perTool: { sleep: one } } });
    const leave = new AbortController();
    const first = call("sleep", { duration: 60 }, { signal: leave.signal });
    await expect.poll(() => worker.running).toBe(1);
    const second = await call("sleep", { duration: 0 }, { timeoutMs: 500 });
    expect(codeOf(second)).toBe("TIMED_OUT");
    expect(second.envelope.error?.details).toEqual({ timeoutMs: expect.any(Number) as number });
    await expect.poll(() => worker.running).toBe(1); // the first goes on
    leave.abort();
    expect(codeOf(await first)).toBe("CANCELLED");
  });

  it(
    "is the front's to keep where the worker goes on: it answers that the outcome is not known",
    async () => {
      const { call, dir } = await open();
      const append = (timeoutMs: number) =>
        call("shell_exec", { command: "echo once >> a.txt" }, { timeoutMs, idempotencyKey: "again" });
      await call("current_time", {}, { idempotencyKey: fleet.tenant });
      // The worker lives and has taken the call, but PostgreSQL does not answer it.
      const unlock = await lockKeys(fleet.tenant);
      const late = await append(500);
      expect(codeOf(late)).toBe("OUTCOME_UNKNOWN");
      expect(late.envelope.error?.hint).toContain("the same idempotency key");
      await unlock();
      expect((await append(60_000)).envelope.error).toBeUndefined();
      expect(readFileSync(join(dir, "main", "a.txt"), "utf8")).toBe("once\n");
    },
    underLoad(30_000),
  );
});

describe("a call in a fleet that is cancelled before its worker begins it", () => {
  it("is not made", async () => {
    const { call, dir, worker } = await open({}, { slots: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = call("sleep", { duration: 60 }, { signal: first.signal });
    await expect.poll(() => worker.running).toBe(1);
    const waiting = call("write_file", { path: "a.txt", content: "" }, { signal: second.signal });
    await expect.poll(() => worker.running).toBe(2);
    second.abort();
    first.abort();
    expect([codeOf(await running), codeOf(await waiting)]).toEqual(["CANCELLED", "CANCELLED"]);
    expect(existsSync(join(dir, "main", "a.txt"))).toBe(false);
  });
});

/** Let nobody read the idempotency keys of the workspace that knows this one; the result lets them again. */
async function lockKeys(known: string): Promise<() => Promise<void>> {
  const schemas = await askPostgres<{ name: string }>(
    servers.database,
    "SELECT schemaname AS name FROM pg_tables WHERE tablename = 'answers'",
  );
  const { Client } = createRequire(import.meta.url)("pg") as typeof pg;
  for (const { name } of schemas) {
    const client = new Client({ connectionString: servers.database });
    await client.connect();
    await client.query("BEGIN");
    const table = `"${name}".answers`;
    // Other tests remove their schemas meanwhile.
    const found = await client
      .query(`SELECT 1 FROM ${table} WHERE name = $1`, [known])
      .catch(() => undefined);
    if (found?.rowCount === 1) {
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return () => client.end();
    }
    await client.end();
  }
  throw new Error("No workspace knows that key.");
}
