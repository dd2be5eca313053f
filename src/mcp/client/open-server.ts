import type { Client, Transport } from "@modelcontextprotocol/client";
import { ownVersion } from "../../contract/own-version.js";
import type { UpstreamCall, UpstreamSpec } from "../../contract/ports/upstream.js";
import { isRecord } from "../../contract/is-record.js";
import { createConnection } from "./create-connection.js";
import { DirectRequests } from "./direct-requests.js";
import { createTransport, endSession } from "./create-transport.js";
import { receiveLeniently } from "./lenient-messages.js";
import { loadSdk, type McpSdk } from "./load-sdk.js";
import { ProgressTokens } from "./progress-tokens.js";
import { ProgramTransport } from "./program-transport.js";
import {
  serverRequests,
  type EraVerdict,
  type LiveClient,
  type ServerConnection,
  type ServerRequest,
} from "./server-connection.js";
import type { ServerOptions } from "./server-options.js";
import { startLimit } from "./start-limit.js";
import { createWatching } from "./watch-resources.js";
import { unreachable } from "./unreachable.js";
import { OpenRequests } from "./watch-answers.js";

/** Connect to a program or an address; always rejects after `timeoutMs`. */
export async function openServer(spec: UpstreamSpec, options: ServerOptions): Promise<ServerConnection> {
  const limit = startLimit(options);
  try {
    const sdk = await limit.race(loadSdk());
    return await limit.race(connect({ sdk, spec, options, signal: limit.signal }));
  } finally {
    limit.clear();
  }
}

interface Opening {
  readonly sdk: McpSdk;
  readonly spec: UpstreamSpec;
  readonly options: ServerOptions;
  readonly signal: AbortSignal;
}

async function connect(opening: Opening): Promise<ServerConnection> {
  const { spec, options } = opening;
  const prior = usable(options);
  try {
    return await attempt(opening, prior);
  } catch (error) {
    if (opening.signal.aborted) throw error;
    // A verdict can be out of date, and some old programs end at the first word that they do not know.
    const isPinned = options.era === "2025" || options.era === "2026";
    if (prior !== undefined && !isPinned) return attempt(opening, undefined);
    if (!isPinned && spec.kind === "program" && isProbeDeath(error))
      return attempt(opening, { kind: "legacy" });
    if (
      spec.kind === "address" &&
      spec.transport === undefined &&
      options.era !== "2026" &&
      speaksOldHttp(error)
    ) {
      return attempt({ ...opening, spec: { ...spec, transport: "sse" } }, { kind: "legacy" }).catch(() => {
        throw new Error(`the address answers with HTTP ${statusOf(error)}, and there is no MCP server`, {
          cause: error,
        });
      });
    }
    throw error;
  }
}

/** What is known about the era, unless it is pinned. */
function usable({ era, prior }: ServerOptions): EraVerdict | undefined {
  if (era === "2025") return { kind: "legacy" };
  return era === "2026" && prior?.kind === "legacy" ? undefined : prior;
}

/** Logins that one start may take: the first, and wider ones where the server wants more. */
const maxLogins = 2;

async function attempt(opening: Opening, prior: EraVerdict | undefined): Promise<ServerConnection> {
  for (let logins = 0; ; logins++) {
    try {
      return await attemptOnce(opening, prior);
    } catch (error) {
      if (!(error instanceof LoginFinished)) throw error;
      if (logins >= maxLogins) throw error.cause;
    }
  }
}

/** A login was made on the way: the same can be tried again. */
class LoginFinished extends Error {}

async function attemptOnce(opening: Opening, prior: EraVerdict | undefined): Promise<ServerConnection> {
  const { sdk, spec, options, signal } = opening;
  const { timeoutMs } = options;
  const calls: UpstreamCall[] = [];
  const onFault = options.onFault ?? (() => {});
  const open = new OpenRequests();
  const progress = new ProgressTokens();
  const transport = createTransport(sdk, spec, { ...options, open });
  const client = new sdk.Client(clientInfo(options), {
    capabilities: { ...options.capabilities },
    versionNegotiation: {
      mode: options.era === "2026" ? { pin: "2026-07-28" } : "auto",
      probe: { timeoutMs: Math.min(Math.ceil(timeoutMs / 3), 10_000) },
    },
    inputRequired: { autoFulfill: false },
    // Results are checked by Tenon; a server's schema must not reach a compiler unjudged.
    jsonSchemaValidator: {
      getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
    },
  });
  receiveLeniently(transport, () => client.getProtocolEra() === "modern", {
    take: (message) => {
      open.take(message);
      return progress.take(message);
    },
    onFault,
  });
  listenTo(client, options, calls);
  const watching = createWatching(client, options);
  Object.assign(client, { onerror: (error: Error) => onFault(error.message) });
  const live: LiveClient = {
    client,
    progress,
    http: spec.kind === "address",
    pid: () => (transport instanceof ProgramTransport ? (transport.pid ?? undefined) : undefined),
    ended: () => (transport instanceof ProgramTransport ? transport.ended : undefined),
  };
  const state = { closed: false };
  const close = async (): Promise<void> => {
    state.closed = true;
    await endSession(transport);
    await client.close().catch((error: Error) => onFault(error.message));
    await transport.close();
  };
  const onAbort = (): void => void transport.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await client.connect(transport, {
      signal,
      timeout: timeoutMs,
      ...(prior !== undefined && { prior: prior as never }),
    });
    if (prior?.kind === "modern") await client.discover({ signal, timeout: timeoutMs });
    if (client.getProtocolEra() === "modern") await watching.set([]);
    signal.throwIfAborted();
  } catch (error) {
    const loggedIn = await finishLogin(error, transport, options);
    await transport.close().catch(() => {});
    throw loggedIn ? new LoginFinished("logged in", { cause: error }) : explain(error, live);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  const onclose = (): void => {
    if (!state.closed) options.onLost?.(live.ended() ?? "the connection was closed");
  };
  Object.assign(client, { onclose });
  const login = (error: unknown): Promise<boolean> => finishLogin(error, transport, options);
  const connected = { ...live, direct: openDirect(opening, client, transport) };
  return createConnection({
    live: connected,
    calls,
    answer: options.answer,
    onFault,
    close,
    login,
    watching,
    probed: prior?.kind !== "legacy",
  });
}

