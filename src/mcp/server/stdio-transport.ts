import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { faultOfMessage, idOf, rpcError, rpcErrors, type WireMessage } from "../../wire/json-rpc.js";
import { LineReader } from "../../wire/line-reader.js";
import { Batch } from "./batch.js";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Maximum size of a message. @default 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Maximum number of messages in a batch. @default 1000 */
  readonly maxBatch?: number | undefined;
  /** How long running requests may take to finish after the input has ended. @default 5000 */
  readonly graceMs?: number | undefined;
}

/**
 * JSON-RPC over a pair of streams, one message per line: framing, batches, request ids and backpressure. Invalid
 * input is answered here; every valid message goes to `onMessage`. It buffers at most one unfinished line, and
 * stops reading while its answers are not read.
 */
export class StdioTransport {
  onMessage: ((message: WireMessage) => void) | undefined;
  onError: ((error: Error) => void) | undefined;
  /** The host sends nothing more, though requests are still running. */
  onInputEnd: (() => void) | undefined;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #options: StdioOptions;
  readonly #maxBytes: number;
  readonly #reader: LineReader;
  readonly #inFlight = new Map<string | number, Batch | undefined>();
  /** Pieces of messages, each message with its line end. */
  #out: string[] = [];
  /** Where answers become bytes. */
  #shared: Buffer | undefined;
  #outChars = 0;
  #graceTimer: NodeJS.Timeout | undefined;
  #opened = false;
  #ended = false;
  #closed = false;
  #resolveClosed: () => void = () => {};

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#reader = new LineReader(this.#maxBytes, {
      onLine: (line) => this.#receiveLine(line),
      onTooLong: ({ bytes }) => {
        const message = `The message has ${bytes} bytes, the maximum is ${this.#maxBytes}.`;
        this.#refuse(null, rpcErrors.invalidRequest, message);
      },
    });
  }

  /** Start reading. */
  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    const { input, output } = this.#options;
    input.on("data", (chunk: Buffer) => this.#reader.push(chunk));
    input.once("end", () => this.#inputEnded());
    input.once("close", () => this.#inputEnded());
    input.on("error", (error) => this.onError?.(error));
    output.on("error", () => this.close()); // the host is gone, so there is no one to report it to
    output.on("drain", () => input.resume());
    if (input.readableEnded || input.destroyed) setImmediate(() => this.#inputEnded());
  }

  send(message: WireMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("The connection is closed."));
    // A host that reads more slowly than a tool reports misses some reports; the answer is complete.
    if (message.method === "notifications/progress" && this.#options.output.writableLength > maxUnreadChars)
      return Promise.resolve();
    const id = message.method === undefined ? message.id : undefined;
    if (id === undefined || id === null) this.#write(JSON.stringify(message));
    else this.sendText(id, JSON.stringify(message));
    return Promise.resolve();
  }

  /** Answer the request of this id with a serialized message. */
  sendText(id: string | number, text: string): void {
    this.sendPieces(id, [text]);
  }

  /** The same in pieces: joining them would copy a large message. */
  sendPieces(id: string | number, pieces: readonly string[]): void {
    const batch = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    if (batch === undefined) this.#writePieces(pieces);
    else batch.answer(pieces.join(""));
    this.#closeWhenIdle();
  }

  /** Stop reading, let running requests finish within the grace period, then close. */
  end(graceMs = this.#options.graceMs ?? 5000): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#options.input.pause();
    if (this.#inFlight.size === 0) return this.close();
    this.onInputEnd?.();
    this.#graceTimer = setTimeout(() => this.close(), graceMs);
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    clearTimeout(this.#graceTimer);
    this.#options.input.pause();
    this.#options.input.removeAllListeners("data");
    this.#inFlight.clear();
    this.#resolveClosed();
  }

  #inputEnded(): void {
    if (this.#ended || this.#closed) return;
    this.#reader.end();
    this.end();
  }

  #receiveLine(line: string): void {
    if (this.#closed) return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#refuse(null, rpcErrors.parse, `Invalid JSON: ${line.slice(0, 80).toWellFormed()}`);
    }
    if (Array.isArray(value)) this.#receiveBatch(value);
    else this.#receive(value, undefined);
  }

  #receiveBatch(values: readonly unknown[]): void {
    const { maxBatch = 1000 } = this.#options;
    if (values.length === 0 || values.length > maxBatch) {
      const message = `A batch must have 1 to ${maxBatch} messages; this one has ${values.length}.`;
      return this.#refuse(null, rpcErrors.invalidRequest, message);
    }
    const batch = new Batch((text) => this.#write(text));
    for (const value of values) this.#receive(value, batch);
    batch.seal();
  }

  #receive(value: unknown, batch: Batch | undefined): void {
    const fault = faultOfMessage(value);
    const id = idOf(value);
    if (fault !== undefined) return this.#refuse(id ?? null, rpcErrors.invalidRequest, fault, batch);
    const message = value as WireMessage;
    if (message.method === "notifications/cancelled") this.#forgetCancelled(message.params);
    if (message.method !== undefined && id !== undefined) {
      if (this.#inFlight.has(id)) {
        const text = `The id ${JSON.stringify(id)} belongs to a request that is still running.`;
        return this.#refuse(id, rpcErrors.invalidRequest, text, batch);
      }
      this.#inFlight.set(id, batch);
      batch?.expect();
    }
    this.onMessage?.(message);
  }

  /** A cancelled request gets no answer. */
  #forgetCancelled(params: unknown): void {
    const id = (Object(params) as { requestId?: unknown }).requestId as string | number;
    this.#inFlight.get(id)?.answer(undefined);
    this.#inFlight.delete(id);
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    const isIdle = (): boolean => this.#inFlight.size === 0;
    if (this.#ended && isIdle()) setImmediate(() => isIdle() && this.close());
  }

  #refuse(id: string | number | null, code: number, message: string, batch?: Batch): void {
    const text = JSON.stringify(rpcError(id, code, message));
    if (batch === undefined) this.#write(text);
    else batch.add(text);
  }

  #write(text: string): void {
    this.#writePieces([text]);
  }

  /** Messages of one turn of the event loop leave in one write. */
  #writePieces(pieces: readonly string[]): void {
    if (this.#closed) return;
    if (this.#out.length === 0) setImmediate(() => this.#flush());
    for (const piece of pieces) {
      this.#out.push(piece);
      this.#outChars += piece.length;
    }
    this.#out.push(lineEnd);
    if (this.#outChars > maxHeldChars) this.#flush();
  }

  #flush(): void {
    if (this.#out.length === 0 || this.#closed) return;
    const pieces = this.#out;
    const chars = this.#outChars;
    this.#out = [];
    this.#outChars = 0;
    if (!this.#writeOut(pieces, chars)) this.#options.input.pause();
  }

  #writeOut(pieces: readonly string[], chars: number): boolean {
    const { output } = this.#options;
    // A socket with nothing waiting hands bytes over at once; other streams may keep them.
    const isFree = output instanceof Socket && output.writableLength === 0;
    if (!isFree || 3 * chars + pieces.length > sharedBytes) return output.write(pieces.join(""));
    const bytes = (this.#shared ??= Buffer.allocUnsafeSlow(sharedBytes));
    let end = 0;
    for (const piece of pieces) {
      if (piece === lineEnd) bytes[end++] = lineEndByte;
      else end += bytes.write(piece, end);
    }
    const hasRoom = output.write(bytes.subarray(0, end));
    if (output.writableLength > 0) this.#shared = undefined; // still to be read
    return hasRoom;
  }
}

/** Characters that may wait for the host before reports of progress are left out. */
const maxUnreadChars = 1024 * 1024;
/** Characters that wait for the end of a turn of the event loop: a host reads the first answers while others are made. */
const maxHeldChars = 32 * 1024;
const sharedBytes = 256 * 1024;
const lineEnd = "\n";
const lineEndByte = 10;
