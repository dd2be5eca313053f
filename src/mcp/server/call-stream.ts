import type { ServerResponse } from "node:http";
import type { WireMessage } from "../../wire/json-rpc.js";
import { answerText } from "./answer-text.js";
import { EventStream, eventHeaders, eventOf } from "./event-stream.js";
import { sendWhole } from "./paced-response.js";
import type { SessionEvents } from "./resumable-events.js";

export interface CallStreamOptions {
  readonly events: SessionEvents;
  readonly sessionId: string;
  /** The host knows events without data, which tell it where to go on from the beginning. */
  readonly begins: boolean;
  readonly maxUnread: number;
  /** The call takes longer than a moment. */
  readonly onOpen: (stream: CallStream) => void;
  /** A response that carried the stream is closed. */
  readonly onLeave: (stream: CallStream, isResumed: boolean) => void;
}

/** After this many milliseconds a host comes back for a stream that was cut. */
export const retryMs = 1000;

/**
 * The answer to one call of the 2025 revisions, as events that a host can take up again where a connection was cut.
 * A call that is done at once is answered in one write.
 */
export class CallStream {
  /** Of the request that made the call. */
  readonly id: string | number;
  /** Its number among the session's streams. */
  readonly number: number;
  readonly #options: CallStreamOptions;
  readonly #first: string;
  /** What carries it now. */
  #response: ServerResponse | undefined;
  #stream: EventStream | undefined;
  #opening: NodeJS.Immediate | undefined;

  constructor(id: string | number, response: ServerResponse, options: CallStreamOptions) {
    const { events, begins } = options;
    this.id = id;
    this.number = events.openStream();
    this.#options = options;
    this.#first = begins ? `id: ${events.begin(this.number)}\nretry: ${retryMs}\ndata: \n\n` : "";
    this.#attach(response, false);
    this.#opening = setImmediate(() => this.#open());
  }

  /** Somebody reads it. */
  get isRead(): boolean {
    return this.#response !== undefined;
  }

  /** Send a message that belongs to the call. */
  send(message: WireMessage): void {
    this.#open();
    const isNeeded = message.id !== undefined;
    this.#stream?.write(this.#keep(message, isNeeded), isNeeded);
  }

  /** Send the answer. */
  finish(answer: WireMessage): void {
    const event = this.#keep(answer, true);
    if (this.#opening === undefined) return this.#stream?.end(event);
    clearImmediate(this.#opening);
    this.#opening = undefined;
    const text = this.#first + event;
    if (this.#response !== undefined)
      sendWhole(this.#response, { headers: this.#headers, text, maxBytes: this.#options.maxUnread });
  }

  /** Go on after an event, on another response. */
  resume(response: ServerResponse, lastEventId: string): void {
    this.#open();
    const before = this.#stream;
    this.#attach(response, true);
    before?.end();
    const stream = this.#openOn(response);
    for (const { id, text } of this.#options.events.since(lastEventId)) stream.write(eventOf(text, id));
  }

  close(): void {
    this.#open();
    this.#stream?.end();
  }

  #keep(message: WireMessage, isNeeded: boolean): string {
    const text = answerText(message);
    return eventOf(text, this.#options.events.keep(this.number, text, isNeeded));
  }

  #attach(response: ServerResponse, isResumed: boolean): void {
    this.#response = response;
    const leave = (): void => {
      if (this.#response === response) this.#response = this.#stream = undefined;
      this.#options.onLeave(this, isResumed);
    };
    if (response.closed || response.destroyed) queueMicrotask(leave);
    else response.once("close", leave);
  }

  get #headers(): readonly string[] {
    return [...eventHeaders, "mcp-session-id", this.#options.sessionId];
  }

  /** The call takes longer: tell the host where to go on. */
  #open(): void {
    if (this.#opening === undefined) return;
    clearImmediate(this.#opening);
    this.#opening = undefined;
    this.#options.onOpen(this);
    if (this.#response !== undefined) this.#openOn(this.#response, this.#first);
  }

  #openOn(response: ServerResponse, first?: string): EventStream {
    this.#stream = new EventStream(response, this.#options.maxUnread);
    this.#stream.open(this.#headers, first);
    return this.#stream;
  }
}
