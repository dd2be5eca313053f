import type { ServerResponse } from "node:http";

/** How much is passed on at once, so that a slow client is seen to read. */
const pieceBytes = 64 * 1024;

export interface WholeAnswer {
  /** @default 200 */
  readonly status?: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly text: string;
  readonly maxBytes: number;
}

/** Send an answer that is known as a whole; one that is not large leaves in one write. */
export function sendWhole(
  response: ServerResponse,
  { status = 200, headers, text, maxBytes }: WholeAnswer,
): void {
  const all = [...headers, "content-length", String(Buffer.byteLength(text))];
  if (text.length < pieceBytes && !response.closed && !response.destroyed)
    return void response.writeHead(status, all).end(text);
  const paced = new PacedResponse(response, maxBytes);
  paced.start(status, all);
  paced.end(text);
}

/** Writes to a client at its own pace; what it does not take waits here. */
export class PacedResponse {
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  readonly #waiting: Buffer[] = [];
  #bytes = 0;
  #ending = false;

  /** @param maxBytes That wait for the client; beyond them it lags behind. */
  constructor(response: ServerResponse, maxBytes: number) {
    this.#response = response;
    this.#maxBytes = maxBytes;
  }

  /** The client takes less than it is sent. */
  get lags(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Nothing more is read. */
  get closed(): boolean {
    return this.#response.closed || this.#response.destroyed;
  }

  /** Set status and headers, names and values in turn; they leave with the first text. */
  start(status: number, headers: readonly string[]): void {
    if (!this.closed) this.#response.writeHead(status, [...headers]);
  }

  /** Send the headers before there is a text. */
  flush(): void {
    if (!this.closed) this.#response.flushHeaders();
  }

  write(text: string): void {
    if (this.closed || this.#ending) return;
    if (this.#fits(text)) this.#response.write(text);
    else this.#queue(text);
  }

  end(text = ""): void {
    if (this.closed || this.#ending) return;
    this.#ending = true;
    if (this.#fits(text)) this.#response.end(text);
    else this.#queue(text);
  }

  #fits(text: string): boolean {
    return this.#waiting.length === 0 && text.length < pieceBytes && !this.#response.writableNeedDrain;
  }

  #queue(text: string): void {
    const isFirst = this.#waiting.length === 0;
    const bytes = Buffer.from(text);
    for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes)
      this.#waiting.push(bytes.subarray(at, at + pieceBytes));
    this.#bytes += bytes.length;
    if (isFirst) this.#hand();
  }

  #hand(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#response.writableNeedDrain) return void this.#response.once("drain", () => this.#hand());
      this.#waiting.shift();
      this.#bytes -= next.length;
      this.#response.write(next);
    }
    if (this.#ending) this.#response.end();
  }
}
