import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { messageOf } from "../../contract/message-of.js";

/** A message for a stream. */
export interface StreamMessage {
  /** The stream drops a message whose id it had a short while ago. */
  readonly id: string;
  readonly headers: MsgHdrs;
  /** How long to wait for the stream's word that it has it. */
  readonly timeoutMs: number;
}

interface Waiting {
  readonly until: number;
  readonly resolve: (seq: number) => void;
  readonly reject: (cause: Error) => void;
}

const lookEveryMs = 50;

/**
 * Publishes to streams and waits for their acknowledgements. All of them come over one subscription and one timer
 * watches them; the client's own `publish` makes a request with a timer, a signal and an error for each message, which costs
 * more than all the rest of sending a call.
 */
export class StreamPublisher {
  readonly #connection: NatsConnection;
  readonly #inbox: string;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param inbox A subject of this connection alone. */
  constructor(connection: NatsConnection, inbox: string) {
    this.#connection = connection;
    this.#inbox = inbox;
    connection.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#hear(message);
      },
    });
  }

  /** The number that the message has in its stream. Rejects where the stream refuses it, or nothing is heard in time. */
  publish(subject: string, payload: Uint8Array, message: StreamMessage): Promise<number> {
    const { id, headers, timeoutMs } = message;
    const token = (this.#count += 1).toString(36);
    headers.set("Nats-Msg-Id", id);
    return new Promise((resolve, reject) => {
      this.#connection.publish(subject, payload, { headers, reply: `${this.#inbox}.${token}` });
      this.#waiting.set(token, { until: performance.now() + timeoutMs, resolve, reject });
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
    });
  }

  close(): void {
    this.#settleAll(() => true, "the connection was closed");
  }

  #hear(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return; // it came too late
    this.#waiting.delete(token);
    this.#rest();
    try {
      waiting.resolve(sequenceIn(message));
    } catch (cause) {
      waiting.reject(new Error(messageOf(cause)));
    }
  }

  #look(): void {
    const now = performance.now();
    this.#settleAll(({ until }) => until <= now, "the stream did not answer in time");
  }

  #settleAll(isOver: (one: Waiting) => boolean, reason: string): void {
    for (const [token, waiting] of this.#waiting) {
      if (!isOver(waiting)) continue;
      this.#waiting.delete(token);
      waiting.reject(new Error(reason));
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** What a stream answers: its number for the message, or why it did not take it. */
function sequenceIn(message: Msg): number {
  if (message.data.length === 0) throw new Error("no stream takes this subject");
  const { seq, error } = message.json<{ seq?: number; error?: { description?: string } }>();
  if (error !== undefined || seq === undefined) throw new Error(error?.description ?? "malformed answer");
  return seq;
}
