import type { CallToolRequest, CallToolResult, Server, ServerContext } from "@modelcontextprotocol/server";
import type { RequestExtras } from "../../contract/ports/client.js";
import type { CallStop } from "../../contract/host.js";
import { setOwn } from "../../contract/set-own.js";
import type { ToolProgress } from "../../contract/tool.js";
import type { Connection } from "./connection.js";
import type { Exchange } from "./exchange.js";
import { toCallResult } from "./to-call-result.js";

/** Answer `tools/call`: the whole path of a call, with progress and cancellation. */
export function callTool(
  connection: Connection,
  server: Server,
  request: CallToolRequest,
  ctx: ServerContext,
): Promise<CallToolResult> {
  const { name, arguments: args } = request.params;
  const progressToken = ctx.mcpReq._meta?.progressToken;
  const idempotencyKey = keyOf(ctx.mcpReq._meta);
  return connection.serve(server, ctx, request, (exchange, signal) =>
    runTool(connection, exchange, {
      name,
      arguments: args,
      progressToken,
      idempotencyKey,
      signal,
      requestId: ctx.mcpReq.id,
      meta: hostMeta(ctx.mcpReq._meta),
      extras: extrasOf(request.params),
    }),
  );
}

/** What the host sent along, without what the protocol and Tenon themselves use. */
export function hostMeta(meta: object | undefined): Readonly<Record<string, unknown>> | undefined {
  if (meta === undefined) return undefined;
  let own: Record<string, unknown> | undefined;
  for (const key in meta)
    if (key !== "progressToken" && !reserved.test(key))
      setOwn((own ??= {}), key, (meta as Record<string, unknown>)[key]);
  return own;
}

/** What a request held besides what Tenon reads and what belongs to the protocol. */
export function extrasOf(params: Readonly<Record<string, unknown>>): RequestExtras | undefined {
  let own: Record<string, unknown> | undefined;
  for (const key in params) if (!protocolFields.has(key)) setOwn((own ??= {}), key, params[key]);
  const isBare = params["arguments"] === undefined;
  if (own === undefined && !isBare) return undefined;
  return { ...(own && { params: own }), ...(isBare && { bare: true }) };
}

const protocolFields: ReadonlySet<string> = new Set([
  "name",
  "arguments",
  "uri",
  "_meta",
  "task",
  "inputResponses",
  "requestState",
]);

const reserved = /^(?:io\.modelcontextprotocol|tenon)\//;

/** The key that a host gives a call; what is no text is passed on and refused with the call. */
export function keyOf(meta: object | undefined): string | undefined {
  return (meta as Record<string, string | undefined> | undefined)?.["tenon/idempotencyKey"];
}

/** A call as the wire brings it. */
export interface WireCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly progressToken: string | number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | CallStop;
  readonly requestId?: string | number | undefined;
  /** What the host sent along for the server of the tool. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly extras?: RequestExtras | undefined;
}

/** The exchange that a call belongs to, with what the host sent along. */
export interface CallBinding extends Pick<WireCall, "meta" | "extras"> {
  readonly exchange: Exchange;
  /** Of the request on the wire. */
  readonly requestId: string | number | undefined;
  /** The host hears of the call's progress. */
  readonly reports: boolean;
}

/**
 * A call that was read, with its request and what stops it. Field by field: V8 gives each object that a spread begins
 * a shape of its own, and everything that reads it is slow.
 */
export function withStop(
  { name, arguments: args, progressToken, idempotencyKey, meta, extras }: Omit<WireCall, "signal">,
  requestId: string | number,
  signal: AbortSignal | CallStop,
): WireCall {
  return { name, arguments: args, progressToken, idempotencyKey, signal, requestId, meta, extras };
}

/** Make the call for an exchange, so that its questions and reports find their way back. */
export async function runTool(
  connection: Connection,
  exchange: Exchange,
  call: WireCall,
): Promise<CallToolResult> {
  const id = connection.session.newCallId();
  const unbind = connection.bind(id, {
    exchange,
    requestId: call.requestId,
    reports: call.progressToken !== undefined,
    meta: call.meta,
    extras: call.extras,
  });
  try {
    const { name, arguments: args, progressToken: token, idempotencyKey, signal } = call;
    const onProgress = token === undefined ? undefined : progressTo(exchange, token);
    return toCallResult(
      await connection.session.call({ id, name, arguments: args, idempotencyKey, signal, onProgress }),
      exchange.parks === true,
    );
  } finally {
    unbind();
  }
}

const maxText = 16_384;

/** Pass reports on; MCP wants a number that only grows, whatever a tool says. */
export function progressTo(
  exchange: Exchange,
  progressToken: string | number,
): (report: ToolProgress) => void {
  let last = -1;
  let counted = true;
  return ({ message, output, progress, total, meta, more }) => {
    const text = (message ?? output)?.slice(0, maxText).toWellFormed();
    const told = progress !== undefined && Number.isFinite(progress) && progress > last;
    if (!told && text === undefined) return;
    if (told) counted = false;
    last = told ? progress : counted ? last + 1 : last + Math.max(Math.abs(last), 1) * 1e-9;
    exchange.notify("notifications/progress", {
      ...more,
      progressToken,
      progress: last,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(text !== undefined && { message: text }),
      ...(meta !== undefined && { _meta: meta }),
    });
  };
}
