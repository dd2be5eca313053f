import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A NATS server for tests. */
export interface TestNats {
  readonly url: string;
  readonly port: number;
  /** Its process, to be mistreated. */
  readonly pid: number;
  /** Stop it; its streams stay on disk. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stop it, and lose what it kept. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Start a `nats-server` that nobody else uses. @param more Further lines of its configuration. */
export async function startNats(more = ""): Promise<TestNats> {
  const dir = mkdtempSync(join(tmpdir(), "tenon-nats-"));
  const port = await freePort();
  const file = join(dir, "nats.conf");
  const store = join(dir, "js");
  writeFileSync(file, `listen: 127.0.0.1:${port}\njetstream { store_dir: "${store}" }\n${more}\n`);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn("nats-server", ["-c", file], { stdio: "ignore" });
    await reachable(port, child);
  };
  const stop = async (): Promise<void> => {
    const stopping = child;
    child = undefined;
    if (stopping === undefined || stopping.exitCode !== null) return;
    const ended = new Promise((resolve) => stopping.once("exit", resolve));
    stopping.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return child?.pid ?? 0;
    },
    start,
    stop,
    async forget() {
      await stop();
      rmSync(store, { recursive: true, force: true });
    },
    async close() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The server at `TENON_TEST_NATS`, else one of the test's own. */
export async function testNats(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const given = process.env["TENON_TEST_NATS"];
  return given === undefined || given === "" ? startNats() : { url: given, close: async () => {} };
}

async function reachable(port: number, child: ChildProcess): Promise<void> {
  let failed: unknown;
  child.once("error", (error) => (failed = error));
  for (let tries = 0; tries < 400; tries += 1) {
    if (failed !== undefined)
      throw new Error("nats-server is needed for these tests: npm run setup, or set TENON_TEST_NATS.", {
        cause: failed,
      });
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      socket.once("data", () => resolve(true) ?? socket.destroy());
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return;
    await sleep(25);
  }
  throw new Error("nats-server did not answer within ten seconds.");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
