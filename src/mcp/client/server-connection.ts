import type { Client } from "@modelcontextprotocol/client";
import type { Upstream, UpstreamCall } from "../../contract/ports/upstream.js";
import type { DirectRequests } from "./direct-requests.js";
import type { ProgressTokens } from "./progress-tokens.js";

/** The requests that a server can make of its caller. */
export const serverRequests = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/** A request of a server to its caller. */
export interface ServerRequest {
  readonly method: (typeof serverRequests)[number];
  /** Some questions need none. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
  /** Its name among the requests that the server makes at once. */
  readonly key?: string | undefined;
}

/**
 * Answers a server's request. `calls` are the calls that it may belong to: the one that asked where
 * the protocol says so, else all that run.
 */
export type AnswerServer = (
  request: ServerRequest,
  calls: readonly UpstreamCall[],
) => Promise<Readonly<Record<string, unknown>>>;

/** A notification that a server sends to its caller, and the calls that run. */
export type ServerNotice = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  calls: readonly UpstreamCall[],
) => void;

/** Which era of the protocol a server speaks, as plain data to keep for the next start. */
export type EraVerdict =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern"; readonly discover: Readonly<Record<string, unknown>> };

/** The features of a server. */
export interface ServerOffers {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  readonly subscriptions: boolean;
}

/** A live connection with all that a gateway passes on. */
export interface ServerConnection extends Upstream {
  readonly verdict: EraVerdict;
  /** The server was asked which era it speaks. */
  readonly probed: boolean;
  readonly instructions?: string | undefined;
  readonly offers: ServerOffers;
  /** A spec method with its own result; `call` relates requests of the server to it. */
  send(
    method: string,
    params: Readonly<Record<string, unknown>>,
    call: UpstreamCall,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** All pages of a listing, bounded. */
  list(
    method: "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list",
    signal?: AbortSignal,
  ): Promise<readonly unknown[]>;
  /** Hear of changes of exactly these resources from now on. */
  watch(uris: readonly string[]): Promise<void>;
  /** Tell the server something. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** The SDK's client with what it runs on. */
export interface LiveClient {
  readonly client: Client;
  readonly progress: ProgressTokens;
  readonly pid: () => number | undefined;
  /** Over HTTP arguments may have to be mirrored into headers. */
  readonly http: boolean;
  /** The quick way to a program of the 2025 revisions. */
  readonly direct?: DirectRequests | undefined;
  /** Why it ended, where that is known. */
  readonly ended: () => string | undefined;
}
