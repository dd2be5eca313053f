import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownPostgres, type OwnPostgres } from "../../test/postgres.js";
import { underLoad } from "../../test/setup/under-load.js";
import { examine } from "../cli/examine.js";
import type { ToolEnvelope } from "../contract/call.js";
import type { RunningServer } from "../server/index.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { askFront, openHttpFront } from "./testing/http-front.js";
import { testNats } from "./testing/nats-server.js";

let nats: Awaited<ReturnType<typeof testNats>>;
let postgres: OwnPostgres;
let fleet: ReturnType<typeof createFleet>;
let front: Awaited<ReturnType<typeof openHttpFront>>;
let server: RunningServer;
let opened: Awaited<ReturnType<typeof fleet.worker>>;

beforeAll(async () => {
  [nats, postgres] = await Promise.all([testNats(), ownPostgres()]);
  const database = postgres.url;
  fleet = createFleet({ nats: nats.url, database });
  const loaded = { sources: [], warnings: [], untrusted: undefined } as never;
  const terminal = { cwd: fleet.root, stdin: {}, stderr: {}, env: {} } as never;
  opened = await fleet.worker({
    machineOf: (tenon) => ({
      configFolder: fleet.root,
      doctor: () => examine({ tenon, loaded, terminal }),
      configuration: () => ({ sources: [], warnings: [] }),
    }),
  });
  const config = { database, fleet: { nats: nats.url, tenant: fleet.tenant } };
  const onFault = (cause: unknown): void => void fleet.faults.push(cause);
  front = await openHttpFront({ root: fleet.root, name: "front", config, onFault });
  ({ server } = front);
}, underLoad(90_000));

afterAll(async () => {
  await front.close();
  await fleet.close();
  await nats.close();
  await postgres.stop();
});

async function write(path: string): Promise<ToolEnvelope & { readonly status: number }> {
  const response = await askFront(server, "/api/tools/write_file/call", {
    arguments: { path, content: path },
  });
  return { ...((await response.json()) as ToolEnvelope), status: response.status };
}

const works = async (path: string): Promise<boolean> => (await write(path)).success;

/** The highest number that the journal has given out. */
async function lastId(): Promise<number> {
  const state = opened.worker.owned.get("main")?.tenon;
  const [newest] = (await state?.history({ limit: 1 })) ?? [];
  return newest?.id ?? 0;
}

describe("a fleet whose PostgreSQL", () => {
  it("is away answers 503 with Retry-After within a second, lets what runs end, and goes on", async () => {
    expect(await works("before.txt")).toBe(true);
    const running = askFront(server, "/api/tools/sleep/call", { arguments: { duration: 2 } });
    await expect.poll(() => opened.worker.running).toBe(1);
    await postgres.toggle();
    await expect.poll(async () => (await write("away.txt")).status).toBe(503);
    const began = performance.now();
    const refused = await askFront(server, "/api/tools/current_time/call", {});
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await refused.text()).toContain("PostgreSQL cannot be reached");
    expect(performance.now() - began).toBeLessThan(underLoad(1000));
    expect(await (await running).json()).toSucceed();
    await postgres.toggle();
    await expect.poll(() => works("after.txt"), { timeout: underLoad(30_000) }).toBe(true);
    // What was recorded meanwhile is in the worker's log.
    const log = await askFront(server, "/api/log?tool=sleep");
    expect(((await log.json()) as { records: unknown[] }).records).toHaveLength(1);
  });

  it("was restored from a backup goes on above the ids of the log, and doctor tells what is missing", async () => {
    await postgres.toggle();
    const backup = join(fleet.root, "backup");
    execFileSync("cp", ["-a", postgres.data, backup]);
    await postgres.toggle();
    await expect.poll(() => works("kept.txt"), { timeout: underLoad(30_000) }).toBe(true);
    for (const name of ["lost-1.txt", "lost-2.txt", "lost-3.txt"]) expect(await works(name)).toBe(true);
    const before = await lastId();
    // The mark of the database follows within a few seconds.
    const head = await opened.worker.owned.get("main")?.tenon.audit.head();
    const state = join(opened.dir, ".tenon");
    const folder = readdirSync(state).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? "";
    const marked = (): number => {
      const mark = JSON.parse(readFileSync(join(state, folder, "database-mark.json"), "utf8")) as {
        seq: number;
      };
      return mark.seq;
    };
    await expect.poll(marked, { timeout: underLoad(20_000) }).toBeGreaterThanOrEqual(head?.seq ?? Infinity);
    await postgres.toggle();
    execFileSync("rm", ["-rf", postgres.data]);
    execFileSync("cp", ["-a", backup, postgres.data]);
    await postgres.toggle();
    await expect.poll(() => works("restored.txt"), { timeout: underLoad(30_000) }).toBe(true);
    expect(await lastId()).toBeGreaterThan(before);
    // As a front tells it.
    const doctor = await askFront(server, "/api/doctor");
    expect(await doctor.text()).toMatch(/restored from a backup: it knows nothing of \d+ calls/);
    const verified = await askFront(server, "/api/log/verify", {});
    expect(await verified.json()).toMatchObject({ ok: true });
  });
});
