import type * as sdkModule from "@modelcontextprotocol/server";
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { McpHost } from "../../contract/host.js";
import { Connection, type ConnectionOptions } from "./connection.js";
import { callTool } from "./call-tool.js";
import { createClientConnection } from "./elicitation.js";
import { paginate } from "./paginate.js";

/** The SDK, loaded when the first host connects. */
export type Sdk = typeof sdkModule;

/** A host's connection and the protocol servers that speak for it. */
export interface McpServer {
  readonly connection: Connection;
  /** A protocol server for this connection; `follows` where it lives as long as the connection does. */
  createServer(follows: boolean): Server;
  /** End the session; running calls are cancelled by the transport that carries them. */
  close(): Promise<void>;
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
    close: () => connection.close(),
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
  return server;
}

function offerTools(server: Server, connection: Connection): void {
  const { session, options } = connection;
  server.setRequestHandler("tools/list", async ({ params }) => {
    const { page, nextCursor } = paginate(await session.tools(), params?.cursor, options.pageSize);
    return { tools: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("tools/call", (request, ctx) => callTool(connection, server, request, ctx));
}

function offerResources(sdk: Sdk, server: Server, connection: Connection): void {
  const { session, options } = connection;
  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    const all = await session.resources().list(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { resources: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, ctx) => {
    const all = await session.resources().templates(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { resourceTemplates: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("resources/read", (request, ctx) =>
    connection.serve(server, ctx, request, async (exchange, signal) => {
      const { uri } = request.params;
      const client = createClientConnection(() => exchange);
      const contents = await session.resources(client).read(uri, signal);
      if (contents === undefined) throw new sdk.ResourceNotFoundError(uri, `Resource not found: ${uri}`);
      return { contents: contents as never[] };
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
    const all = await session.prompts().list(ctx.mcpReq.signal);
    const { page, nextCursor } = paginate(all, params?.cursor, options.pageSize);
    return { prompts: page as never[], ...(nextCursor !== undefined && { nextCursor }) };
  });
  server.setRequestHandler("prompts/get", (request, ctx) =>
    connection.serve(server, ctx, request, async (exchange, signal) => {
      const { name, arguments: args } = request.params;
      const client = createClientConnection(() => exchange);
      const prompt = await session.prompts(client).get(name, args ?? {}, signal);
      if (prompt === undefined) throw new sdk.ProtocolError(-32602, `There is no prompt "${name}".`);
      return prompt as never;
    }),
  );
  server.setRequestHandler("completion/complete", async ({ params }, ctx: ServerContext) => {
    const { ref, argument, context } = params;
    const of = ref.type === "ref/prompt" ? ref.name : ref.uri;
    const source = ref.type === "ref/prompt" ? session.prompts() : session.resources();
    const asked = { of, argument: argument.name, value: argument.value, given: context?.arguments ?? {} };
    const values = await source.complete(asked, ctx.mcpReq.signal);
    return {
      completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 },
    };
  });
}
