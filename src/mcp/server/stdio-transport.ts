import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { faultOfMessage, idOf, rpcError, rpcErrors, type WireMessage } from "../wire/json-rpc.js";
import { LineReader } from "../wire/line-reader.js";
import { Batch } from "./batch.js";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Longest message. @default 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Most messages in one batch. @default 1000 */
  readonly maxBatch?: number | undefined;
  /** How long running requests may go on when the input has ended. @default 5000 */
  readonly graceMs?: number | undefined;
}

/** Sees a message before the protocol server does; `true`: it is dealt with. */
export type Intercept = (message: WireMessage) => boolean;

/**
 * MCP over a pair of streams, a message a line, as a transport of the SDK. Whatever comes in, it answers
 * or drops it; it holds one unfinished line at most, and reads no further while its answers are not read.
 */
export class StdioTransport {
  onmessage: ((message: never) => void) | undefined;
  onclose: (() => void) | undefined;
  /** The host sends nothing more, though requests still run. */
  afterEnd: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  intercept: Intercept | undefined;
  /** Whether the protocol server would take a request; it drops what it does not know, and says nothing. */
  accepts: ((request: WireMessage) => boolean) | undefined;
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>;
  readonly #options: StdioOptions;
  readonly #reader: LineReader;
  readonly #inFlight = new Map<string | number, Batch | undefined>();
  readonly #early: WireMessage[] = [];
  /** Of requests that were answered before the protocol server was there; no host can guess it. */
  readonly #silentId = `tenon:${randomUUID()}`;
  #out: string[] = [];
  #outChars = 0;
  #lastCall: NodeJS.Timeout | undefined;
  #opened = false;
  #started = false;
  #ended = false;
  #closed = false;
  #tellClosed: () => void = () => {};

  constructor(options: StdioOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => (this.#tellClosed = resolve));
    const sink = {
      line: (text: string) => this.#takeLine(text),
      tooLong: (bytes: number) =>
        this.#refuse(null, rpcErrors.invalidRequest, tooLong(bytes, this.#maxBytes)),
    };
    this.#reader = new LineReader(sink, this.#maxBytes);
  }

  get #maxBytes(): number {
    return this.#options.maxBytes ?? 64 * 1024 * 1024;
  }

