import type { Client } from "@modelcontextprotocol/client";
import type { Upstream, UpstreamCall } from "../../contract/ports/upstream.js";
import type { DirectRequests } from "./direct-requests.js";

/** A request of a server to its caller: `elicitation/create`, `sampling/createMessage`. */
export interface ServerRequest {
  readonly method: "elicitation/create" | "sampling/createMessage";
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/**
 * Answers a server's request. `calls` are the calls that it may belong to: the one that asked where
 * the protocol says so, else all that run.
 */
export type AnswerServer = (
  request: ServerRequest,
  calls: readonly UpstreamCall[],
) => Promise<Readonly<Record<string, unknown>>>;

/** Which era of the protocol a server speaks, as plain data to keep for the next start. */
export type EraVerdict =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern"; readonly discover: Readonly<Record<string, unknown>> };

/** A live connection with all that a gateway passes on. */
export interface ServerConnection extends Upstream {
  readonly verdict: EraVerdict;
  readonly instructions?: string | undefined;
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
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
}

/** The SDK's client with what it runs on. */
export interface LiveClient {
  readonly client: Client;
  readonly pid: () => number | undefined;
  /** Over HTTP arguments may have to be mirrored into headers. */
  readonly http: boolean;
  /** The quick way to a program of the 2025 revisions. */
  readonly direct?: DirectRequests | undefined;
  /** Why it ended, where that is known. */
  readonly ended: () => string | undefined;
}
