import type { ServerResponse } from "node:http";
import type { TenonEvent } from "../contract/events.js";
import type { FeedHello } from "./api.js";
import { HttpError } from "./http-error.js";
import { boundValue } from "./bound-value.js";
import { FeedRing, type FrameTopic, type RingLimits } from "./feed-ring.js";
import type { SeesSession } from "./request-person.js";

export interface FeedOptions extends RingLimits {
  readonly now: () => number;
  /** Pages that may listen at the same time. @default 64 */
  readonly maxClients?: number | undefined;
  /** A sign of life this often. @default 15000 */
  readonly heartbeatMs?: number | undefined;
  /** A client that takes nothing for this long is let go. @default 60000 */
  readonly stalledMs?: number | undefined;
  /** For so long after the last page left, events are kept for its return. @default 60000 */
  readonly keptForMs?: number | undefined;
}

/** Events go out at most this often, many in one write. */
const flushEveryMs = 20;

/**
 * The live feed: every event once as text, kept in a ring that all clients read from at their own pace.
 * A client owns no queue, so a slow one costs no memory: when the ring has moved past it, it is told
 * to reload everything.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #ring: FeedRing;
  readonly #clients = new Set<FeedClient>();
  readonly #heart: NodeJS.Timeout;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #flushedAt = 0;
  #leftAt = -Infinity;

  constructor(options: FeedOptions) {
    this.#options = options;
    // Numbers of an earlier run lie below, so that a page that comes back after a restart is told to reload.
    this.#ring = new FeedRing(options.now() * 1000, options);
    this.#heart = setInterval(() => this.#beat(), options.heartbeatMs ?? 15_000);
    this.#heart.unref();
  }

  get lastId(): number {
    return this.#ring.last;
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** When a page was last there. */
  get leftAt(): number {
    return this.#leftAt;
  }

  push(event: TenonEvent): void {
    if (this.#isUnread()) return this.#ring.skip();
    this.#ring.push((id) => toFrame(id, event), topicOf(event));
    if (this.#clients.size === 0 || this.#timer !== undefined) return;
    const rest = flushEveryMs - (this.#options.now() - this.#flushedAt);
    const flush = (): void => this.#flush();
    this.#timer = rest > 0 && rest <= flushEveryMs ? setTimeout(flush, rest) : setImmediate(flush);
  }

  /**
   * Send the feed to a client, after the event that it saw last or from now on.
   * @param sees Of which sessions it gets the events. @default all
   */
  connect(response: ServerResponse, after: number | undefined, sees?: SeesSession): void {
    if (this.#clients.size >= (this.#options.maxClients ?? 64)) {
      throw new HttpError(
        503,
        {
          code: "TOO_MANY_CLIENTS",
          message: "Too many pages are connected already.",
          hint: "Close one of them and try again.",
        },
        { retryAfter: 10 },
      );
    }
    const reset = after !== undefined && !this.#ring.reaches(after);
    const lastId = after === undefined || reset ? this.#ring.last : after;
    const client = new FeedClient(response, { cursor: lastId + 1, now: this.#options.now, sees });
    this.#clients.add(client);
    client.onReady = () => this.#serve(client);
    response.once("close", () => {
      this.#clients.delete(client);
      this.#leftAt = this.#options.now();
    });
    client.write(`retry: 1000\n${hello({ lastId, reset })}`);
    this.#serve(client);
  }

  /** Say goodbye to everybody. */
  close(): void {
    clearInterval(this.#heart);
    this.#flush();
    for (const client of this.#clients) client.end("event: bye\ndata: {}\n\n");
    this.#clients.clear();
  }

  /** Without a page for a while, events are only counted: a page that comes back later loads everything again. */
  #isUnread(): boolean {
    return (
      this.#clients.size === 0 && this.#options.now() - this.#leftAt > (this.#options.keptForMs ?? 60_000)
    );
  }

  #flush(): void {
    this.#timer = undefined;
    this.#flushedAt = this.#options.now();
    for (const client of this.#clients) this.#serve(client);
  }

  #serve(client: FeedClient): void {
    while (client.ready && client.cursor <= this.#ring.last) {
      if (client.cursor < this.#ring.first) {
        const lastId = this.#ring.last;
        client.cursor = lastId + 1;
        client.write(hello({ lastId, reset: true }));
        continue;
      }
      const { text, next } = this.#ring.read(client.cursor, maxPerWrite, client.shows);
      client.cursor = next;
      if (text !== "") client.write(text);
    }
  }

  #beat(): void {
    for (const client of this.#clients) {
      if (client.ready) client.write(":\n\n");
      else if (client.stalledFor() > (this.#options.stalledMs ?? 60_000)) client.drop();
    }
  }
}

const maxPerWrite = 128 * 1024;

function hello(said: FeedHello): string {
  return `event: hello\nid: ${said.lastId}\ndata: ${JSON.stringify(said)}\n\n`;
}

function toFrame(id: number, { type, time, payload }: TenonEvent): string {
  const { value, cut } = boundValue(payload);
  const item = { id, event: { type, time, payload: value }, ...(cut && { cut }) };
  return `id: ${id}\ndata: ${JSON.stringify(item)}\n\n`;
}

function topicOf({ type, payload }: TenonEvent): FrameTopic {
  if (type === "TOOL_REGISTERED" || type === "TOOL_UNREGISTERED" || type === "TOOL_STATE_CHANGED")
    return "tools";
  // An alert is about a session, but for those who watch over it.
  if (type === "AUDIT_ALERT" || !("sessionId" in payload)) return undefined;
  return { sessionId: payload.sessionId };
}

/** One page that listens: the last event that it got, and whether it can take more. */
class FeedClient {
  /** The number of the next event that it gets. */
  cursor: number;
  readonly shows: (topic: FrameTopic) => boolean;
  /** Called when it takes more again. */
  onReady: (() => void) | undefined;
  readonly #response: ServerResponse;
  readonly #now: () => number;
  #fullSince: number | undefined;

  constructor(
    response: ServerResponse,
    options: { readonly cursor: number; readonly now: () => number; readonly sees?: SeesSession | undefined },
  ) {
    const { sees } = options;
    this.shows = (topic) =>
      sees === undefined || topic === "tools" || (topic !== undefined && sees(topic.sessionId));
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