  /** Begin to read; messages wait until somebody takes them. */
  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    const { input, output } = this.#options;
    input.on("data", (chunk: Buffer) => this.#reader.push(chunk));
    input.once("end", () => this.#inputEnded());
    input.once("close", () => this.#inputEnded());
    input.on("error", (error) => this.#fail(error));
    output.on("error", () => void this.close()); // the host is gone: there is nobody to tell
    output.on("drain", () => input.resume());
    if (input.readableEnded || input.destroyed) setImmediate(() => this.#inputEnded());
  }

  async start(): Promise<void> {
    this.open();
    this.#started = true;
    for (const message of this.#early.splice(0)) this.#deliver(message);
  }

  /** Hand the protocol server a message as if it had come in; its answer is not sent. */
  replay(message: WireMessage): void {
    const silent = message.id === undefined ? message : { ...message, id: this.#silentId };
    if (this.#started) this.#deliver(silent);
    else this.#early.push(silent);
  }

  send(message: unknown): Promise<void> {
    const answer = message as WireMessage;
    if (this.#closed) return Promise.reject(new Error("The connection is closed."));
    // A host that reads slower than a tool reports misses reports; the answer has everything.
    if (answer.method === "notifications/progress" && this.#options.output.writableLength > mostHeld)
      return Promise.resolve();
    const id = answer.method === undefined ? answer.id : undefined;
    if (id === undefined || id === null) this.#write(JSON.stringify(answer));
    else this.#sendAnswer(id, () => JSON.stringify(answer));
    return Promise.resolve();
  }

  /** Answer with text that is JSON already. */
  sendText(id: string | number, text: string): void {
    this.#sendAnswer(id, () => text);
  }

  /** Stop taking requests, let the running ones end within the grace, then close. */
  end(graceMs = this.#options.graceMs ?? 5000): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#options.input.pause();
    if (this.#idle) return void this.close();
    this.afterEnd?.();
    this.#lastCall = setTimeout(() => void this.close(), graceMs);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    clearTimeout(this.#lastCall);
    this.#options.input.pause();
    this.#options.input.removeAllListeners("data");
    this.#inFlight.clear();
    this.#early.length = 0;
    this.onclose?.();
    this.#tellClosed();
  }

  get #idle(): boolean {
    return this.#inFlight.size === 0;
  }

  #inputEnded(): void {
    if (this.#ended || this.#closed) return;
    this.#reader.end();
    this.end();
  }

  #takeLine(text: string): void {
    if (this.#ended && this.#closed) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#refuse(null, rpcErrors.parse, `This line is no JSON: ${text.slice(0, 80).toWellFormed()}`);
    }
    if (Array.isArray(value)) this.#takeBatch(value);
    else this.#take(value, undefined);
  }

  #takeBatch(values: readonly unknown[]): void {
    const most = this.#options.maxBatch ?? 1000;
    if (values.length === 0 || values.length > most) {
      const message = `A batch has 1 to ${most} messages, this one ${values.length}.`;
      return this.#refuse(null, rpcErrors.invalidRequest, message);
    }
    const batch = new Batch((text) => this.#write(text));
    for (const value of values) this.#take(value, batch);
    batch.seal();
  }

  #take(value: unknown, batch: Batch | undefined): void {
    const fault = faultOfMessage(value);
    const id = idOf(value);
    if (fault !== undefined) return this.#refuse(id ?? null, rpcErrors.invalidRequest, fault, batch);
    const message = value as WireMessage;
    if (message.method === "notifications/cancelled") this.#forget(message.params);
    if (message.method !== undefined && id !== undefined) {
      if (this.#inFlight.has(id)) {
        const text = `The id ${JSON.stringify(id)} belongs to a request that still runs.`;
        return this.#refuse(id, rpcErrors.invalidRequest, text, batch);
      }
      this.#inFlight.set(id, batch);
      batch?.expect();
    }
    if (this.intercept?.(message) === true) return;
    if (this.#started) this.#deliver(message);
    else this.#early.push(message);
  }

  #deliver(message: WireMessage): void {
    const id = message.method === undefined ? undefined : (message.id ?? undefined);
    if (id !== undefined && this.accepts?.(message) === false) {
      void this.send(rpcError(id, rpcErrors.invalidRequest, "The message is no request of MCP."));
      return;
    }
    try {
      this.onmessage?.(message as never);
    } catch (error) {
      this.#fail(error);
      if (id !== undefined)
        void this.send(rpcError(id, rpcErrors.internal, "The message could not be handled."));
    }
  }

  /** A cancelled request gets no answer. */
  #forget(params: unknown): void {
    const id = (Object(params) as { requestId?: unknown }).requestId as string | number;
    this.#inFlight.get(id)?.answer(undefined);
    this.#inFlight.delete(id);
    this.#closeWhenIdle();
  }

  #sendAnswer(id: string | number, write: () => string): void {
    const batch = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    if (id !== this.#silentId) {
      const text = write();
      if (batch === undefined) this.#write(text);
      else batch.answer(text);
    }
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.#ended && this.#idle) setImmediate(() => this.#idle && void this.close());
  }

  #refuse(id: string | number | null, code: number, message: string, batch?: Batch): void {
    const text = JSON.stringify(rpcError(id, code, message));
    if (batch === undefined) this.#write(text);
    else batch.add(text);
  }

  /** Answers of one turn of the loop leave in one write. */
  #write(text: string): void {
    if (this.#closed) return;
    if (this.#out.length === 0) setImmediate(() => this.#flush());
    this.#out.push(text);
    this.#outChars += text.length;
    if (this.#outChars > mostHeld) this.#flush();
  }

  #flush(): void {
    if (this.#out.length === 0 || this.#closed) return;
    const text = `${this.#out.join("\n")}\n`;
    this.#out = [];
    this.#outChars = 0;
    if (!this.#options.output.write(text)) this.#options.input.pause();
  }

  #fail(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Characters that wait for the end of a turn of the loop. */
const mostHeld = 1024 * 1024;

function tooLong(bytes: number, most: number): string {
  return `A message of ${bytes} bytes is longer than the ${most} that are taken.`;
}
