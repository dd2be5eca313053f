import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../src/fleet/testing/fleet-fixture.js";
import { testNats } from "../src/fleet/testing/nats-server.js";
import { testPostgres } from "./postgres.js";
import { underLoad } from "./setup/under-load.js";

const bin = resolve(import.meta.dirname, "../bin/tenon.cjs");
let nats: Awaited<ReturnType<typeof testNats>>;
let database: string;
let fleet: ReturnType<typeof createFleet>;

beforeAll(async () => {
  [nats, database] = await Promise.all([testNats(), testPostgres()]);
  fleet = createFleet({ nats: nats.url, database });
});
afterAll(async () => {
  await fleet.close();
  await nats.close();
});

describe("`tenon worker`", () => {
  it(
    "drains on SIGTERM: what runs ends, what comes then is refused, and the workspace is handed back",
    async () => {
      const dir = join(fleet.root, "workspaces");
      mkdirSync(join(dir, "main"), { recursive: true });
      const file = join(fleet.root, "worker.json");
      const config = { mode: "auto", database, fleet: { nats: nats.url, tenant: fleet.tenant } };
      writeFileSync(file, JSON.stringify(config));
      const env = { ...process.env, TENON_STATE_DIR: join(fleet.root, "state"), HOME: fleet.root };
      const child = spawn(process.execPath, [bin, "worker", "--workspaces", dir, "--config", file], {
        cwd: fleet.root,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = new Promise<number | null>((done) => child.once("exit", done));
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      try {
        await expect.poll(() => text, { timeout: underLoad(20_000) }).toContain("is ready");
        const { front, host } = await fleet.front();
        const { signal } = new AbortController();
        const call = (name: string, args: object) =>
          host.openSession({}).call({ name, arguments: args, signal });
        expect((await call("current_time", {})).envelope.error).toBeUndefined();
        const { roster } = front;
        const worker = roster.ownerOf("main") ?? "";
        // Long enough for all that happens while it runs.
        const running = call("sleep", { duration: Math.min(20, underLoad(4000) / 1000) });
        const load = (): number | undefined => roster.members.get(worker)?.value.running;
        await expect.poll(load, { timeout: underLoad(5000), interval: 20 }).toBe(1);
        child.kill("SIGTERM");
        await expect.poll(() => text).toContain("Draining");
        await expect.poll(() => roster.members.get(worker)?.value.draining).toBe(true);
        const late = await call("write_file", { path: "late.txt", content: "" });
        expect(late.envelope.error?.code).toBe("WORKSPACE_UNAVAILABLE");
        expect((await running).envelope).toSucceed();
        expect(await ended).toBe(0);
        // Handed back, not only left to run out.
        await expect.poll(() => roster.workspaces.get("main")?.value.worker).toBe("");
        await expect.poll(() => roster.members.has(worker)).toBe(false);
      } finally {
        child.kill("SIGKILL");
      }
    },
    underLoad(60_000),
  );
});
