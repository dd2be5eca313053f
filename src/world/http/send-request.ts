import type { Agent } from "undici";
import type { HttpRequest, HttpResponse } from "../../contract/ports/http.js";
import { checkRequest, type CheckedRequest } from "./check-request.js";
import { startExchange, type Answer, type Exchange } from "./exchange.js";
import { cancelled, failed, outOfTime, toFailure } from "./http-errors.js";
import { nameOf, targetOf, type HttpTarget, type UrlJudge } from "./judge-target.js";
import { nextHop, redirectOf } from "./next-hop.js";

export interface SendOptions {
  readonly agent: Agent;
  readonly judge: UrlJudge;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Further policy on where a redirect leads: throws to refuse. */
  readonly onRedirect?: RedirectJudge | undefined;
}

/** Judges the target of a redirect on behalf of one request. */
export type RedirectJudge = (target: HttpTarget) => void;

/** Send a request and follow its redirects, each judged, under one deadline. */
export async function sendRequest(request: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  const checked = withDefaults(checkRequest(request));
  const maxBytes = capOf(request.maxBytes, options.maxBytes);
  const watch = watchOver(request.signal, options.timeoutMs, checked.url);
  let hop = checked;
  try {
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      options.judge(hop.url);
      if (hops > 0) options.onRedirect?.(targetOf(hop.url));
      const answer = await watch.run(() => startExchange(options.agent, hop, maxBytes));
      const location = redirectOf(answer.status, answer.headers);
      if (location === undefined) return { ...answer, finalUrl: hop.url.href };
      hop = nextHop(hop, answer.status, location);
    }
    throw failed(nameOf(targetOf(checked.url)), `it redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    throw toFailure(error, nameOf(targetOf(hop.url)));
  } finally {
    watch.end();
  }
}

const MAX_REDIRECTS = 10;

function capOf(asked: number | undefined, max: number): number {
  return asked === undefined || !(asked < max) ? max : Math.max(0, Math.floor(asked));
}

function withDefaults(request: CheckedRequest): CheckedRequest {
  return {
    ...request,
    headers: {
      "user-agent": USER_AGENT,
      accept: "*/*",
      "accept-encoding": "gzip, deflate, br",
      ...request.headers,
    },
  };
}

const USER_AGENT = "Mozilla/5.0 (compatible; Tenon)";

interface Watch {
  run(start: () => Exchange): Promise<Answer>;
  end(): void;
}

/** Aborts the current exchange when time is up or the caller's signal fires. */
function watchOver(signal: AbortSignal | undefined, timeoutMs: number, url: URL): Watch {
  const exchanges: Exchange[] = [];
  let stopped: Error | undefined;
  const stop = (reason: Error) => {
    stopped ??= reason;
    for (const exchange of exchanges) exchange.abort(reason);
  };
  const onAbort = () => stop(cancelled(signal?.reason));
  const timer = setTimeout(() => stop(outOfTime(nameOf(targetOf(url)), timeoutMs)), timeoutMs);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    run(start) {
      if (stopped !== undefined) throw stopped;
      const exchange = start();
      exchanges.push(exchange);
      // A lookup that answers at once may have had the caller stop it.
      if (stopped !== undefined) exchange.abort(stopped);
      return exchange.answer;
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      // The body of a redirect may still be arriving.
      if (exchanges.length > 1) stop(new Error("the request is over"));
    },
  };
}
