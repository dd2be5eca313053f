import type { ServerResponse } from "node:http";

/** One page that listens: where it stands, and whether it takes more. */
export class FeedClient {
  /** The number of the next event that it gets. */
  cursor: number;
  /** Called when it takes more again. */
  onReady: (() => void) | undefined;
  readonly #response: ServerResponse;
  readonly #now: () => number;
  #fullSince: number | undefined;

  constructor(response: ServerResponse, options: { readonly cursor: number; readonly now: () => number }) {
    this.#response = response;
    this.#now = options.now;
    this.cursor = options.cursor;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    response.on("error", () => this.drop());
    response.on("drain", () => {
      this.#fullSince = undefined;
      this.onReady?.();
    });
  }

  get ready(): boolean {
    return this.#fullSince === undefined && this.#response.writable;
  }

  /** Milliseconds since it last took something. */
  stalledFor(): number {
    return this.#fullSince === undefined ? 0 : this.#now() - this.#fullSince;
  }

  write(text: string): void {
    if (!this.#response.write(text)) this.#fullSince ??= this.#now();
  }

  end(text: string): void {
    this.#response.end(text);
  }

  drop(): void {
    this.#response.destroy();
  }
}
