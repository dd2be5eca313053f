// A whole fleet on this machine: both servers, fronts and workers as processes, a second tenant that must hear nothing.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMember } from "./members.mjs";
import { startNats, startPostgres, freePort, until } from "./servers.mjs";
import { openSpy } from "./spy.mjs";

const token = "a-token-of-all-fronts-".padEnd(48, "x");
/** As in the guide: an account for each tenant. */
const accounts = `accounts {
  a { jetstream: enabled, users: [{ user: a, password: secret-a }] }
  b { jetstream: enabled, users: [{ user: b, password: secret-b }] }
}`;

/** A machine whose clock is two minutes off is a part of every fleet. */
const workerSkews = [0, 120_000, -120_000];
const frontSkews = [0, 120_000];

export async function openStage({ random, workspaces = ["one", "two", "three"], diskMb }) {
  const root = mkdtempSync(join(tmpdir(), "tenon-fleet-faults-"));
  // PostgreSQL runs as another user where this runs as root.
  chmodSync(root, 0o755);
  const volume = join(root, "volume");
  mkdirSync(volume);
  const isRoot = process.getuid?.() === 0;
  const size = `size=${diskMb}m`;
  const isMounted = isRoot && spawnSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", volume]).status === 0;
  for (const name of workspaces) mkdirSync(join(volume, name));
  const [nats, postgres] = await Promise.all([
    startNats(join(root, "nats"), accounts),
    startPostgres(join(root, "postgres")),
  ]);
  const config = join(root, "tenon.yaml");
  const settings = { mode: "auto", database: "${TENON_DATABASE}", fleet: { maxQueueBytes: 32 * 2 ** 20 } };
  writeFileSync(config, JSON.stringify(settings));
  const common = { root, nats, postgres, token, config, login: "a:secret-a@", tenant: "a" };
  const isolated = isRoot && spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;
  const args = ["worker", "--workspaces", volume, "--label", "volume=shared"];
  const workers = await Promise.all(
    workerSkews.map((skewMs, n) => openMember({ ...common, isolated }, { name: `worker${n}`, args, skewMs })),
  );
  const fronts = await Promise.all(
    frontSkews.map(async (skewMs, n) =>
      openMember(common, { name: `front${n}`, args: ["serve", "--quiet"], skewMs, port: await freePort() }),
    ),
  );
  const spy = await openSpy({ nats, login: "a:secret-a@", tenant: "a" });
  const other = await openSpy({ nats, login: "b:secret-b@", tenant: "b" });
  const ask = (path, body) => {
    const { port } = fronts.find(({ isRunning }) => isRunning).facts;
    return fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
  };
  return {
    ...common,
    volume,
    workspaces,
    workers,
    fronts,
    spy,
    random,
    /** Whether the volume is a disk of its own, which may be filled. */
    isMounted,
    pick: (list) => list[Math.floor(random() * list.length)],
    foreign: () => [...spy.foreign, ...other.foreign],
    move: (workspace, worker) =>
      ask("/api/fleet/move", { workspace, worker }).then(
        (response) => response.text(),
        () => undefined,
      ),
    /** The records of all workspaces, through a front, after their chains were verified. */
    async readLogs() {
      const logs = new Map();
      for (const name of workspaces) {
        let verified;
        // The last fault may have moved it, and it may move once more.
        await until(async () => {
          verified = await (await ask(`/api/log/verify?workspace=${name}`, {})).json();
          return verified.error?.code !== "WORKSPACE_UNAVAILABLE";
        }, `the log of ${name}`);
        if (verified.ok !== true)
          throw new Error(`The log of ${name} is broken: ${JSON.stringify(verified)}`);
        const text = await (await ask(`/api/log/export?workspace=${name}`)).text();
        logs.set(
          name,
          text
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line)),
        );
      }
      return logs;
    },
    async close({ keep = false } = {}) {
      for (const one of [spy, other]) await one.close();
      for (const member of [...fronts, ...workers]) await member.close();
      await nats.stop();
      await postgres.close();
      if (keep) return console.log(`Kept for a look: ${root}`);
      if (isMounted) spawnSync("umount", [volume]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
