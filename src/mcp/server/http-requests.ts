import type { IncomingHttpHeaders } from "node:http";
import { idOf } from "../../wire/json-rpc.js";
import { isTooDeep, maxNesting, mayBeTooDeep } from "../../wire/nesting.js";
import { clientInfoKey, toClientInfo } from "./client-info.js";
import type { McpPrincipal } from "./create-mcp-http.js";
import { refuse } from "./http-answers.js";
import type { PlainCall } from "./plain-call.js";

/** In 2026-07-28 every request names its client: each name is a session of its own, for those with the same token. */
export function clientKey({ id }: McpPrincipal, body: unknown): string {
  const { params } = Object(body) as { params?: { _meta?: Record<string, unknown> } };
  const info = toClientInfo(params?._meta?.[clientInfoKey]);
  return JSON.stringify([id, info?.name, info?.version]);
}

/** The program that sent a greeting. */
export function clientOf(body: unknown): string {
  const { params } = Object(body) as { params?: { clientInfo?: unknown } };
  const info = toClientInfo(params?.clientInfo);
  return JSON.stringify([info?.name, info?.version]);
}

const modernVersion = "2026-07-28";

/** Whether the headers of 2026-07-28 say what the body says; anything else is for the SDK to judge. */
export function namesCall(headers: IncomingHttpHeaders, { call }: PlainCall): boolean {
  return (
    headers["mcp-protocol-version"] === modernVersion &&
    headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === call.name
  );
}

export function isInitialize(body: unknown): boolean {
  return (Object(body) as { method?: unknown }).method === "initialize";
}

export function isListen(body: unknown): boolean {
  return (Object(body) as { method?: unknown }).method === "subscriptions/listen";
}

/** The first request of a session. */
export interface Greeted {
  readonly client: string;
  readonly greeting: unknown;
  /** Of a session that was opened elsewhere. */
  readonly sessionId?: string | undefined;
}

/** The value of a body, or why it is refused. */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return mayBeTooDeep(text) && isTooDeep(value)
      ? refuse(400, -32600, `A message has at most ${maxNesting} levels.`)
      : value;
  } catch {
    return refuse(400, -32700, "The body is not valid JSON.");
  }
}

const maxInBatch = 1000;

/** The messages of a body. */
export function listOf(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return body === undefined ? [] : [body];
  return body.length > maxInBatch ? [] : body; // the transport refuses it
}

/** The ids of those that are requests. */
export function requestIds(messages: readonly unknown[]): readonly (string | number)[] {
  return messages.flatMap((message) => {
    const id = idOf(message);
    return id === undefined || (Object(message) as { method?: unknown }).method === undefined ? [] : [id];
  });
}
