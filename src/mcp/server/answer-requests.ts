import type {
  CallToolRequest,
  CompleteRequest,
  GetPromptRequest,
  ReadResourceRequest,
  Server,
  ServerContext,
  StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { AskingRequest, HostReadResult } from "../../contract/host.js";
import { rpcErrors, rpcFault } from "../../wire/json-rpc.js";
import type { Connection } from "./connection.js";
import { callTool, extrasOf, hostMeta, progressTo } from "./call-tool.js";
import type { Sdk } from "./create-mcp-server.js";
import { HostClient } from "./elicitation.js";
import type { Exchange } from "./exchange.js";
import { paginate } from "./paginate.js";

interface Parts {
  readonly sdk: Sdk;
  readonly server: Server;
  readonly connection: Connection;
}

type Answer = object | Promise<object>;

/** One kind of request: what its parameters must be, and how it is answered. */
interface Answerer {
  readonly params: keyof Sdk["specTypeSchemas"];
  readonly answer: (parts: Parts, request: never, ctx: ServerContext) => Answer;
}

/** Answer the requests of a host as they come, with whatever else they hold. */
export function answerRequests(parts: Parts): void {
  const { sdk, server } = parts;
  // The SDK's own check of results drops fields that it does not know.
  Object.assign(server, { _wrapHandler: (_method: string, handler: unknown) => handler });
  for (const [method, { params: type, answer }] of answerers)
    server.setRequestHandler(
      method,
      { params: unchanged(sdk.specTypeSchemas[type]) },
      (params, ctx) => answer(parts, { method, params } as never, ctx) as Promise<never>,
    );
}

type Checked = StandardSchemaV1<unknown, Readonly<Record<string, unknown>>>;

/** Parameters that fit the schema, as they came. */
function unchanged(schema: StandardSchemaV1): Checked {
  return {
    "~standard": {
      version: 1,
      vendor: "tenon",
      validate: async (value) => {
        const { issues } = await schema["~standard"].validate(value);
        return issues === undefined ? { value: value as Readonly<Record<string, unknown>> } : { issues };
      },
    },
  };
}

/** A list, page by page. */
function listing<T>(
  key: string,
  list: (connection: Connection, signal: AbortSignal) => Promise<readonly T[]>,
): Answerer {
  return {
    params: "PaginatedRequestParams",
    async answer({ connection }, { params }: { params: { cursor?: string } }, ctx) {
      connection.hear(ctx.mcpReq.envelope);
      const all = await list(connection, ctx.mcpReq.signal);
      const { page, nextCursor } = paginate(all, params.cursor, connection.options.pageSize);
      return { [key]: page, ...(nextCursor !== undefined && { nextCursor }) };
    },
  };
}

const answerers: ReadonlyMap<string, Answerer> = new Map<string, Answerer>([
  ["tools/list", listing("tools", ({ session }) => session.tools())],
  ["prompts/list", listing("prompts", ({ session }, signal) => session.prompts().list(signal))],
  ["resources/list", listing("resources", ({ session }, signal) => session.resources().list(signal))],
  [
    "resources/templates/list",
    listing("resourceTemplates", ({ session }, signal) => session.resources().templates(signal)),
  ],
  [
    "tools/call",
    {
      params: "CallToolRequestParams",
      answer: ({ connection, server }, request: CallToolRequest, ctx) =>
        callTool(connection, server, request, ctx),
    },
  ],
  ["prompts/get", { params: "GetPromptRequestParams", answer: getPrompt }],
  ["resources/read", { params: "ReadResourceRequestParams", answer: readResource }],
  ["completion/complete", { params: "CompleteRequestParams", answer: complete }],
  [
    "resources/subscribe",
    {
      params: "SubscribeRequestParams",
      async answer({ connection }, { params }: { params: { uri: string } }, ctx) {
        await connection.watch(params.uri, ctx.mcpReq.signal);
        return {};
      },
    },
  ],
  [
    "resources/unsubscribe",
    {
      params: "UnsubscribeRequestParams",
      answer({ connection }, { params }: { params: { uri: string } }) {
        connection.unwatch(params.uri);
        return {};
      },
    },
  ],
  [
    "logging/setLevel",
    {
      params: "SetLevelRequestParams",
      answer({ connection }, { params }: { params: { level: string } }) {
        connection.logLevel = params.level;
        return {};
      },
    },
  ],
]);

/** What a host can ask for, besides what the SDK answers by itself. */
export const answeredMethods: readonly string[] = [...answerers.keys()];

function readResource({ sdk, server, connection }: Parts, request: ReadResourceRequest, ctx: ServerContext) {
  return connection.serve(server, ctx, request, async (exchange, signal) => {
    const { uri } = request.params;
    const from = asking(connection, exchange, { request, ctx });
    const found = await connection.session.resources(from).read(uri, signal);
    if (found === undefined) throw new sdk.ResourceNotFoundError(uri, `Resource not found: ${uri}`);
    return forEra(ctx, found);
  });
}

function getPrompt({ server, connection }: Parts, request: GetPromptRequest, ctx: ServerContext) {
  return connection.serve(server, ctx, request, async (exchange, signal) => {
    const { name, arguments: args } = request.params;
    const from = asking(connection, exchange, { request, ctx });
    const prompt = await connection.session.prompts(from).get(name, args ?? {}, signal);
    if (prompt === undefined) throw rpcFault(rpcErrors.invalidParams, `Prompt "${name}" not found.`);
    return prompt;
  });
}

function complete({ server, connection }: Parts, request: CompleteRequest, ctx: ServerContext) {
  return connection.serve(server, ctx, request, (exchange, signal) => {
    const { params } = request;
    const { ref, argument, context } = params;
    const { session } = connection;
    const from = asking(connection, exchange, { request, ctx });
    const source = ref.type === "ref/prompt" ? session.prompts(from) : session.resources(from);
    const of = ref.type === "ref/prompt" ? ref.name : ref.uri;
    const given = context?.arguments ?? {};
    return source.complete({ of, argument: argument.name, value: argument.value, given, params }, signal);
  });
}

/** A request for a resource or a prompt: its host can be asked back, and hears of progress. */
function asking(
  connection: Connection,
  exchange: Exchange,
  { request, ctx }: { readonly request: { readonly params: object }; readonly ctx: ServerContext },
): AskingRequest {
  const { _meta } = ctx.mcpReq;
  const progressToken = _meta?.progressToken;
  const client = new HostClient(() => exchange, {
    info: () => connection.info,
    meta: () => hostMeta(_meta),
    extras: () => extrasOf({ ...request.params }),
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
