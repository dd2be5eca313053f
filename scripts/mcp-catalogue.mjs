// Asks the server that was just built for the answers that `tenon mcp` gives before all of it is loaded,
// and writes them to dist/mcp-catalogue.txt: a line of frames, then the tools.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "tenon-build-"));
const clientInfo = { name: "tenon-build", version: "1" };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const protocols = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

try {
  const [initialize, list] = await ask([
    { method: "initialize", params: { protocolVersion: "unknown", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { method: "tools/list" },
  ]);
  const [discover, modernList] = await ask([
    { method: "server/discover", params: { _meta: envelope } },
    { method: "tools/list", params: { _meta: envelope } },
  ]);
  if (initialize.protocolVersion !== protocols[0])
    throw new Error(`The newest protocol is ${initialize.protocolVersion}.`);
  const { tools, ...rest } = list;
  const { tools: modernTools, ...modern } = modernList;
  const text = JSON.stringify(tools);
  if (Object.keys(rest).length > 0 || text !== JSON.stringify(modernTools))
    throw new Error("The two lists of tools differ.");
  // V8 keeps other text in twice the memory, and needs half a millisecond longer to read and write it.
  const [beyond] = /.{0,40}[^\n -~]/.exec(text) ?? [];
  if (beyond !== undefined)
    throw new Error(`A tool is described with a character that is not ASCII: ${beyond}`);
  const frames = { version: initialize.serverInfo.version, protocols, initialize, discover, modern };
  writeFileSync(join(root, "dist/mcp-catalogue.txt"), `${JSON.stringify(frames)}\n${text}\n`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The results of some requests, in their order, from a server of their own. */
function ask(messages) {
  const env = { PATH: process.env.PATH, HOME: home, TENON_STATE_DIR: join(home, "state") };
  const child = spawn(process.execPath, [join(root, "bin/tenon.cjs"), "mcp"], {
    cwd: home,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = messages.map((message, id) => ({
    jsonrpc: "2.0",
    ...message,
    ...(!message.method.startsWith("notifications/") && { id }),
  }));
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", () => {
      const answers = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const failed = answers.find(({ error }) => error !== undefined);
      if (failed !== undefined)
        return reject(new Error(`The server answered ${JSON.stringify(failed.error)}.`));
      resolve(answers.sort((one, other) => one.id - other.id).map(({ result }) => result));
    });
  });
}
