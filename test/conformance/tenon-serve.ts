import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const tenonProgram = resolve(import.meta.dirname, "../../bin/tenon.cjs");

/** A `tenon serve` of its own, as a person would start it. */
export interface TenonServe {
  /** Of MCP. */
  readonly url: string;
  readonly token: string;
  /** The token for all that a program may do. */
  readonly serverToken: string;
  readonly origin: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Where a program of Tenon's finds its configuration, workspace and state. */
export function openHome(config: object): {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), "tenon-home-"));
  const file = join(folder, "tenon.json");
  writeFileSync(file, JSON.stringify(config));
  return {
    args: ["--config", file, "--workspace", folder],
    env: { ...process.env, TENON_STATE_DIR: join(folder, "state") },
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export async function startServe(config: object): Promise<TenonServe> {
  const home = openHome(config);
  const child = spawn(process.execPath, [tenonProgram, "serve", "--port", "0", "--json", ...home.args], {
    env: home.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8");
  for await (const piece of child.stdout as AsyncIterable<string>) {
    said += piece;
    if (said.trimEnd().endsWith("}")) break;
  }
  const { url, mcp, mcpToken, token } = JSON.parse(said) as Record<
    "url" | "mcp" | "mcpToken" | "token",
    string
  >;
  return {
    url: mcp,
    token: mcpToken,
    serverToken: token,
    origin: url,
    pid: child.pid ?? 0,
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      home.remove();
    },
  };
}
