import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import { LinkedList, type ListEntry } from "../../contract/linked-list.js";

/** How much of what was sent to hosts is kept, so that a stream that was cut can go on. */
export interface EventLimits {
  /** Of one host, in bytes. @default 8388608 */
  readonly maxPerSession?: number | undefined;
  /** Of all hosts together, in bytes. @default 67108864 */
  readonly maxTotal?: number | undefined;
  /** @default 5 minutes */
  readonly keepMs?: number | undefined;
}

/** Where an event stands. */
export interface EventPlace {
  readonly stream: number;
  readonly number: number;
}

interface NewEvent extends EventPlace {
  readonly text: string;
  readonly needed: boolean;
}

/**
 * A message that was sent. Its JSON is kept outside of V8's heap, which would grow to twice as much, unless it is small:
 * then bytes of its own take more memory than the text, and ten times as long to make.
 */
class Kept {
  readonly owner: SessionEvents;
  readonly stream: number;
  readonly number: number;
  /** It answers a request, or asks the host for something: it goes last. */
  readonly needed: boolean;
  readonly at = Date.now();
  /** Its entries in the lists of its host, of all hosts, and of what is to be compressed; without the first it is gone. */
  inOwn: ListEntry<Kept> | undefined;
  inAll: ListEntry<Kept> | undefined;
  inUnpacked: ListEntry<Kept> | undefined;
  size: number;
  #held: string | Buffer;
  #isPacked = false;

