import type { ServerContext } from "@modelcontextprotocol/server";
import type { ClientConnection } from "../../contract/ports/client.js";

/** One request of the host while it is served, and how to reach the host meanwhile. */
export interface Exchange {
  readonly supports: ClientConnection["supports"];
  /** A question ends the answer to the request, which then has no connection until the host comes back. */
  readonly parks?: boolean | undefined;
  /** Ask the host something on behalf of the request. */
  ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  log(level: string, data: unknown, logger?: string): void;
}

/** What serving a request uses of the SDK's context. */
export interface RequestContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "envelope" | "signal" | "inputResponses" | "requestState" | "notify" | "log"
  >;
}

/** How long a host may take over a question; the one who asks has its own, shorter limit. */
export const maxAskMs = 60 * 60 * 1000;

/** An exchange of the 2025 revisions, where the server may send requests of its own. */
export function createPushExchange(ctx: ServerContext, capabilities: unknown): Exchange {
  return {
    supports: supportedRequests(capabilities),
    async ask(method, params, signal) {
      const request = { method: method as "elicitation/create", params };
      return ctx.mcpReq.send(request, { signal, timeout: maxAskMs });
    },
    ...notifiersOf(ctx),
  };
}

/** What both kinds of exchange say without waiting for an answer; a host that is gone misses nothing. */
export function notifiersOf(ctx: RequestContext): Pick<Exchange, "notify" | "log"> {
  return {
    notify: (method, params) => void ctx.mcpReq.notify({ method, params }).catch(() => undefined),
    log: (level, data, logger) => void ctx.mcpReq.log(level as "info", data, logger).catch(() => undefined),
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
