import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostSessionOptions, McpHost } from "../../contract/host.js";
import type { ClientInfo } from "../../contract/ports/approval.js";
import { HttpEndpoint } from "./http-endpoint.js";
import type { HostLimits } from "./connected-hosts.js";
import { overloaded } from "./http-answers.js";
import { sendWebResponse } from "./node-http.js";
import type { SessionDirectory } from "./session-directory.js";
import type { EventLimits } from "./resumable-events.js";

/** Who sends a request, as the HTTP server has found out, and what is offered to it. */
export interface McpPrincipal extends Omit<HostSessionOptions, "id" | "interact" | "client" | "local"> {
  /** The same for every request of one client, and of no other; without a `principal` it works for `http:ID`. */
  readonly id: string;
  /** Where it comes from. */
  readonly address?: string | undefined;
}

/** A host that is connected, as people see it. */
export interface McpHostView {
  /** Of its session. */
  readonly id: string;
  /** The user that it works for; `undefined` for the person whose server it is. */
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly agent: string;
  /** The program, in its own words. */
  readonly client?: ClientInfo | undefined;
  readonly address: string;
  readonly since: number;
  readonly lastSeen: number;
  /** Something runs for it or it listens. */
  readonly busy: boolean;
}

export interface McpHttpOptions extends HostLimits {
  /** Longest body of a request. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** A host that is silent for so long is gone. @default 30 minutes */
  readonly idleMs?: number | undefined;
  /** How long a host that is gone can take up its session again; its jobs run on meanwhile. @default 10 minutes */
  readonly keepMs?: number | undefined;
  /** Tools, resources or prompts on one page of a list. @default 1000 */
  readonly pageSize?: number | undefined;
  /** What is kept of streams, so that one that was cut can go on. */
  readonly events?: EventLimits | undefined;
  /** Bytes that wait for a host that reads slowly; beyond them it misses progress. @default 1048576 */
  readonly maxUnread?: number | undefined;
  /** Where other servers find the sessions of this one. @default they are this process's own */
  readonly directory?: SessionDirectory | undefined;
  readonly onError?: ((error: Error) => void) | undefined;
}

/** MCP over HTTP: takes every request to the MCP address that was admitted. */
export interface McpHttp {
  /** Host, Origin and the token are the caller's to check; `principal` says whom it found. */
  handle(request: IncomingMessage, response: ServerResponse, principal: McpPrincipal): Promise<void>;
  /** How many hosts are connected. */
  sessionCount(): number;
  /** The hosts that are connected, the newest first. */
  hosts(): readonly McpHostView[];
  /** End the session of a host and cancel its calls; `false` where it is not connected. */
  endHost(id: string): boolean;
  /** End all sessions; their calls are cancelled. */
  close(): Promise<void>;
}

/**
 * Serve MCP over HTTP in all revisions: a session a connection in those of 2025, the client itself
 * as the session in 2026-07-28. The SDK is loaded with the first request.
 */
export function createMcpHttp(host: McpHost, options: McpHttpOptions = {}): McpHttp {
  let opening: Promise<HttpEndpoint> | undefined;
  let endpoint: HttpEndpoint | undefined;
  let closed = false;
  const open = async (): Promise<HttpEndpoint> => {
    opening ??= import("@modelcontextprotocol/server").then((sdk) => new HttpEndpoint(sdk, host, options));
    return (endpoint = await opening);
  };
  return {
    handle(request, response, principal) {
      if (closed) return sendWebResponse(overloaded("The server is closing."), request, response);
      if (endpoint !== undefined) return endpoint.handle(request, response, principal);
      return open().then((opened) => opened.handle(request, response, principal));
    },
    sessionCount: () => endpoint?.sessionCount ?? 0,
    hosts: () => endpoint?.hosts() ?? [],
    endHost: (id) => endpoint?.endHost(id) ?? false,
    async close() {
      closed = true;
      await (await opening)?.close();
    },
  };
}
