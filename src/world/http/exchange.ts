import type { Agent } from "undici";
import type { CheckedRequest } from "./check-request.js";
import { redirectOf } from "./next-hop.js";
import { listEncodings, readBody, type BodyReader } from "./read-body.js";

/** One response; redirects are not followed yet. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** One request on the wire. */
export interface Exchange {
  readonly answer: Promise<Answer>;
  /** Rejects the answer at once, in whatever phase it is; nothing happens after the end. */
  abort(reason: Error): void;
}

type Handler = Parameters<Agent["dispatch"]>[1];
type Controller = Parameters<NonNullable<Handler["onRequestStart"]>>[0];

/** Send one request; the body is read to the limit, that of a redirect is dropped. */
export function startExchange(agent: Agent, request: CheckedRequest, maxBytes: number): Exchange {
  const { url, method, headers, body = null } = request;
  const { handler, ...exchange } = createTransfer(maxBytes);
  agent.dispatch(
    { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body },
    handler,
  );
  return exchange;
}

interface Transfer extends Exchange {
  readonly handler: Handler;
}

/** The state of one request: from its start over headers and body to the first of end, limit, error and abort. */
function createTransfer(maxBytes: number): Transfer {
  const { promise: answer, resolve, reject } = withResolvers<Answer>();
  let [controller, reader]: [Controller?, BodyReader?] = [];
  let [status, headers]: [number, Record<string, string>] = [0, {}];
  let stopped: Error | undefined;
  let received = false;
  const stop = (reason: Error) => {
    stopped ??= reason;
    reader?.destroy();
    if (!received) controller?.abort(reason);
  };
  const abort = (reason: Error) => {
    reject(reason);
    stop(reason);
  };
  const finish = (body: Uint8Array, truncated: boolean) => {
    resolve({ status, headers, body, truncated });
    if (truncated) stop(enough());
  };
  const flow = { pause: () => controller?.pause(), resume: () => controller?.resume() };
  const openReader = () => readBody(takeEncodings(headers), maxBytes, { finish, fail: abort, ...flow });
  const end = () => {
    if (reader === undefined) finish(new Uint8Array(0), false);
    else if (stopped === undefined) reader.end();
  };
  const handler: Handler = {
    onRequestStart(started) {
      controller = started;
      if (stopped !== undefined) started.abort(stopped);
    },
    onResponseStart(_controller, code, raw) {
      if (code < 200) return;
      [status, headers] = [code, flatten(raw)];
      if (redirectOf(code, headers) === undefined) return;
      finish(new Uint8Array(0), false);
      reader = dropBody(() => stop(enough()));
    },
    onResponseData(_controller, chunk) {
      if (stopped === undefined) (reader ??= openReader()).write(chunk);
    },
    onResponseEnd() {
      received = true;
      // The pool takes the connection back in the next turn; a request before that would open another one.
      queueMicrotask(() => setImmediate(end));
    },
    onResponseError: (_controller, error) => abort(error),
  };
  return { handler, answer, abort };
}

/** If little of the body is left, it is read, so that the connection can be reused. */
function dropBody(stop: () => void): BodyReader {
  let left = 16_384;
  return {
    write(chunk) {
      left -= chunk.length;
      if (left < 0) stop();
    },
    end: () => undefined,
    destroy: () => undefined,
  };
}

interface Resolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers<Value>(): Resolvers<Value> {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** Ends a transfer whose remaining bytes are not needed. */
function enough(): Error {
  return new Error("enough was read");
}

type RawHeaders = Parameters<NonNullable<Handler["onResponseStart"]>>[2];

function flatten(raw: RawHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in raw) {
    const value = raw[name];
    // Skip names such as __proto__, which would change the object's prototype.
    if (value === undefined || name in Object.prototype) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/** The encodings of the body; the headers then describe the decoded body. */
function takeEncodings(headers: Record<string, string>): readonly string[] {
  const header = headers["content-encoding"];
  if (header === undefined) return [];
  const encodings = listEncodings(header);
  if (encodings === undefined) return [];
  delete headers["content-encoding"];
  if (encodings.length > 0) delete headers["content-length"];
  return encodings;
}
