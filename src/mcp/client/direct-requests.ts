import { isRecord } from "../../contract/is-record.js";
import { messageOf } from "../../contract/message-of.js";
import { readProgress } from "./own-fields.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";

type Result = Readonly<Record<string, unknown>>;

/** How to say that a request failed, in the SDK's own classes. */
interface RequestFailures {
  /** The server answered with an error. */
  readonly refused: (code: number, message: string, data: unknown) => Error;
  /** The connection is gone before an answer came. */
  readonly closed: () => Error;
}

/** The connection that carries the requests. */
export interface RequestWire extends RequestFailures {
  /** Throws where the program cannot take it. */
  readonly send: (message: object) => void;
  /** Something is asked, so the process must not end; or nothing is any more. */
  readonly setBusy: (busy: boolean) => void;
  /** What 2026-07-28 wants in the `_meta` of every request. @default nothing */
  readonly envelope?: Result | undefined;
}

interface Waiting {
  /** Emptied when it is answered: earlier tables of the map may be kept for long. */
  request:
    | {
        readonly resolve: (result: Result) => void;
        readonly reject: (error: unknown) => void;
        readonly onProgress: UpstreamCall["onProgress"];
        readonly leave: () => void;
      }
    | undefined;
}

/** The SDK counts its own requests from zero; some servers take only numbers that fit into 32 bits. */
const firstId = 1_000_000_000;
/** Cancelled requests whose late answers are still known. */
const maxCancelled = 1000;

/**
 * Requests to a program past the SDK: its timers, schemas and promises of every message cost more than a call through
 * the gateway, and it drops fields that it does not know. Everything else on the connection stays with the SDK.
 */
export class DirectRequests {
  readonly #wire: RequestWire;
  readonly #waiting = new Map<number, Waiting>();
  /** Their answers may still come. */
  readonly #cancelled = new Set<number>();
  #lastId = firstId;

  constructor(wire: RequestWire) {
    this.#wire = wire;
  }

  /** Send a request; `onProgress` of the call hears of its progress, and it is cancelled when the call must stop. */
  request(method: string, params: Result, call: UpstreamCall): Promise<Result> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const { onProgress } = call;
      let stopped = false;
      const leave = listen(call, (reason) => {
        stopped = true;
        reject(reason);
        if (this.#forget(id) !== undefined) this.#cancel(id, reason);
      });
      if (stopped) return;
      const { envelope } = this.#wire;
      const told = onProgress === undefined ? params : withMeta(params, { progressToken: id });
      const asked =
        envelope === undefined ? told : withMeta(told, { ...envelope, ...(told["_meta"] as object) });
      try {
        this.#wire.send({ jsonrpc: "2.0", id, method, params: asked });
      } catch (error) {
        leave();
        return reject(error);
      }
      if (this.#waiting.size === 0) this.#wire.setBusy(true);
      this.#waiting.set(id, { request: { resolve, reject, onProgress, leave } });
    });
  }

  /** Take an answer; `false` where it belongs to a request of the SDK. */
  takeAnswer(message: object): boolean {
    const { id, result, error } = message as { id?: unknown; result?: unknown; error?: unknown };
    const request = this.#forget(id as number);
    // One that comes after its request was cancelled is not a fault of the server.
    if (request === undefined) return this.#cancelled.delete(id as number);
    request.leave();
    if (isRecord(result)) request.resolve(result);
    else request.reject(this.#failureOf(error));
    return true;
  }

  /** Take a report of progress; `false` where it is for the SDK. */
  takeProgress(message: object): boolean {
    const { method, params } = message as { method?: unknown; params?: unknown };
    if (method !== "notifications/progress" || !isRecord(params)) return false;
    const token = params["progressToken"];
    if (typeof token !== "number" || token <= firstId || token > this.#lastId) return false;
    const progress = readProgress(params);
    if (progress !== undefined) this.#waiting.get(token)?.request?.onProgress?.(progress);
    return true;
  }

  /** The connection is over: nothing that waits will be answered. */
  close(): void {
    for (const { request } of this.#waiting.values()) {
      request?.leave();
      request?.reject(this.#wire.closed());
    }
    this.#waiting.clear();
  }

  #forget(id: number): Waiting["request"] {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    const { request } = waiting;
    waiting.request = undefined;
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#wire.setBusy(false);
    return request;
  }

  #cancel(requestId: number, reason: unknown): void {
    const [oldest] = this.#cancelled.add(requestId);
    if (this.#cancelled.size > maxCancelled && oldest !== undefined) this.#cancelled.delete(oldest);
    try {
      const params = { requestId, reason: messageOf(reason) };
      this.#wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    } catch {
      // The program is gone, so there is nothing left to cancel.
    }
  }

  #failureOf(error: unknown): Error {
    if (!isRecord(error)) return this.#wire.refused(-32603, "the result is not an object", undefined);
    const { code, message, data } = error;
    const text = typeof message === "string" ? message : "the server gave no reason";
    return this.#wire.refused(typeof code === "number" ? code : -32603, text, data);
  }
}

/** Hear when a call must stop, immediately if it must already. */
function listen(call: UpstreamCall, listener: (reason: Error) => void): () => void {
  if (call.onStop !== undefined) return call.onStop(listener);
  const { signal } = call;
  const onAbort = (): void => listener(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

function withMeta(params: Result, meta: Result): Result {
  return { ...params, _meta: { ...(params["_meta"] as object | undefined), ...meta } };
}
