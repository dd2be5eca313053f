import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Give the run a place for one PostgreSQL server, which is started only where a test asks for it. */
export default function setup(): () => Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "tenon-pg-"));
  // The server runs as another user where the tests run as root.
  chmodSync(dir, 0o755);
  process.env["TENON_TEST_POSTGRES"] = dir;
  process.env["TENON_TEST_RUN"] = String(process.pid);
  return async () => {
    const file = join(dir, "pid");
    if (existsSync(file)) await stop(Number(readFileSync(file, "utf8")));
    rmSync(dir, { recursive: true, force: true });
  };
}

async function stop(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGTERM");
    for (let tries = 0; tries < 100; tries += 1) {
      await wait(50);
      process.kill(pid, 0);
    }
  } catch {
    // It is gone.
  }
}
