// A host of the least kind: lines to a server and back, so that the server's time is what is measured.
import { spawn } from "node:child_process";

/** Start a server and greet it. */
export async function openPipe(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let lastId = 0;
  let rest = "";
  let fault;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line);
      const settle = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) settle?.resolve(result);
      else settle?.reject(new Error(error.message));
    }
  });
  const fail = (error) => {
    fault ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.once("error", fail);
  child.once("close", (code) =>
    fail(new Error(`${[command, ...args].join(" ")} ended with ${code ?? "a signal"}`)),
  );
  child.stdin.on("error", () => {}); // reported by the requests that wait for an answer
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      if (fault !== undefined) return reject(fault);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const clientInfo = { name: "bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    request,
    pid: child.pid,
    close: () =>
      new Promise((resolve) => {
        // Asked to end first: a killed server writes no profile.
        const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
        child.once("close", () => {
          clearTimeout(timer);
          resolve();
        });
        child.stdin.end();
      }),
  };
}
