import type { ServerContext, StandardSchemaV1 } from "@modelcontextprotocol/server";
import { isRecord } from "../../contract/is-record.js";
import type { CallStop } from "../../contract/host.js";
import type { ClientConnection } from "../../contract/ports/client.js";

/** One request of the host while it is served, and how to reach the host meanwhile. */
export interface Exchange {
  readonly supports: ClientConnection["supports"];
  /** The capabilities that the host declared. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The lowest level of log messages that it wants, where the request says so. */
  readonly logLevel?: string | undefined;
  /** A question ends the answer to the request, which then has no connection until the host comes back. */
  readonly parks?: boolean | undefined;
  /** Ask the host something on behalf of the request. */
  ask(
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Tell it something; a host that is gone misses nothing. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The request is over: nothing can carry a question any more. */
  over?(): void;
}

/** What serving a request uses of the SDK's context. */
export interface RequestContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "envelope" | "inputResponses" | "requestState" | "notify"
  > & { readonly signal: AbortSignal | CallStop };
}

/** Call when a request is cancelled, which it may be already; the result ends that. */
export function whenAborted(signal: RequestContext["mcpReq"]["signal"], leave: () => void): () => void {
  if (signal.aborted) leave();
  if (!(signal instanceof AbortSignal)) {
    signal.onAbort = leave;
    return () => (signal.onAbort = undefined);
  }
  signal.addEventListener("abort", leave, { once: true });
  return () => signal.removeEventListener("abort", leave);
}

/** Takes a host's answer as it is: who asked judges it. */
export const anyResult: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "tenon",
    validate: (value) =>
      isRecord(value) ? { value } : { issues: [{ message: "the result is not an object" }] },
  },
};

/** How long a host may take over a question; the one who asks has its own, shorter limit. */
export const maxAskMs = 60 * 60 * 1000;

/** An exchange of the 2025 revisions, where the server may send requests of its own. */
export function createPushExchange(
  ctx: { readonly mcpReq: Pick<ServerContext["mcpReq"], "send" | "notify"> },
  capabilities: unknown,
): Exchange {
  return {
    supports: supportedRequests(capabilities),
    capabilities: Object(capabilities) as Record<string, unknown>,
    async ask(method, params, signal) {
      const request = { method: method as "elicitation/create", params };
      return ctx.mcpReq.send(request, anyResult, { signal, timeout: maxAskMs });
    },
    notify: (method, params) => void ctx.mcpReq.notify({ method, params }).catch(() => undefined),
  };
}

/** What a host declared, as the questions that can be put to it. */
export function supportedRequests(capabilities: unknown): ClientConnection["supports"] {
  const { elicitation, sampling } = Object(capabilities) as Record<string, unknown>;
  const { form, url } = Object(elicitation) as Record<string, unknown>;
  return {
    // The revisions before 2025-11-25 knew forms only, and said so with an empty object.
    elicitForm: elicitation !== undefined && (form !== undefined || url === undefined),
    elicitUrl: url !== undefined,
    sample: sampling !== undefined,
  };
}
