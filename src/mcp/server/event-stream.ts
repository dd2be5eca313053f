import type { ServerResponse } from "node:http";
import { PacedResponse, type PacedResponseOptions } from "./paced-response.js";

/** How often an open stream shows that it lives. */
const keepAliveMs = 15_000;

/** Headers of server-sent events that no proxy keeps back. */
export const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
} as const;

/** One message as a server-sent event. */
export function eventOf(text: string, id?: string): string {
  return `event: message\n${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n`;
}

/** Server-sent events, straight to a response of Node. A client that lags behind misses notifications. */
export class EventStream {
  readonly #out: PacedResponse;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: PacedResponseOptions) {
    this.#out = new PacedResponse(response, {
      ...options,
      onClose: () => {
        clearInterval(this.#keepAlive);
        options.onClose();
      },
    });
  }

  /** Begin a stream that ends with the next write. */
  start(headers: Readonly<Record<string, string>> = {}): void {
    this.#out.start(200, { ...eventHeaders, ...headers });
  }

  /** Begin a stream that stays open for now, with its first frame. */
  open(headers: Readonly<Record<string, string>> = {}, first = ""): void {
    this.#out.start(200, { ...eventHeaders, ...headers });
    if (first === "") this.#out.flush();
    else this.#out.write(first);
    this.#keepAlive = setInterval(() => this.#out.write(": keepalive\n\n"), keepAliveMs);
    this.#keepAlive.unref();
  }

  /** Write a frame; one that is not needed is left out where the client lags. */
  write(frame: string, isNeeded = true): void {
    if (isNeeded || !this.#out.lags) this.#out.write(frame);
  }

  end(frame?: string): void {
    clearInterval(this.#keepAlive);
    this.#out.end(frame);
  }

  /** One JSON text instead of a stream. */
  answer(status: number, text: string): void {
    this.#out.start(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    });
    this.#out.end(text);
  }
}
