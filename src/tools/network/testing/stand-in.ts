import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { ToolContext } from "../../../contract/context.js";
import { createHttpClient } from "../../../world/http/http-client.js";
import { createTestContext } from "../../testing/context.js";

/** A real server on loopback and a context whose guarded client may reach it. */
export interface StandIn {
  readonly url: string;
  context(settings?: Readonly<Record<string, unknown>>): ToolContext;
  close(): Promise<void>;
}

/** Start a local server that replaces one on the web. */
export async function standIn(listener: RequestListener): Promise<StandIn> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const http = createHttpClient({
    allowHosts: ["127.0.0.1"],
    allowPrivate: false,
    maxBytes: 10_000_000,
    timeoutMs: 10_000,
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    context: (settings = {}) => createTestContext({ overrides: { http, settings } }),
    async close() {
      await http.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