/** A program takes requests past the SDK. */
function openDirect(
  { sdk, options }: Opening,
  client: Client,
  transport: Transport,
): DirectRequests | undefined {
  if (!(transport instanceof ProgramTransport)) return undefined;
  const isModern = client.getProtocolEra() === "modern";
  transport.direct = new DirectRequests({
    ...(isModern && { envelope: envelopeOf(client, options) }),
    send: (message) => transport.sendText(JSON.stringify(message)),
    setBusy: (busy) => transport.setBusy(busy),
    refused: (code, message, data) => sdk.ProtocolError.fromError(code, message, data),
    closed: () => new sdk.SdkError(sdk.SdkErrorCode.ConnectionClosed, "Connection closed"),
  });
  return transport.direct;
}

function envelopeOf(client: Client, options: ServerOptions): Readonly<Record<string, unknown>> {
  return {
    "io.modelcontextprotocol/protocolVersion": client.getNegotiatedProtocolVersion(),
    "io.modelcontextprotocol/clientInfo": clientInfo(options),
    "io.modelcontextprotocol/clientCapabilities": { ...options.capabilities },
  };
}

function clientInfo({ clientName = "tenon" }: ServerOptions): { name: string; version: string } {
  return { name: clientName, version: ownVersion };
}

/** If the server requires a login and a person has logged in, use the tokens. */
async function finishLogin(error: unknown, transport: Transport, options: ServerOptions): Promise<boolean> {
  if (options.finishLogin === undefined || !isUnauthorised(error) || !("finishAuth" in transport))
    return false;
  const params = await options.finishLogin();
  if (params === undefined) return false;
  await (transport.finishAuth as (given: URLSearchParams) => Promise<void>).call(transport, params);
  return true;
}

function isUnauthorised(error: unknown): boolean {
  return error instanceof Error && (error.name === "UnauthorizedError" || isUnauthorised(error.cause));
}

/** What the server may say and ask at any time, taken as it comes: the SDK's own handlers would check and change it. */
function listenTo(client: Client, options: ServerOptions, calls: readonly UpstreamCall[]): void {
  const { answer, onNotice } = options;
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged?.());
  Object.assign(client, {
    fallbackNotificationHandler: async ({ method, params }: Notice) =>
      onNotice?.(method, params ?? {}, [...calls]),
  });
  if (answer === undefined) return;
  Object.assign(client, {
    fallbackRequestHandler: async (
      { method, params }: Notice,
      { mcpReq }: { mcpReq: { signal: AbortSignal } },
    ) => {
      if (!isServerRequest(method)) throw Object.assign(new Error("Method not found"), { code: -32601 });
      return answer({ method, ...(isRecord(params) && { params }), signal: mcpReq.signal }, [...calls]);
    },
  });
}

interface Notice {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function isServerRequest(method: string): method is ServerRequest["method"] {
  return (serverRequests as readonly string[]).includes(method);
}

function isProbeDeath(error: unknown): boolean {
  return error instanceof Error && /closed during the server\/discover probe/.test(messages(error));
}

/** The response of a server of before 2025 to a POST. */
function speaksOldHttp(error: unknown): boolean {
  return [400, 404, 405, 406, 415, 501].includes(statusOf(error) ?? 0);
}

function statusOf(error: unknown): number | undefined {
  const { data, cause } = (error ?? {}) as { data?: { status?: unknown }; cause?: unknown };
  if (typeof data?.status === "number") return data.status;
  return cause === undefined ? undefined : statusOf(cause);
}

function messages(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messages(error.cause)}` : "";
}

function explain(error: unknown, live: LiveClient): unknown {
  const why = live.ended() ?? unreachable(error);
  if (why === undefined) return error;
  return new Error(isProbeDeath(error) ? `${why}: ${(error as Error).message}` : why, { cause: error });
}
