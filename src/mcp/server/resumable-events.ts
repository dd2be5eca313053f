import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** How much of what was sent to hosts is kept, so that a stream that was cut can go on. */
export interface EventLimits {
  /** Of one host, in characters. @default 8388608 */
  readonly maxPerSession?: number | undefined;
  /** Of all hosts together, in characters. @default 67108864 */
  readonly maxTotal?: number | undefined;
  /** @default 5 minutes */
  readonly keepMs?: number | undefined;
}

interface Kept {
  readonly owner: SessionEvents;
  readonly stream: number;
  readonly number: number;
  /** The message as JSON, which takes less memory than its objects. */
  readonly text: string;
  readonly at: number;
  /** It answers a request, or asks the host for something: it goes last. */
  readonly needed: boolean;
}

/** What was sent to all hosts lately. */
export class ResumableEvents {
  readonly #limits: Required<{ [Key in keyof EventLimits]: number }>;
  /** The oldest first. */
  readonly #kept = new Set<Kept>();
  #size = 0;

  constructor({ maxPerSession, maxTotal, keepMs }: EventLimits = {}) {
    this.#limits = {
      maxPerSession: maxPerSession ?? 8 * 1024 * 1024,
      maxTotal: maxTotal ?? 64 * 1024 * 1024,
      keepMs: keepMs ?? 5 * 60_000,
    };
  }

  /** Characters that are kept now. */
  get size(): number {
    return this.#size;
  }

  /** The events of one host. */
  open(): SessionEvents {
    return new SessionEvents(this, this.#limits.maxPerSession);
  }

  add(event: Kept): void {
    this.#kept.add(event);
    this.#size += event.text.length;
    this.dropOld();
    for (const oldest of this.#kept) {
      if (this.#size <= this.#limits.maxTotal || oldest === event) break;
      oldest.owner.drop(oldest);
    }
  }

  delete(event: Kept): void {
    if (this.#kept.delete(event)) this.#size -= event.text.length;
  }

  dropOld(): void {
    const since = Date.now() - this.#limits.keepMs;
    for (const oldest of this.#kept) {
      if (oldest.at >= since) break;
      oldest.owner.drop(oldest);
    }
  }
}

/** Streams of one host that can be taken up again; an older one is over for good. */
const maxStreams = 1000;

/** The events of one host, by its streams. Ids are `STREAM.NUMBER`, so that a place is known though its event is gone. */
export class SessionEvents implements EventStore {
  readonly #all: ResumableEvents;
  readonly #maxSize: number;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** Notifications go first when there is too much, the oldest first. */
  readonly #notices = new Set<Kept>();
  readonly #needed = new Set<Kept>();
  #lastStream = 0;
  #lastEvent = 0;
  #size = 0;

  constructor(all: ResumableEvents, maxSize: number) {
    this.#all = all;
    this.#maxSize = maxSize;
  }

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const isFirst = Object.keys(message).length === 0;
    const id = isFirst ? this.begin(streamId) : this.keep(streamId, JSON.stringify(message), "id" in message);
    return Promise.resolve(id);
  }

  /** The first event of a stream is empty: it only tells the host where to go on. */
  begin(streamId: string): string {
    return `${this.#numberOf(streamId)}.${++this.#lastEvent}`;
  }

  /** Keep a message, and give it an id. */
  keep(streamId: string, text: string, needed: boolean): string {
    const stream = this.#numberOf(streamId);
    const number = ++this.#lastEvent;
    this.#add({ owner: this, stream, number, text, at: Date.now(), needed });
    return `${stream}.${number}`;
  }

  /** The stream that an event was sent on. */
  streamOf(eventId: string): string | undefined {
    return this.#place(eventId)?.name;
  }

  /** What was sent on the event's stream after it. */
  *since(eventId: string): Generator<{ readonly id: string; readonly text: string }> {
    const place = this.#place(eventId);
    const missed = [...this.#notices, ...this.#needed]
      .filter((event) => event.stream === place?.stream && event.number > place.number)
      .sort((one, other) => one.number - other.number);
    for (const { stream, number, text } of missed) yield { id: `${stream}.${number}`, text };
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const place = this.#place(lastEventId);
    if (place === undefined) throw new Error(`The event ${lastEventId} is unknown.`);
    for (const { id, text } of this.since(lastEventId)) await send(id, JSON.parse(text) as JSONRPCMessage);
    return place.name;
  }

  drop(event: Kept): void {
    if (!this.#notices.delete(event) && !this.#needed.delete(event)) return;
    this.#size -= event.text.length;
    this.#all.delete(event);
  }

  /** The host is gone for good. */
  close(): void {
    for (const event of [...this.#notices, ...this.#needed]) this.drop(event);
  }

  #add(event: Kept): void {
    (event.needed ? this.#needed : this.#notices).add(event);
    this.#size += event.text.length;
    for (const oldest of this.#oldest()) {
      if (this.#size <= this.#maxSize) break;
      if (oldest !== event) this.drop(oldest);
    }
    this.#all.add(event);
  }

  *#oldest(): Generator<Kept> {
    yield* this.#notices;
    yield* this.#needed;
  }

  #place(eventId: string): { stream: number; number: number; name: string } | undefined {
    const [, stream, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(eventId) ?? [];
    const name = this.#names.get(Number(stream));
    if (name === undefined || Number(number) > this.#lastEvent) return undefined;
    return { stream: Number(stream), number: Number(number), name };
  }

  #numberOf(streamId: string): number {
    const known = this.#numbers.get(streamId);
    if (known !== undefined) return known;
    const stream = ++this.#lastStream;
    this.#numbers.set(streamId, stream);
    this.#names.set(stream, streamId);
    const [oldest] = this.#names;
    if (this.#names.size > maxStreams && oldest !== undefined) {
      this.#names.delete(oldest[0]);
      this.#numbers.delete(oldest[1]);
    }
    return stream;
  }
}