  constructor(owner: SessionEvents, { stream, number, text, needed }: NewEvent) {
    this.owner = owner;
    this.stream = stream;
    this.number = number;
    this.needed = needed;
    this.size = Buffer.byteLength(text);
    this.#held = this.size < minPackedBytes ? text : ownBytes(this.size);
    if (typeof this.#held !== "string") this.#held.write(text);
  }

  get text(): string {
    if (typeof this.#held === "string") return this.#held;
    return (this.#isPacked ? inflateRawSync(this.#held) : this.#held).toString();
  }

  /** Compress it, and return how many bytes that gave back. */
  pack(): number {
    const before = this.size;
    const packed = deflateRawSync(this.#held, { level: constants.Z_BEST_SPEED });
    if (packed.length > before / 2) return 0;
    // A copy: what zlib returns is the beginning of a larger buffer.
    this.#held = ownBytes(packed.length);
    packed.copy(this.#held);
    this.size = packed.length;
    this.#isPacked = true;
    return before - this.size;
  }
}

/** Not a part of Node's pool: a small event would keep 8 kB of it, with what others have long forgotten. */
function ownBytes(length: number): Buffer {
  return Buffer.allocUnsafeSlow(length);
}

/** Hosts whose connection was cut come back within seconds; what is older is compressed. */
const packAfterMs = 10_000;
/** Smaller events are left as they are, and as texts. */
const minPackedBytes = 2048;
/** Events that are compressed when one is added, so that it never takes long. */
const maxPackedAtOnce = 2;

/** What was sent to all hosts lately. */
export class ResumableEvents {
  readonly #limits: Required<{ [Key in keyof EventLimits]: number }>;
  /** The oldest first. */
  readonly #kept = new LinkedList<Kept>();
  /** Those that are to be compressed, the oldest first. */
  readonly #unpacked = new LinkedList<Kept>();
  #size = 0;

  constructor({ maxPerSession, maxTotal, keepMs }: EventLimits = {}) {
    this.#limits = {
      maxPerSession: maxPerSession ?? 8 * 1024 * 1024,
      maxTotal: maxTotal ?? 64 * 1024 * 1024,
      keepMs: keepMs ?? 5 * 60_000,
    };
  }

  /** Bytes that are kept now. */
  get size(): number {
    return this.#size;
  }

  /** The events of one host. */
  open(): SessionEvents {
    return new SessionEvents(this, this.#limits.maxPerSession);
  }

  add(event: Kept): void {
    event.inAll = this.#kept.add(event);
    if (event.size >= minPackedBytes) event.inUnpacked = this.#unpacked.add(event);
    this.#size += event.size;
    this.dropOld(event.at);
    this.#packOld(event.at);
    while (this.#size > this.#limits.maxTotal && this.#kept.first !== event)
      this.#kept.first?.owner.drop(this.#kept.first);
  }

  delete(event: Kept): void {
    this.#leaveUnpacked(event);
    if (event.inAll === undefined) return;
    this.#kept.remove(event.inAll);
    event.inAll = undefined;
    this.#size -= event.size;
  }

  dropOld(now = Date.now()): void {
    const since = now - this.#limits.keepMs;
    for (let oldest = this.#kept.first; oldest !== undefined && oldest.at < since; oldest = this.#kept.first)
      oldest.owner.drop(oldest);
  }

  #packOld(now: number): void {
    const since = now - packAfterMs;
    for (let left = maxPackedAtOnce; left > 0; left--) {
      const oldest = this.#unpacked.first;
      if (oldest === undefined || oldest.at >= since) break;
      this.#leaveUnpacked(oldest);
      const saved = oldest.pack();
      this.#size -= saved;
      oldest.owner.shrink(saved);
    }
  }

  #leaveUnpacked(event: Kept): void {
    if (event.inUnpacked !== undefined) this.#unpacked.remove(event.inUnpacked);
    event.inUnpacked = undefined;
  }
}

/** Streams of one host that can be taken up again; an older one is over for good. */
const maxStreams = 1000;

/** The events of one host, by its streams. Ids are `STREAM.NUMBER`, so that a place is known though its event is gone. */
export class SessionEvents implements EventStore {
  readonly #all: ResumableEvents;
  readonly #maxSize: number;
  /** Streams that have a name: those of the SDK. */
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** Notifications go first when there is too much, the oldest first. */
  readonly #notices = new LinkedList<Kept>();
  readonly #needed = new LinkedList<Kept>();
  #lastStream = 0;
  #lastEvent = 0;
  #size = 0;

  constructor(all: ResumableEvents, maxSize: number) {
    this.#all = all;
    this.#maxSize = maxSize;
  }

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const isFirst = Object.keys(message).length === 0;
    const stream = this.#numberOf(streamId);
    const id = isFirst ? this.begin(stream) : this.keep(stream, JSON.stringify(message), "id" in message);
    return Promise.resolve(id);
  }

  /** The number of a new stream. */
  openStream(): number {
    const stream = ++this.#lastStream;
    const name = this.#names.get(stream - maxStreams);
    if (name !== undefined) {
      this.#names.delete(stream - maxStreams);
      this.#numbers.delete(name);
    }
    return stream;
  }

  /** The first event of a stream is empty: it only tells the host where to go on. */
  begin(stream: number): string {
    return `${stream}.${++this.#lastEvent}`;
  }

  /** Keep a message, and give it an id. */
  keep(stream: number, text: string, needed: boolean): string {
    const number = ++this.#lastEvent;
    this.#add(new Kept(this, { stream, number, text, needed }));
    return `${stream}.${number}`;
  }

  /** Where an event stands; `undefined` where it is none of this host, or of a stream that is too old. */
  placeOf(eventId: string): EventPlace | undefined {
    const [, stream, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(eventId) ?? [];
    const place = { stream: Number(stream), number: Number(number) };
    const isKept = place.stream > Math.max(this.#lastStream - maxStreams, 0);
    return isKept && place.stream <= this.#lastStream && place.number <= this.#lastEvent ? place : undefined;
  }

  /** What was sent on the event's stream after it. */
  *since(eventId: string): Generator<{ readonly id: string; readonly text: string }> {
    const after = this.placeOf(eventId);
    const missed = [...this.#notices, ...this.#needed]
      .filter(({ stream, number }) => stream === after?.stream && number > after.number)
      .sort((one, other) => one.number - other.number);
    for (const { stream, number, text } of missed) yield { id: `${stream}.${number}`, text };
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const place = this.placeOf(lastEventId);
    if (place === undefined) throw new Error(`The event ${lastEventId} is unknown.`);
    for (const { id, text } of this.since(lastEventId)) await send(id, JSON.parse(text) as JSONRPCMessage);
    return this.#names.get(place.stream) ?? `call-${place.stream}`;
  }

  drop(event: Kept): void {
    if (event.inOwn === undefined) return;
    (event.needed ? this.#needed : this.#notices).remove(event.inOwn);
    event.inOwn = undefined;
    this.#size -= event.size;
    this.#all.delete(event);
  }

  /** One of its events takes fewer bytes now. */
  shrink(saved: number): void {
    this.#size -= saved;
  }

  /** The host is gone for good. */
  close(): void {
    for (const event of [...this.#notices, ...this.#needed]) this.drop(event);
  }

  #add(event: Kept): void {
    event.inOwn = (event.needed ? this.#needed : this.#notices).add(event);
    this.#size += event.size;
    while (this.#size > this.#maxSize) {
      const oldest = [this.#notices.first, this.#needed.first].find(
        (one) => one !== undefined && one !== event,
      );
      if (oldest === undefined) break;
      this.drop(oldest);
    }
    this.#all.add(event);
  }

  #numberOf(streamId: string): number {
    const known = this.#numbers.get(streamId);
    if (known !== undefined) return known;
    const stream = this.openStream();
    this.#numbers.set(streamId, stream);
    this.#names.set(stream, streamId);
    return stream;
  }
}
