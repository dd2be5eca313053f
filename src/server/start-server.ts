import { hostname } from "node:os";
import manifest from "../../package.json" with { type: "json" };
import { createMcpHttp } from "../mcp/server/create-mcp-http.js";
import { createMcpHost } from "../runtime/mcp-host/create-mcp-host.js";
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import type { EntryLink } from "./api.js";
import { createConsoleAccess, type ConsoleAccessOptions } from "./console-access.js";
import { ClientCounts } from "./client-counts.js";
import type { ConsolePerson } from "./console-person.js";
import { Feed, type FeedOptions } from "./feed.js";
import { createRequestHandler, type AnswerLimits, type RequestNote } from "./request-handler.js";
import { listen, type ListenLimits, type TlsFiles } from "./listen.js";
import { LiveCalls, type LiveCallsOptions } from "./live-calls.js";
import { Series } from "./metrics-series.js";
import type { McpEndpoint } from "./mcp-endpoint.js";
import { httpPrincipal } from "./principal.js";
import type { RouteContext } from "./route-context.js";
import { createSharedQueue } from "./shared-queue.js";
import { UserSessions } from "./user-sessions.js";
import { checkToken, createToken, mcpToken } from "./token.js";

/** How a server is opened; everything can be left out. */
export interface ServerOptions {
  /** @default 7420; 0 takes any that is free */
  readonly port?: number | undefined;
  /** Other than this machine itself only where the person wants it. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** Further names that the server goes by, as behind a proxy. */
  readonly names?: readonly string[] | undefined;
  /** @default 256 random bits */
  readonly token?: string | undefined;
  /** Who is asked; the same that the Tenon was made with. @default nobody: the lists stay empty */
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
  readonly consoleFolders?: readonly string[] | undefined;
  /** How long links and browsers' sessions last. */
  readonly access?: Omit<ConsoleAccessOptions, "now"> | undefined;
  /** Between two points of the metrics over time. @default 10000 */
  readonly sampleEveryMs?: number | undefined;
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

const mostAdvice = 100;

/** Serve the console, its API and MCP for a Tenon. */
export async function startServer(tenon: Tenon, options: ServerOptions = {}): Promise<RunningServer> {
  const { host = "127.0.0.1", now = Date.now } = options;
  const token = options.token === undefined ? createToken() : checkToken(options.token);
  let port = 0;
  const access = createConsoleAccess({ ...options.access, now });
  const watching = watch(tenon, { ...options, now, access, boundPort: () => port });
  const { served, pageSeenAt, stop } = watching;
  const mcp = options.mcp ?? openMcp(tenon, options);
  const handler = createRequestHandler(served, {
    ...options,
    mcp,
    token,
    names: namesOf(host, options.names),
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
    options.person?.serve({ url, pageSeenAt });
    served.queue.open(url);
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

function namesOf(host: string, more: readonly string[] = []): ReadonlySet<string> {
  const everywhere = isEverywhere(host) ? [hostname()] : [];
  return new Set([...loopback, host, ...everywhere, ...more].map((name) => name.toLowerCase()));
}

/** The Tenon's tools for MCP hosts; nothing is loaded before the first comes. */
function openMcp(tenon: Tenon, { limits, onFault }: ServerOptions): McpEndpoint {
  const host = createMcpHost(tenon, { version: manifest.version });
  return createMcpHttp(host, { maxBodyBytes: limits?.maxBody, onError: (error) => onFault?.(error) });
}

/** Follow what happens in a Tenon, for those who look later. */
function watch(
  tenon: Tenon,
  options: Omit<ServerOptions, "access"> & Pick<RouteContext, "now" | "access" | "boundPort">,
): { readonly served: RouteContext; readonly pageSeenAt: () => number; readonly stop: () => Promise<void> } {
  const { now, access, boundPort } = options;
  const feed = new Feed({ ...options.feed, now });
  const calls = new LiveCalls(options.calls);
  const clients = new ClientCounts();
  const advice: { toolName: string; kind: string; message: string }[] = [];
  const unwatch = tenon.onAny((event) => {
    calls.take(event);
    clients.take(event);
    feed.push(event);
    if (event.type !== "ADVICE") return;
    const { toolName, kind, message } = event.payload;
    if (advice.push({ toolName, kind, message }) > mostAdvice) advice.shift();
  });
  const series = new Series({ metrics: tenon.metrics, running: () => tenon.stats().running, now });
  const sampling = setInterval(() => series.sample(), options.sampleEveryMs ?? 10_000);
  sampling.unref();
  let lookedAt = -Infinity;
  const pageSeenAt = (): number => Math.max(lookedAt, feed.clients > 0 ? now() : feed.leftAt);
  const queue = createSharedQueue({
    tenon,
    now,
    pages: () => ({ open: feed.clients, seenAt: pageSeenAt() }),
    onEvent: (event) => feed.push(event),
    onFault: (cause) => options.onFault?.(cause),
  });
  let session: Promise<Session> | undefined;
  const openSession = (): Promise<Session> =>
    (session ??= tenon
      .openNamedSession("console", { agent: "person", principal: httpPrincipal })
      .catch((thrown: unknown) => {
        session = undefined; // the next call tries again
        throw thrown;
      }));
  const users = new UserSessions(tenon, (cause) => options.onFault?.(cause));
  const served: RouteContext = {
    tenon,
    person: options.person,
    calls,
    clients,
    feed,
    queue,
    noteApprovalsRead: () => void (lookedAt = now()),
    series,
    advice,
    workspace: options.workspace ?? tenon.config.workspaceDir ?? process.cwd(),
    version: manifest.version,
    startedAt: now(),
    now,
    access,
    boundPort,
    session: async (admitted) => (admitted.by === "user" ? users.of(admitted.identity) : openSession()),
  };
  const stop = async (): Promise<void> => {
    unwatch();
    await queue.close();
    clearInterval(sampling);
    feed.close();
    access.close();
    await (await session?.catch(() => undefined))?.close();
    await users.close();
  };
  return { served, pageSeenAt, stop };
}
