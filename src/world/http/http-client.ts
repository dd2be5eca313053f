import type { Http, HttpRequest, HttpResponse } from "../../contract/ports/http.js";
import type { Engine } from "./engine.js";
import type { HttpLookup } from "./guard-lookup.js";
import { compileHosts } from "./host-rules.js";
import { clientClosed } from "./http-errors.js";
import type { HttpTarget, TargetRules } from "./judge-target.js";
import type { RedirectJudge } from "./send-request.js";

/** Which hosts may be reached, and the limits of a request. */
export interface HttpOptions {
  /** Globs of hosts, with an optional `:port`, that may be reached though their addresses are not public. */
  readonly allowHosts: readonly string[];
  /** Loopback, private and link-local addresses may be reached; metadata services still may not. */
  readonly allowPrivate: boolean;
  /** Cap on a decoded body; a request can lower it. */
  readonly maxBytes: number;
  /** One deadline over lookup, connection, redirects, headers and body. */
  readonly timeoutMs: number;
  /** @default dns.lookup */
  readonly lookup?: HttpLookup;
  /** Certificates (PEM) to trust instead of the well-known ones. */
  readonly ca?: string;
  /** Further policy: throws to refuse. It sees each request and redirect, and each address that is connected to. */
  readonly judge?: (target: HttpTarget) => void;
}

/** The guarded client; nothing is loaded before the first request. */
export interface HttpClient extends Http {
  /** `onRedirect` sees where each redirect of this request leads, and throws to refuse. */
  request(request: HttpRequest, onRedirect?: RedirectJudge): Promise<HttpResponse>;
  /** Aborts running requests and closes every connection. */
  close(): Promise<void>;
}

/** Create the guarded client. */
export function createHttpClient(options: HttpOptions): HttpClient {
  const hosts = compileHosts(options.allowHosts);
  const rules: TargetRules = { hosts, allowPrivate: options.allowPrivate, judge: options.judge };
  const limits = {
    maxBytes: atMost(options.maxBytes, MAX_BYTES),
    timeoutMs: atMost(options.timeoutMs, MAX_TIMER),
  };
  let opening: Promise<Opened> | undefined;
  let closed = false;
  const open = async (): Promise<Opened> => {
    const [{ openEngine }, { sendRequest }, { createUrlJudge }] = await Promise.all([
      import("./engine.js"),
      import("./send-request.js"),
      import("./judge-target.js"),
    ]);
    const connectTimeoutMs = Math.min(limits.timeoutMs, 10_000);
    const engine = openEngine({ rules, connectTimeoutMs, lookup: options.lookup, ca: options.ca });
    const sending = { agent: engine.agent, judge: createUrlJudge(rules), ...limits };
    return { engine, send: (request, onRedirect) => sendRequest(request, { ...sending, onRedirect }) };
  };
  return {
    async request(request, onRedirect) {
      if (closed) throw clientClosed();
      opening ??= open();
      const { send } = await opening;
      return send(request, onRedirect);
    },
    async close() {
      closed = true;
      const opened = await opening?.catch(() => undefined);
      await opened?.engine.close();
    },
  };
}

interface Opened {
  readonly engine: Engine;
  readonly send: (request: HttpRequest, onRedirect: RedirectJudge | undefined) => Promise<HttpResponse>;
}

/** Longer timers fire at once. */
const MAX_TIMER = 2 ** 31 - 1;
const MAX_BYTES = 2 ** 30;

function atMost(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.floor(Math.min(Math.max(value, 0), max));
}
