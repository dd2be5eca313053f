import { messageOf } from "../contract/message-of.js";
import { isRecord } from "../contract/is-record.js";
import { rpcErrors, type WireMessage } from "./json-rpc.js";

type Params = Readonly<Record<string, unknown>>;

export interface PeerOptions {
  /** Send one message, without its line end. Throws where the other side cannot take it. */
  readonly write: (text: string) => void;
  /** Answer a request; anything it throws becomes a JSON-RPC error. */
  readonly onRequest: (method: string, params: Params, signal: AbortSignal) => unknown;
  readonly onNotification?: ((method: string, params: Params) => void) | undefined;
  /** Maximum size of an outgoing message. A longer request is rejected, a longer answer becomes an error. */
  readonly maxBytes: number;
  /** Distinguishes the ids of this side's requests from those of the other side. @default "" */
  readonly idPrefix?: string | undefined;
}

/** An error with a JSON-RPC code, for an answer. */
export class RequestError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  override get name(): string {
    return "RequestError";
  }
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** One side of a JSON-RPC connection on which both sides send requests. */
export class JsonRpcPeer {
  readonly #options: PeerOptions;
  readonly #pending = new Map<unknown, PendingRequest>();
  readonly #running = new Map<unknown, AbortController>();
  #lastId = 0;
  #closed: Error | undefined;
  /** The streams of a peer may be unreferenced: an open request keeps this process alive. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Send a request. Aborting it tells the other side and rejects at once. */
  request(method: string, params: Params, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { idPrefix = "" } = this.#options;
    const count = ++this.#lastId;
    const id = idPrefix === "" ? count : `${idPrefix}${count}`;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const excess = this.#excess(text);
    if (excess !== undefined) return Promise.reject(new Error(`the request has ${excess}`));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        signal?.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
        this.#updateKeepAlive();
      };
      const onAbort = (): void => {
        settle();
        this.notify("notifications/cancelled", { requestId: id });
        reject(signal?.reason);
      };
      this.#pending.set(id, {
        resolve: (result) => resolve((settle(), result)),
        reject: (reason) => reject((settle(), reason)),
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#updateKeepAlive();
      try {
        this.#options.write(text);
      } catch (error) {
        this.#pending.get(id)?.reject(error);
      }
    });
  }

  /** Send a notification; `false` where it is too long. */
  notify(method: string, params: Params): boolean {
    return this.#send({ method, params });
  }

  /** Take one line from the other side. */
  receiveLine(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      message = undefined;
    }
    if (isRecord(message)) this.receive(message);
    else this.#send({ id: null, error: { code: rpcErrors.parse, message: "Invalid JSON" } });
  }

  /** Take one message from the other side. */
  receive(message: Partial<WireMessage>): void {
    const { id, method } = message;
    if (method === undefined) return this.#settle(message);
    const params = isRecord(message.params) ? message.params : {};
    if (id !== undefined) void this.#answer(id, method, params);
    else if (method === "notifications/cancelled") this.#running.get(params["requestId"])?.abort();
    else this.#options.onNotification?.(method, params);
  }

  /** The connection is gone: open requests fail, and those of the other side are aborted. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    for (const controller of this.#running.values()) controller.abort(reason);
  }

  async #answer(id: unknown, method: string, params: Params): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await this.#options.onRequest(method, params, controller.signal);
      this.#send({ id, result: result ?? {} });
    } catch (error) {
      const code = error instanceof RequestError ? error.code : rpcErrors.internal;
      this.#send({ id, error: { code, message: messageOf(error) } });
    } finally {
      this.#running.delete(id);
    }
  }

  #settle({ id, result, error }: Partial<WireMessage>): void {
    const pending = this.#pending.get(id);
    if (error === undefined) pending?.resolve(result);
    else {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      pending?.reject(new RequestError(Number(code), String(message)));
    }
  }

  #send(message: Readonly<Record<string, unknown>>): boolean {
    if (this.#closed !== undefined) return true;
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    const excess = this.#excess(text);
    if (excess !== undefined && message["id"] === undefined) return false;
    const error = { code: rpcErrors.internal, message: `the answer has ${excess}` };
    try {
      this.#options.write(
        excess === undefined ? text : JSON.stringify({ jsonrpc: "2.0", id: message["id"], error }),
      );
    } catch (cause) {
      // The other side would wait for an answer that can never reach it.
      this.close(new Error(messageOf(cause), { cause }));
    }
    return true;
  }

  /** How much too long a message is, in words. */
  #excess(text: string): string | undefined {
    const { maxBytes } = this.#options;
    const bytes = text.length * 3 <= maxBytes ? 0 : Buffer.byteLength(text);
    return bytes > maxBytes ? `${bytes} bytes, more than the ${maxBytes} that are allowed` : undefined;
  }

  #updateKeepAlive(): void {
    if (this.#pending.size > 0) this.#keepAlive ??= setInterval(() => {}, 2 ** 31 - 1);
    else {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    }
  }
}
