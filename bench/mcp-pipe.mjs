// A host of the least kind: lines to a server and back, so that the server's time is what is measured.
import { spawn } from "node:child_process";

/** Start a server and greet it. */
export async function openPipe(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let lastId = 0;
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      const settle = waiting.get(message.id);
      waiting.delete(message.id);
      settle?.(message);
    }
  });
  const gone = new Promise((_, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      reject(new Error(`${[command, ...args].join(" ")} ended with ${code ?? "a signal"}`)),
    );
  });
  gone.catch(() => {}); // reported by the requests that wait for an answer
  child.stdin.on("error", () => {}); // likewise
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) => {
    const answer = new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(error.message)),
      );
      send({ id, method, params });
    });
    return Promise.race([answer, gone]);
  };
  const clientInfo = { name: "bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    request,
    close: () =>
      new Promise((resolve) => {
        child.once("close", resolve);
        child.kill("SIGKILL");
      }),
  };
}
