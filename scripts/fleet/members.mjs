// Fronts and workers of a fleet as processes of their own, which can be stopped, killed and started again.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openLink } from "./links.mjs";

const program = resolve(import.meta.dirname, "../../bin/tenon.cjs");
/** A clock that is wrong, for this one process. */
const skewed = (ms) =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const real = Date; globalThis.Date = class extends real { constructor(...given) { given.length === 0 ? super(real.now() + ${ms}) : super(...given); } static now() { return real.now() + ${ms}; } };`,
  )}`;

/**
 * @param {{ root: string, nats: { port: number }, postgres: { port: number, url: URL }, token: string, config: string,
 *   login?: string, tenant: string, isolated?: boolean, direct?: boolean }} stage `direct`: without relays
 */
export async function openMember(stage, { name, args, skewMs = 0, port }) {
  const { root, nats, postgres, token, config, login = "", tenant, isolated = false, direct = false } = stage;
  const link = (port) => (direct ? noLink(port) : openLink(() => port));
  const [bus, database] = [await link(nats.port), await link(postgres.port)];
  const own = new URL(postgres.url);
  own.port = String(database.port);
  const state = join(root, `state-${name}`);
  mkdirSync(state, { recursive: true });
  const log = createWriteStream(join(root, `${name}.log`), { flags: "a" });
  let child;
  let pid = 0;
  let facts;
  let stopped = 0;
  let stoppedAt;
  const spawnIt = () => {
    const words = [program, ...args, "--fleet", `nats://${login}127.0.0.1:${bus.port}`, "--tenant", tenant];
    const all = [
      ...words,
      "--config",
      config,
      "--json",
      ...(port === undefined ? [] : ["--port", String(port)]),
    ];
    const [command, ...rest] = isolated
      ? ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", process.execPath, ...all]
      : [process.execPath, ...all];
    return spawn(command, rest, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: state,
        XDG_CONFIG_HOME: join(root, "no-configuration"),
        TENON_STATE_DIR: state,
        TENON_TOKEN: token,
        TENON_DATABASE: own.href,
        ...(skewMs !== 0 && { NODE_OPTIONS: skewed(skewMs) }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  };
  const member = {
    name,
    get facts() {
      return facts;
    },
    get pid() {
      return pid;
    },
    get isRunning() {
      return child !== undefined;
    },
    async start() {
      const started = spawnIt();
      child = started;
      started.stderr.pipe(log, { end: false });
      const ended = new Promise((done) => started.once("exit", done));
      void ended.then(() => {
        if (child === started) child = undefined;
      });
      const line = await Promise.race([firstLine(started.stdout), ended.then(() => undefined)]);
      if (line === undefined) throw new Error(`${name} ended at its start: see ${join(root, `${name}.log`)}`);
      facts = JSON.parse(line);
      pid = isolated ? innerPid(started.pid) : started.pid;
    },
    signal(word) {
      if (child === undefined) return;
      process.kill(pid, word);
      if (word === "SIGSTOP") stoppedAt = performance.now();
      if (word === "SIGCONT" && stoppedAt !== undefined) {
        stopped += performance.now() - stoppedAt;
        stoppedAt = undefined;
      }
    },
    /** For how long it was stopped, in all. */
    stoppedMs: () => stopped + (stoppedAt === undefined ? 0 : performance.now() - stoppedAt),
    /** @param {NodeJS.Signals} word */
    async end(word) {
      if (child === undefined) return;
      const stopping = child;
      const ended = new Promise((done) => stopping.once("exit", done));
      member.signal(word);
      await ended;
    },
    cut() {
      for (const link of [bus, database]) link.cut();
    },
    restore() {
      for (const link of [bus, database]) link.restore();
    },
    async close() {
      member.restore();
      if (child !== undefined) member.signal("SIGCONT");
      await member.end("SIGKILL");
      for (const link of [bus, database]) link.close();
      log.end();
    },
  };
  await member.start();
  return member;
}

function noLink(port) {
  return { port, cut() {}, restore() {}, close() {} };
}

function firstLine(stream) {
  return new Promise((done) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      const end = text.indexOf("\n");
      if (end !== -1) done(text.slice(0, end));
    });
  });
}

/** The process inside its pid namespace, as it is known out here. */
function innerPid(outer) {
  return Number(readFileSync(`/proc/${outer}/task/${outer}/children`, "utf8").trim().split(" ")[0]);
}
