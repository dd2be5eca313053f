import type { CallStop } from "../../contract/host.js";
import { isRecord } from "../../contract/is-record.js";
import { messageOf } from "../../contract/message-of.js";
import { hasProtocolMeta, metaOf, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";
import { extrasOf, hostMeta, keyOf, runTool, withStop, type WireCall } from "./call-tool.js";
import type { Connection } from "./connection.js";
import type { Exchange } from "./exchange.js";
import { isModernMeta } from "./plain-meta.js";

/** A `tools/call` without anything unusual in it. */
export interface PlainCall {
  readonly id: string | number;
  /** It is one of 2026-07-28. */
  readonly modern: boolean;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly params: unknown;
  readonly call: Omit<WireCall, "signal">;
}

/** Read a plain `tools/call`; `undefined` where the message is another one, or for the SDK to judge. */
export function readPlainCall(message: WireMessage): PlainCall | undefined {
  const { id, method, params } = message;
  if (method !== "tools/call" || id === undefined || id === null) return undefined;
  const meta = metaOf(message);
  if (meta === undefined) return undefined;
  const modern = isModernMeta(meta);
  if (!modern && hasProtocolMeta(meta)) return undefined;
  const given = Object(params) as Record<string, unknown>;
  const { name, arguments: args, task, inputResponses, requestState } = given;
  if (typeof name !== "string" || (args !== undefined && !isRecord(args))) return undefined;
  if (task !== undefined || inputResponses !== undefined || requestState !== undefined) return undefined;
  const progressToken = meta["progressToken"] as string | number | undefined;
  const call = {
    name,
    arguments: args,
    progressToken,
    idempotencyKey: keyOf(meta),
    meta: hostMeta(meta),
    extras: extrasOf(given),
  };
  return { id, modern, meta, params, call };
}

/** Make a plain call of the 2025 revisions and answer it. */
export async function answerLegacyCall(
  connection: Connection,
  exchange: Exchange,
  { id, call }: { readonly id: string | number; readonly call: WireCall },
): Promise<WireMessage> {
  try {
    return { jsonrpc: "2.0", id, result: await runTool(connection, exchange, call) };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: toRpcError(error) };
  }
}

/** Make a plain call of 2026-07-28 and answer it; where it needs the host first, the answer says what. */
export async function answerModernCall(
  connection: Connection,
  { id, meta, params, call }: PlainCall,
  asked: { readonly running: CallStop; readonly notify: (notification: object) => Promise<void> },
): Promise<WireMessage> {
  const { running: signal, notify } = asked;
  const mcpReq = { envelope: meta as never, signal, notify, requestState: noState };
  try {
    const result: ModernResult = await connection.serveModern(
      { mcpReq },
      { method: "tools/call", params },
      (exchange, stop) => runTool(connection, exchange, withStop(call, id, stop)),
    );
    const { name, version } = connection.host;
    // Set on what was made for this answer alone: a copy by spreads takes longer than its JSON.
    if (!("resultType" in result)) result.resultType = "complete";
    result._meta ??= {};
    result._meta["io.modelcontextprotocol/serverInfo"] = { name, version };
    return { jsonrpc: "2.0", id, result };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: toRpcError(error) };
  }
}

/** A result or what it needs first, which both were made for one answer. */
interface ModernResult {
  resultType?: unknown;
  _meta?: Record<string, unknown> | undefined;
}

function noState(): undefined {
  return undefined;
}

/** A failure that is not the tool's, as JSON-RPC says it. */
function toRpcError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, data } = Object(error) as { code?: unknown; data?: unknown };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : rpcErrors.internal,
    // A server may say nothing, and then nothing is said for it.
    message: error instanceof Error ? error.message : messageOf(error),
    ...(data !== undefined && { data }),
  };
}
