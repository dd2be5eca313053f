import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TenonConfig } from "../../config/config-schema.js";
import { resolveConfig } from "../../config/resolve-config.js";
import { createTenon } from "../../runtime/create-tenon.js";
import { startServer, type RunningServer } from "../../server/index.js";
import { tenantOwnership } from "../../store/ownership.js";
import { openFront } from "../open-front.js";

/** The token of all fronts of a test. */
export const frontToken = "a-token-of-all-fronts-".padEnd(48, "x");

export interface HttpFrontOptions {
  /** Where its state lies. */
  readonly root: string;
  readonly name: string;
  readonly config: TenonConfig;
  readonly onFault: (cause: unknown) => void;
}

/** A front in this process, as `tenon serve --fleet` opens it. */
export async function openHttpFront({ root, name, config: given, onFault }: HttpFrontOptions): Promise<{
  readonly server: RunningServer;
  close(): Promise<void>;
}> {
  const stateDir = join(root, name);
  mkdirSync(stateDir);
  const config = { ...given, stateDir };
  const resolved = resolveConfig(config);
  const opened = await openFront({ config: resolved, stateDir, workspace: root, onFault });
  const ownership = tenantOwnership(resolved.fleet.tenant);
  const tenon = createTenon({ workspace: root, config, ownership });
  const { mcp, forward, metrics, serve } = opened;
  const more = { mcp, forward, metrics, onServed: serve, onFault };
  const server = await startServer(tenon, { port: 0, token: frontToken, ...more });
  opened.open(server.url);
  return {
    server,
    async close() {
      await server.close({ graceMs: 0 });
      await tenon.close({ graceMs: 0 });
      await opened.close();
    },
  };
}

/** Ask a front, with the token. */
export function askFront(
  server: RunningServer,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${frontToken}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
