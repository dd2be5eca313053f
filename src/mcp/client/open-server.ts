import type {
  Client,
  ClientCapabilities,
  OAuthClientProvider,
  Transport,
} from "@modelcontextprotocol/client";
import type { UpstreamCall, UpstreamEvents, UpstreamSpec } from "../../contract/ports/upstream.js";
import { capFetch } from "./cap-fetch.js";
import { createConnection } from "./create-connection.js";
import { DirectRequests } from "./direct-requests.js";
import { loadSdk, type McpSdk } from "./load-sdk.js";
import { ProgramTransport } from "./program-transport.js";
import type { AnswerServer, EraVerdict, LiveClient, ServerConnection } from "./server-connection.js";
import { startLimit } from "./start-limit.js";
import { unreachable } from "./unreachable.js";

/** How a server is reached, besides where. */
export interface ServerOptions extends UpstreamEvents {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What an earlier connection found out; saves asking again. */
  readonly prior?: EraVerdict | undefined;
  /** The server did what it should not have, and the connection goes on. */
  readonly onFault?: ((message: string) => void) | undefined;
  readonly onResourcesChanged?: (() => void) | undefined;
  readonly onPromptsChanged?: (() => void) | undefined;
  /** Answers requests of the server to its caller. @default they are refused */
  readonly answer?: AnswerServer | undefined;
  /** The way out to an address. @default the global fetch */
  readonly fetch?: typeof fetch | undefined;
  readonly authProvider?: OAuthClientProvider | undefined;
  /** What the browser came back with after a login; asked when the server wants one. @default nobody logs in */
  readonly finishLogin?: (() => Promise<URLSearchParams | undefined>) | undefined;
  /** Longer messages are refused. @default 33554432 */
  readonly maxMessageBytes?: number | undefined;
  /** How the client names itself. @default "tenon" */
  readonly clientName?: string | undefined;
}

declare const __TENON_VERSION__: string | undefined;

/** Connect to a program or an address; rejects after `timeoutMs` whatever the server does. */
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
  try {
    return await attempt(opening, options.prior);
  } catch (error) {
    if (opening.signal.aborted) throw error;
    // A verdict can be out of date, and some old programs end at the first word that they do not know.
    const diedOfProbe = spec.kind === "program" && options.prior === undefined && isProbeDeath(error);
    if (options.prior !== undefined) return attempt(opening, undefined);
    if (diedOfProbe) return attempt(opening, { kind: "legacy" });
    if (spec.kind === "address" && spec.transport === undefined && speaksOldHttp(error)) {
      return attempt({ ...opening, spec: { ...spec, transport: "sse" } }, { kind: "legacy" }).catch(() => {
        throw new Error(`the address answers with HTTP ${statusOf(error)}, and there is no MCP server`, {
          cause: error,
        });
      });
    }
    throw error;
  }
}

/** Logins that one start may take: the first, and wider ones where the server wants more. */
const mostLogins = 2;

async function attempt(opening: Opening, prior: EraVerdict | undefined): Promise<ServerConnection> {
  for (let logins = 0; ; logins++) {
    try {
      return await attemptOnce(opening, prior);
    } catch (error) {
      if (!(error instanceof LoginFinished)) throw error;
      if (logins >= mostLogins) throw error.cause;
    }
  }
}

/** A login was made on the way: the same can be tried again. */
class LoginFinished extends Error {}

async function attemptOnce(opening: Opening, prior: EraVerdict | undefined): Promise<ServerConnection> {
  const { sdk, spec, options, signal } = opening;
  const { timeoutMs } = options;
  const calls = new Set<UpstreamCall>();
  const onFault = options.onFault ?? (() => {});
  const transport = createTransport(opening, onFault);
  const client = new sdk.Client(
    { name: options.clientName ?? "tenon", version: versionOf() },
    {
      capabilities: capabilitiesFor(options),
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(Math.ceil(timeoutMs / 3), 10_000) } },
      inputRequired: { autoFulfill: false },
      // Results are checked by Tenon; a server's schema must not reach a compiler unjudged.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
    },
  );
  listenTo(client, options, calls);
  Object.assign(client, { onerror: (error: Error) => onFault(error.message) });
  const live: LiveClient = {
    client,
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
    await subscribe(client, options, signal);
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
  const connected = { ...live, direct: openDirect(sdk, client, transport) };
  return createConnection({ live: connected, calls, answer: options.answer, onFault, close, login });
}

