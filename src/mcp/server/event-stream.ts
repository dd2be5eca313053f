import type { ServerResponse } from "node:http";
import { PacedResponse } from "./paced-response.js";

/** How often an open stream shows that it lives. */
const keepAliveMs = 15_000;

/** Headers of server-sent events that no proxy keeps back: names and values in turn. */
export const eventHeaders: readonly string[] = [
  "content-type",
  "text/event-stream",
  "cache-control",
  "no-cache, no-transform",
  "x-accel-buffering",
  "no",
];

/** One message as a server-sent event. */
export function eventOf(text: string, id?: string): string {
  return `event: message\n${id === undefined ? "" : `id: ${id}\n`}data: ${text}\n\n`;
}

/** Server-sent events, straight to a response of Node. A client that lags behind misses notifications. */
export class EventStream {
  readonly #out: PacedResponse;
  #keepAlive: NodeJS.Timeout | undefined;

  /** @param maxBytes That wait for the client; beyond them it lags behind. */
  constructor(response: ServerResponse, maxBytes: number) {
    this.#out = new PacedResponse(response, maxBytes);
    response.once("close", () => clearInterval(this.#keepAlive));
  }

  /** Begin a stream that stays open for now, with its first frame. */
  open(headers: readonly string[] = eventHeaders, first = ""): void {
    if (this.#out.closed) return;
    this.#out.start(200, headers);
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
}
