import { isRecord } from "../contract/is-record.js";
import { isTooDeep, maxNesting } from "./nesting.js";

/** A JSON-RPC message as far as the wire must understand it. */
export interface WireMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export const rpcErrors = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** The answer to what could not be taken. */
export function rpcError(id: string | number | null, code: number, message: string): WireMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** A failure with a code of JSON-RPC, which the SDK sends as it is. */
export function rpcFault(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The parameters of a request are wrong. */
export function invalidParams(message: string): Error {
  return rpcFault(rpcErrors.invalidParams, message);
}

/** Return why a parsed value is not a message; `undefined` if it is one. */
export function faultOfMessage(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "A message must be an object.";
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0") return '"jsonrpc" must be "2.0".';
  if (isTooDeep(value)) return `A message has at most ${maxNesting} levels.`;
  if (id !== undefined && idOf(value) === undefined && !("error" in value && id === null)) {
    return '"id" must be a string or an integer.';
  }
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params))) {
    return '"params" must be an object.';
  }
  if (method === undefined)
    return "id" in value && ("result" in value || "error" in value) ? undefined : '"method" is missing.';
  return typeof method === "string" ? undefined : '"method" must be a string.';
}

/** The id of a message, where it has one that can be answered. */
export function idOf(value: unknown): string | number | undefined {
  const { id } = Object(value) as { id?: unknown };
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

/** The `_meta` of a request; `undefined` where the request is an odd one, which the SDK has to judge. */
export function metaOf(message: WireMessage): Readonly<Record<string, unknown>> | undefined {
  const { _meta = {} } = Object(message.params) as Record<string, unknown>;
  if (!isRecord(_meta)) return undefined;
  for (const key in message) if (!requestFields.has(key)) return undefined;
  const { progressToken: token } = _meta;
  const fits = token === undefined || typeof token === "string" || Number.isSafeInteger(token);
  return fits ? _meta : undefined;
}

const requestFields: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);

/** Whether something in `_meta` is for the protocol itself. */
export function hasProtocolMeta(meta: object): boolean {
  for (const key in meta) if (isProtocolKey(key)) return true;
  return false;
}

export function isProtocolKey(key: string): boolean {
  return key.startsWith("io.modelcontextprotocol/");
}
