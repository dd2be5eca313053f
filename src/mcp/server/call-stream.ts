import type { ServerResponse } from "node:http";
import type { WireMessage } from "../../wire/json-rpc.js";
import { answerText } from "./answer-text.js";
import { EventStream, eventOf } from "./event-stream.js";
import type { SessionEvents } from "./resumable-events.js";

export interface CallStreamOptions {
  readonly name: string;
  readonly events: SessionEvents;
  readonly sessionId: string;
  /** The host knows events without data, which tell it where to go on from the beginning. */
  readonly begins: boolean;
  readonly maxUnread: number;
  /** A response that carried the stream is closed. */
  readonly onLeave: (isResumed: boolean) => void;
}

/** After this many milliseconds a host comes back for a stream that was cut. */
export const retryMs = 1000;

/**
 * The answer to one call of the 2025 revisions, as events that a host can take up again where a connection was cut.
 * A call that is done at once is answered in one write.
 */
export class CallStream {
  readonly #options: CallStreamOptions;
  readonly #first: string;
  #stream: EventStream | undefined;
  #opening: NodeJS.Immediate | undefined;

  constructor(response: ServerResponse, options: CallStreamOptions) {
    const { events, name, begins } = options;
    this.#options = options;
    this.#first = begins ? `id: ${events.begin(name)}\nretry: ${retryMs}\ndata: \n\n` : "";
    this.#stream = this.#attach(response, false);
    this.#opening = setImmediate(() => this.#open());
  }

  get name(): string {
    return this.#options.name;
  }

  /** Somebody reads it. */
  get isRead(): boolean {
    return this.#stream !== undefined;
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
    const stream = this.#stream;
    if (this.#opening === undefined) return stream?.end(event);
    clearImmediate(this.#opening);
    stream?.start(this.#headers);
    stream?.end(this.#first + event);
  }

  /** Go on after an event, on another response. */
  resume(response: ServerResponse, lastEventId: string): void {
    this.#open();
    const before = this.#stream;
    const stream = (this.#stream = this.#attach(response, true));
    before?.end();
    stream.open(this.#headers);
    for (const { id, text } of this.#options.events.since(lastEventId)) stream.write(eventOf(text, id));
  }

  close(): void {
    this.#open();
    this.#stream?.end();
  }

  #keep(message: WireMessage, isNeeded: boolean): string {
    const text = answerText(message);
    const { events, name } = this.#options;
    return eventOf(text, events.keep(name, text, isNeeded));
  }

  #attach(response: ServerResponse, isResumed: boolean): EventStream {
    const { maxUnread, onLeave } = this.#options;
    const stream: EventStream = new EventStream(response, {
      maxBytes: maxUnread,
      onClose: () => {
        if (this.#stream === stream) this.#stream = undefined;
        onLeave(isResumed);
      },
    });
    return stream;
  }

  get #headers(): Readonly<Record<string, string>> {
    return { "mcp-session-id": this.#options.sessionId };
  }

  /** The call takes longer: tell the host where to go on. */
  #open(): void {
    if (this.#opening === undefined) return;
    clearImmediate(this.#opening);
    this.#opening = undefined;
    this.#stream?.open(this.#headers, this.#first);
  }
}
