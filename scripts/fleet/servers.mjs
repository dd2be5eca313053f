// The two servers of a fleet, real ones, to be mistreated.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Start `nats-server` in a folder. @param {string} more Further lines of its configuration. */
export async function startNats(dir, more = "") {
  mkdirSync(dir, { recursive: true });
  const port = await freePort();
  const [file, store] = [join(dir, "nats.conf"), join(dir, "js")];
  writeFileSync(file, `listen: 127.0.0.1:${port}\njetstream { store_dir: "${store}" }\n${more}\n`);
  let child;
  const nats = {
    port,
    async start() {
      child = spawn("nats-server", ["-c", file, "-l", join(dir, "nats.log")], { stdio: "ignore" });
      await until(() => answersOn(port), "nats-server");
    },
    async stop() {
      if (child === undefined) return;
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      child = undefined;
    },
    /** What it kept is gone, as with streams in memory. */
    async forget() {
      await nats.stop();
      rmSync(store, { recursive: true, force: true });
    },
  };
  await nats.start();
  return nats;
}

/** Start PostgreSQL in a folder; `toggle` stops it hard, or starts it again. */
export async function startPostgres(dir) {
  mkdirSync(dir, { recursive: true });
  const script = resolve(import.meta.dirname, "../../test/postgres-server.mjs");
  const child = spawn(process.execPath, [script, dir, String(process.pid)], { stdio: "ignore" });
  const ready = join(dir, "ready");
  await until(() => existsSync(ready) || existsSync(join(dir, "failed")), "PostgreSQL");
  if (!existsSync(ready)) throw new Error(readFileSync(join(dir, "failed"), "utf8"));
  const url = new URL(readFileSync(ready, "utf8"));
  const port = Number(url.port);
  return {
    url,
    port,
    async stop() {
      child.kill("SIGUSR2");
      await until(async () => !(await answersOn(port)), "the end of PostgreSQL");
    },
    async start() {
      child.kill("SIGUSR2");
      await until(() => answersOn(port), "PostgreSQL");
    },
    async close() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Wait until something is so. */
export async function until(check, what, withinMs = 60_000) {
  const end = performance.now() + withinMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Waited ${withinMs / 1000} s for ${what}.`);
    await pause(25);
  }
}

function answersOn(port) {
  return new Promise((done) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => socket.destroy() && done(true));
    socket.once("error", () => done(false));
  });
}

export function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
