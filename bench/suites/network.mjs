// The network of commands: a download through the forwarder, a connection, the namespace, and the first granted host.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

/** Checked before the suite runs. */
export const needs = [{ program: "bwrap" }, { program: "nsenter" }];

const downloadBytes = 200 * 1024 * 1024;
const runFile = promisify(execFile);

/** Prints the milliseconds of a download, and the median of the milliseconds until a new connection answers. */
const client = `
const net = require("node:net");
const [port, bytes] = process.argv.slice(2).map(Number);
const answer = (text) => new Promise((resolve, reject) => {
  const started = performance.now();
  let received = 0;
  const socket = net.connect(port, "localhost", () => socket.write(text));
  socket.on("data", (chunk) => (received += chunk.length)).on("error", reject);
  socket.on("close", () => resolve({ ms: performance.now() - started, received }));
});
(async () => {
  const times = [];
  for (let count = 0; count < 200; count++) times.push((await answer("1")).ms);
  const { ms, received } = await answer(String(bytes));
  if (received !== bytes) throw new Error("received " + received);
  console.log(JSON.stringify({ connect: times.sort((a, b) => a - b)[100], download: ms }));
})();
`;

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const workspace = join(root, "work");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "client.cjs"), client);
  const server = await startServer();
  const { port } = server.address();
  const tenon = createTenon({
    workspace,
    config: { stateDir: join(root, "state"), sandbox: { enabled: "required" } },
    interact: { approve: () => true },
  });
  try {
    await measureTransfers(tenon, workspace, port);
    await measureNamespace();
    await measureFirstHost(tenon, port);
  } finally {
    await tenon.close();
    server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Sends as many bytes as it is asked for, and closes. */
function startServer() {
  const block = Buffer.alloc(256 * 1024);
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (text) => {
      let left = Number(text.toString());
      const send = () => {
        while (left > 0) {
          const part = block.subarray(0, Math.min(left, block.length));
          left -= part.length;
          if (!socket.write(part)) return;
        }
        socket.end();
      };
      socket.on("drain", send);
      send();
    });
  });
  return new Promise((resolve) => server.listen(0, "localhost", () => resolve(server)));
}

async function measureTransfers(tenon, workspace, port) {
  const session = tenon.createSession();
  const samples = { direct: [], forwarded: [] };
  for (let round = 0; round < 9; round++) {
    const args = ["client.cjs", String(port), String(downloadBytes)];
    const { stdout } = await runFile(process.execPath, args, { cwd: workspace });
    samples.direct.push(JSON.parse(stdout));
    const command = `node ${args.join(" ")}`;
    const { result } = await call(session, { command, network: [`localhost:${port}`], timeout: 120_000 });
    samples.forwarded.push(JSON.parse(result.stdout));
  }
  const median = (name, what) =>
    quantile(
      samples[name].map((sample) => sample[what]),
      0.5,
    );
  const speed = (name) => downloadBytes / 1e6 / (median(name, "download") / 1000);
  console.log(`\n## 200 MB over the loopback\n`);
  console.log(`direct ${speed("direct").toFixed(0)} MB/s, forwarded ${speed("forwarded").toFixed(0)} MB/s\n`);
  printGoal("the time of the download against a direct one", speed("direct") / speed("forwarded"), 1 / 0.3);
  printGoal(
    "ms that a connection takes longer",
    median("forwarded", "connect") - median("direct", "connect"),
    2,
  );
}

async function measureNamespace() {
  const holder = spawn(
    "unshare",
    [...(process.getuid() === 0 ? [] : ["-Ur"]), "--net", "sh", "-c", "echo; read x"],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  const bwrap = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  const user = process.getuid() === 0 ? [] : [`--user=/proc/${holder.pid}/ns/user`, "--preserve-credentials"];
  const enter = ["nsenter", ...user, `--net=/proc/${holder.pid}/ns/net`, "--"];
  const start = ([file, ...args]) => runFile(file, args);
  try {
    const results = await compare(
      {
        "a network of its own": () => start([...bwrap, "true"]),
        "the network of the session": () => start([...enter, ...bwrap, "--share-net", "true"]),
      },
      { rounds: 60, callsPerRound: 1 },
    );
    printTable("bubblewrap in the namespace of a session", results, "a network of its own");
    const [own, shared] = [...results.values()].map(({ median }) => median / 1000);
    printGoal("ms that the namespace of a session adds to a command", shared - own, 5);
  } finally {
    holder.kill();
  }
}

async function measureFirstHost(tenon, port) {
  const first = (network) => async () => {
    const session = tenon.createSession();
    // The namespace is there; the forwarder is not. The command writes, so that it runs on a layer with and without network.
    await call(session, { command: "touch a" });
    const started = performance.now();
    await call(session, { command: "touch a", network });
    times[network.length].push(performance.now() - started);
    await session.close();
  };
  const times = [[], []];
  for (let round = 0; round < 25; round++) {
    await first([])();
    await first([`localhost:${port}`])();
  }
  const [without, granted] = times.map((values) => quantile(values.slice(5), 0.5));
  console.log(`\n## The first granted host\n`);
  console.log(`a command ${without.toFixed(1)} ms, with the first granted host ${granted.toFixed(1)} ms\n`);
  printGoal("ms that the first granted host takes", granted - without, 60);
}

async function call(session, args) {
  const envelope = await session.call({ name: "shell_exec", arguments: args });
  if (!envelope.success) throw new Error(envelope.error.message);
  if (envelope.result.exitCode !== 0) throw new Error(envelope.result.stderr || "the command failed");
  return envelope;
}
