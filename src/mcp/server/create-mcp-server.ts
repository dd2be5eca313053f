import type * as sdkModule from "@modelcontextprotocol/server";
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { AskingRequest, HostReadResult, McpHost } from "../../contract/host.js";
import { Connection, type ConnectionOptions } from "./connection.js";
import { callTool, hostMeta, progressTo } from "./call-tool.js";
import { createClientConnection } from "./elicitation.js";
import type { Exchange } from "./exchange.js";
import { paginate } from "./paginate.js";

/** The SDK, loaded when the first host connects. */
export type Sdk = typeof sdkModule;

/** A host's connection and the protocol servers that speak for it. */
export interface McpServer {
  readonly connection: Connection;
  /** A protocol server for this connection; `follows` where it lives as long as the connection does. */
  createServer(follows: boolean): Server;
  /** End the session; running calls are cancelled by the transport that carries them. */
  close(reason?: string): Promise<void>;
}

/** Speak MCP for a Tenon: one host's session, behind one or more protocol servers of the SDK. */
export function createMcpServer(sdk: Sdk, host: McpHost, options: ConnectionOptions = {}): McpServer {
  const connection = new Connection(host, options);
  return {
    connection,
    createServer(follows) {
      const server = buildServer(sdk, connection);
      if (follows) connection.listen(server);
      return server;
    },
    close: (reason) => connection.close(reason),
  };
}

function buildServer(sdk: Sdk, connection: Connection): Server {
  const { host } = connection;
  const server = new sdk.Server(
    { name: host.name, version: host.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      ...(host.instructions !== undefined && { instructions: host.instructions }),
    },
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  if (connection.options.onError !== undefined) server.onerror = connection.options.onError;
  offerTools(server, connection);
  offerResources(sdk, server, connection);
  offerPrompts(sdk, server, connection);
  listenToHost(server, connection);
  return server;
}

function offerTools(server: Server, connection: Connection): void {
  const { session, options } = connection;
  server.setRequestHandler("tools/list", async ({ params }, ctx) => {
    connection.hear(ctx);
    const { page, nextCursor } = paginate(await session.tools(), params?.cursor, options.pageSize);
    return { tools: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("tools/call", (request, ctx) => callTool(connection, server, request, ctx));
}

function offerResources(sdk: Sdk, server: Server, connection: Connection): void {
  const { session, options } = connection;
  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    connection.hear(ctx);
    const all = await session.resources().list(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { resources: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, ctx) => {
    connection.hear(ctx);
    const all = await session.resources().templates(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { resourceTemplates: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("resources/read", (request, ctx) =>
    connection.serve(server, ctx, request, async (exchange, signal) => {
      const { uri } = request.params;
      const found = await session.resources(asking(connection, exchange, ctx)).read(uri, signal);
      if (found === undefined) throw new sdk.ResourceNotFoundError(uri, `Resource not found: ${uri}`);
      return forEra(ctx, found) as never;
    }),
  );
  server.setRequestHandler("resources/subscribe", async ({ params }, ctx) => {
    await connection.watch(params.uri, ctx.mcpReq.signal);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    connection.unwatch(params.uri);
    return {};
  });
}

function offerPrompts(sdk: Sdk, server: Server, connection: Connection): void {
  const { session, options } = connection;
  server.setRequestHandler("prompts/list", async ({ params }, ctx) => {
    connection.hear(ctx);
    const all = await session.prompts().list(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { prompts: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("prompts/get", (request, ctx) =>
    connection.serve(server, ctx, request, async (exchange, signal) => {
      const { name, arguments: args } = request.params;
      const prompt = await session.prompts(asking(connection, exchange, ctx)).get(name, args ?? {}, signal);
      if (prompt === undefined) throw new sdk.ProtocolError(-32602, `There is no prompt "${name}".`);
      return prompt as never;
    }),
  );
  server.setRequestHandler("completion/complete", (request, ctx: ServerContext) =>
    connection.serve(server, ctx, request, async (exchange, signal) => {
      const { ref, argument, context } = request.params;
      const of = ref.type === "ref/prompt" ? ref.name : ref.uri;
      const from = asking(connection, exchange, ctx);
      const source = ref.type === "ref/prompt" ? session.prompts(from) : session.resources(from);
      const asked = { of, argument: argument.name, value: argument.value, given: context?.arguments ?? {} };
      return { completion: { ...(await source.complete(asked, signal)) } as never };
    }),
  );
}

/** What the host tells of itself, for its servers. */
function listenToHost(server: Server, connection: Connection): void {
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    connection.logLevel = params.level;
    return {};
  });
  server.setNotificationHandler("notifications/roots/list_changed", () => connection.session.rootsChanged());
}

/** A request for a resource or a prompt: its host can be asked back, and hears of progress. */
function asking(connection: Connection, exchange: Exchange, { mcpReq }: ServerContext): AskingRequest {
  const progressToken = mcpReq._meta?.progressToken;
  const client = createClientConnection(() => exchange, {
    info: () => connection.info,
    meta: () => hostMeta(mcpReq._meta),
    logLevel: () => connection.logLevel,
  });
  return { client, ...(progressToken !== undefined && { onProgress: progressTo(exchange, progressToken) }) };
}

/** Only 2026-07-28 knows how long a result may be kept. */
function forEra({ mcpReq }: ServerContext, found: HostReadResult): HostReadResult {
  if (mcpReq.envelope !== undefined) return found;
  const { ttlMs: _ttl, cacheScope: _scope, ...rest } = found;
  return rest;
}
