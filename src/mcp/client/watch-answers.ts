import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ownErrorCode } from "./too-long-answer.js";

/** What an answer over HTTP may be. */
export interface AnswerWatch {
  /** Longest message. */
  readonly limit: number;
  readonly open: OpenRequests;
  /** The answer to a request is over without its result: nothing else would tell the one who waits. */
  readonly onBroken: (answer: JSONRPCMessage) => void;
}

/** The requests of a connection that were sent over HTTP and not answered yet. */
export class OpenRequests {
  readonly #ids = new Set<number>();

  /** Note what a body asks, or gives up; returns the id of a request. The SDK writes it last. */
  send(body: unknown): number | undefined {
    if (typeof body !== "string") return undefined;
    const id = /"id":(\d{1,15})\}$/.exec(body.slice(-40))?.[1];
    if (id !== undefined) {
      this.#ids.add(Number(id));
      return Number(id);
    }
    const given =
      /"method":"notifications\/cancelled"/.test(body) && /"requestId":(\d{1,15})/.exec(body)?.[1];
    if (typeof given === "string") this.#ids.delete(Number(given));
    return undefined;
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** A message came. */
  take(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#ids.delete(message.id as number);
  }
}

/**
 * A fetch whose answers end with a fault where one message in them is longer than the limit, and which notices streams
 * of events that end, or break off, before the request they belong to is answered. One with event ids can be taken up
 * again; that is left to the transport.
 */
export function watchAnswers(send: typeof fetch, watch: AnswerWatch): typeof fetch {
  return async (input, init) => {
    const id = init?.method === "POST" ? watch.open.send(init.body) : undefined;
    const response = await send(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const meter = createMeter(isStream);
    const onEnd = (error?: unknown): void => {
      if (id === undefined || !isStream || (meter.resumable && !(error instanceof TooLongError))) return;
      const why = error instanceof Error ? error.message : "the server ended its answer without a result";
      // What came last is still on its way to the one who waits.
      setTimeout(() => {
        if (watch.open.has(id)) watch.onBroken(brokenAnswer(id, why));
      }, settleMs).unref();
    };
    const body = pump(response.body, {
      check: (chunk) => {
        meter.count(chunk);
        if (meter.bytes > watch.limit) throw new TooLongError(watch.limit);
      },
      onEnd,
    });
    const watched = new Response(body, response);
    Object.defineProperty(watched, "url", { value: response.url });
    return watched;
  };
}

const settleMs = 100;

class TooLongError extends Error {
  constructor(limit: number) {
    super(`the server sent a message of more than the ${limit} bytes that are allowed`);
  }
}

function brokenAnswer(id: number, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: ownErrorCode, message } };
}

interface Pump {
  /** Throws where the rest must not be read. */
  readonly check: (chunk: Uint8Array) => void;
  readonly onEnd: (error?: unknown) => void;
}

function pump(body: ReadableStream<Uint8Array>, { check, onEnd }: Pump): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd();
          return controller.close();
        }
        check(value);
        controller.enqueue(value);
      } catch (error) {
        onEnd(error);
        controller.error(error);
        await reader.cancel(error).catch(() => undefined); // it is over either way
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

interface Meter {
  /** Of the message that is being read. */
  readonly bytes: number;
  /** The stream has event ids. */
  readonly resumable: boolean;
  count(chunk: Uint8Array): void;
}

/** In a stream of events each event has the limit for itself: a blank line ends one. */
function createMeter(events: boolean): Meter {
  let bytes = 0;
  let last = 0;
  let line = 0;
  let isId = false;
  let resumable = false;
  return {
    get bytes() {
      return bytes;
    },
    get resumable() {
      return resumable;
    },
    count(chunk) {
      if (!events) bytes += chunk.length;
      for (const byte of events ? chunk : []) {
        if (byte === 0x0d) continue;
        const ends = byte === 0x0a;
        bytes = ends && last === 0x0a ? 0 : bytes + 1;
        // A line that begins with "id:".
        isId = line === 0 ? byte === 0x69 : isId && (line > 2 || byte === (line === 1 ? 0x64 : 0x3a));
        if (isId && line === 2) resumable = true;
        line = ends ? 0 : line + 1;
        last = byte;
      }
    },
  };
}