/** A program of the 2025 revisions takes requests past the SDK; those of 2026-07-28 need its envelope. */
function openDirect(sdk: McpSdk, client: Client, transport: Transport): DirectRequests | undefined {
  if (!(transport instanceof ProgramTransport) || client.getProtocolEra() === "modern") return undefined;
  transport.direct = new DirectRequests({
    send: (message) => transport.sendText(JSON.stringify(message)),
    setBusy: (busy) => transport.setBusy(busy),
    refused: (code, message, data) => sdk.ProtocolError.fromError(code, message, data),
    closed: () => new sdk.SdkError(sdk.SdkErrorCode.ConnectionClosed, "Connection closed"),
  });
  return transport.direct;
}

/** Where the server wants a login and a person made one: take the tokens. */
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

function createTransport({ sdk, spec, options }: Opening, onFault: (message: string) => void): Transport {
  const { maxMessageBytes = 32 * 1024 * 1024, authProvider } = options;
  if (spec.kind === "program") {
    return new ProgramTransport(spec, { maxMessageBytes, onFault, onLog: (line) => options.onLog?.(line) });
  }
  const common = {
    fetch: capFetch(options.fetch ?? fetch, maxMessageBytes),
    requestInit: { headers: { ...spec.headers } },
    ...(authProvider !== undefined && { authProvider }),
  };
  const url = new URL(spec.url);
  if (spec.transport === "sse") return new sdk.SSEClientTransport(url, common);
  return new sdk.StreamableHTTPClientTransport(url, common);
}

function capabilitiesFor(options: ServerOptions): ClientCapabilities {
  return options.answer === undefined
    ? {}
    : { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {} };
}

/** What the server may say and ask at any time. */
function listenTo(client: Client, options: ServerOptions, calls: ReadonlySet<UpstreamCall>): void {
  const { answer } = options;
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged?.());
  client.setNotificationHandler("notifications/resources/list_changed", () => options.onResourcesChanged?.());
  client.setNotificationHandler("notifications/prompts/list_changed", () => options.onPromptsChanged?.());
  if (answer === undefined) return;
  for (const method of ["elicitation/create", "sampling/createMessage"] as const) {
    client.setRequestHandler(method, async ({ params }, { mcpReq }) => {
      const request = { method, params: params as Readonly<Record<string, unknown>>, signal: mcpReq.signal };
      return (await answer(request, [...calls])) as never;
    });
  }
}

/** In the newer era changes are only told to those who ask for it. */
async function subscribe(client: Client, options: ServerOptions, signal: AbortSignal): Promise<void> {
  if (client.getProtocolEra() !== "modern") return;
  const offers = client.getServerCapabilities();
  const filter = {
    ...(options.onToolsChanged && offers?.tools?.listChanged === true && { toolsListChanged: true }),
    ...(options.onResourcesChanged &&
      offers?.resources?.listChanged === true && { resourcesListChanged: true }),
    ...(options.onPromptsChanged && offers?.prompts?.listChanged === true && { promptsListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  try {
    await client.listen(filter, { timeout: 5000 });
  } catch (error) {
    if (signal.aborted) throw error;
    options.onFault?.(`it does not tell changes of its listings: ${(error as Error).message}`);
  }
}

/** A server that keeps sessions is told that this one is over. */
async function endSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport) || transport.sessionId === undefined) return;
  const end = transport.terminateSession as () => Promise<void>;
  // A server that is gone already, or does not care, must not keep us.
  await Promise.race([
    end.call(transport).catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
}

function versionOf(): string {
  return typeof __TENON_VERSION__ === "string" ? __TENON_VERSION__ : "0.0.0";
}

function isProbeDeath(error: unknown): boolean {
  return error instanceof Error && /closed during the server\/discover probe/.test(messages(error));
}

/** What a server of before 2025 answers to a POST. */
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
