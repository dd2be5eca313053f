import { hostname } from "node:os";
import manifest from "../../package.json" with { type: "json" };
import { createMcpHttp } from "../mcp/server/create-mcp-http.js";
import { createMcpHost } from "../runtime/mcp-host/create-mcp-host.js";
import type { Tenon } from "../runtime/tenon.js";
import type { EntryLink } from "./api.js";
import { createConsoleAccess, type ConsoleAccessOptions } from "./console-access.js";
import type { ConsolePerson } from "./console-person.js";
import type { FeedOptions } from "./feed.js";
import { followTenon } from "./follow-tenon.js";
import { createRequestHandler, type AnswerLimits, type RequestNote } from "./request-handler.js";
import { listen, type ListenLimits, type TlsFiles } from "./listen.js";
import type { LiveCallsOptions } from "./live-calls.js";
import type { ServerMachine } from "./manage-api.js";
import type { McpEndpoint } from "./mcp-endpoint.js";
import type { Forward } from "./create-app.js";
import type { RouteContext } from "./route-context.js";
import { checkToken, createToken, mcpToken } from "./token.js";

/** How a server is opened; everything can be left out. */
export interface ServerOptions {
  /** @default 7420; 0 takes any that is free */
  readonly port?: number | undefined;
  /** Other than this machine itself only where the person wants it. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** Further names that the server goes by, as behind a proxy. */
  readonly names?: readonly string[] | undefined;
  /**
   * Addresses and networks (CIDR) of proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` say where a
   * request comes from. @default none
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /** @default 256 random bits */
  readonly token?: string | undefined;
  /** Answers questions and approvals; the same object that the Tenon was made with. @default none: the lists stay empty */
  readonly person?: ConsolePerson | undefined;
  /** The folder the agents work in, for the page to show. @default the configuration's */
  readonly workspace?: string | undefined;
  /** MCP over HTTP at `/mcp`. @default all tools of the Tenon */
  readonly mcp?: McpEndpoint | undefined;
  readonly limits?: (ListenLimits & AnswerLimits) | undefined;
  /** Encrypt with this certificate. @default none */
  readonly tls?: TlsFiles | undefined;
  readonly feed?: Omit<FeedOptions, "now"> | undefined;
  readonly calls?: LiveCallsOptions | undefined;
  /** What pages may know and change of this machine. @default nothing */
  readonly machine?: ServerMachine | undefined;
  readonly consoleFolders?: readonly string[] | undefined;
  /** How long links and browsers' sessions last. */
  readonly access?: Omit<ConsoleAccessOptions, "now"> | undefined;
  /** Answers a request in another place, such as a worker of a fleet; `undefined` where it is this server's own. */
  readonly forward?: Forward | undefined;
  /** More rows for `/metrics`. */
  readonly metrics?: (() => Promise<string>) | undefined;
  /** Called with the context of the routes once it exists. */
  readonly onServed?: ((served: RouteContext) => void) | undefined;
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  readonly onFault?: ((cause: unknown) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RunningServer {
  /** Where it is, without the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** For MCP hosts: it opens `/mcp` only. */
  readonly mcpToken: string;
  /** For `tenon serve link` and `tenon serve sessions`: it makes links and ends sessions, nothing else. */
  readonly controlKey: string;
  /** A new link that opens the console once, within a minute. */
  createLink(): EntryLink;
  /** Take nothing new, let what runs end, at most for `graceMs`, then hang up. The Tenon stays open. */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

/** Serve the console, its API and MCP for a Tenon. */
export async function startServer(tenon: Tenon, options: ServerOptions = {}): Promise<RunningServer> {
  const { host = "127.0.0.1", now = Date.now } = options;
  const token = options.token === undefined ? createToken() : checkToken(options.token);
  let port = 0;
  const access = createConsoleAccess({ users: tenon.config.auth.oidc, ...options.access, now });
  const mcp = options.mcp ?? openMcp(tenon, options);
  const watching = followTenon(tenon, { ...options, mcp, now, access, boundPort: () => port });
  const { served, pageSeenAt, stop } = watching;
  options.onServed?.(served);
  const handler = createRequestHandler(served, {
    ...options,
    mcp,
    token,
    names: namesOf(host, [...(options.names ?? []), ...publicName(tenon.config.auth.publicUrl)]),
    host,
  });
  try {
    const listening = await listen(handler.handle, {
      host,
      port: options.port ?? 7420,
      limits: options.limits,
      tls: options.tls,
    });
    const { server } = listening;
    port = listening.port;
    handler.opened(port);
    const url = `${options.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : isEverywhere(host) ? "127.0.0.1" : host}:${port}`;
    access.opened(url);
    // What people are asked to open may be known by another name outside.
    const pages = tenon.config.auth.publicUrl ?? url;
    options.person?.serve(() => ({ url: pages, pageSeenAt: pageSeenAt() }));
    served.queue.open(pages);
    return {
      url,
      port,
      token,
      mcpToken: mcpToken(token),
      controlKey: access.controlKey,
      createLink: () => access.createLink(),
      async close({ graceMs = 10_000 } = {}) {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        options.person?.leave();
        await handler.drain(graceMs);
        await mcp.close();
        await stop();
        // Answers that were just written reach their clients first.
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 500).unref();
        await closed;
      },
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** Whether a server at this address can be reached from elsewhere. */
export function isOpenToOthers(host: string): boolean {
  return !loopback.has(host.toLowerCase()) && !/^127\.\d+\.\d+\.\d+$/.test(host);
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "";
}

function publicName(url: string | undefined): readonly string[] {
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, "")];
}

function namesOf(host: string, more: readonly string[] = []): ReadonlySet<string> {
  const everywhere = isEverywhere(host) ? [hostname()] : [];
  return new Set([...loopback, host, ...everywhere, ...more].map((name) => name.toLowerCase()));
}

/** The Tenon's tools for MCP hosts; nothing is loaded before the first comes. */
function openMcp(tenon: Tenon, { limits, onFault }: ServerOptions): McpEndpoint {
  const host = createMcpHost(tenon, { version: manifest.version });
  const onError = (error: Error): void => onFault?.(isBug(error) ? error : lineOf(error));
  return createMcpHttp(host, { maxBodyBytes: limits?.maxBody, onError });
}

/** What hosts did wrong and lost connections come as plain errors; where the SDK noticed them does not matter. */
function isBug(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

function lineOf({ message }: Error): string {
  const said = /^Rejected inbound request \([^)]*\): (.*)/s.exec(message)?.[1] ?? message;
  return `MCP over HTTP: ${said.replaceAll(/\s+/g, " ")}`;
}
