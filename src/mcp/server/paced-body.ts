/** How far a client may lag behind a stream. */
export interface PaceOptions {
  /** Bytes that wait for the client; beyond them notifications are left out. @default 1048576 */
  readonly maxBytes?: number | undefined;
  /** Called once, when the stream has been read to its end or nobody reads it any more. */
  readonly onEnd: () => void;
}

/** Bytes that may wait for a client. */
export const defaultMaxUnread = 1024 * 1024;

/** What is handed on at once, so that a slow client is seen to take something. */
const pieceBytes = 64 * 1024;

/**
 * The same answer, read as it is produced: what a client does not take is kept up to a limit, and beyond that only
 * what it needs (answers, and requests of the server). Progress that nobody reads costs no memory.
 */
export function pacedBody(response: Response, options: PaceOptions): Response {
  if (response.body === null) {
    options.onEnd();
    return response;
  }
  const { status, headers } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const maxBytes = isStream ? (options.maxBytes ?? defaultMaxUnread) : Number.POSITIVE_INFINITY;
  const pace = new Pace(response.body, maxBytes, options.onEnd);
  return new Response(pace.body, { status, headers });
}

class Pace {
  readonly body: ReadableStream<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #maxBytes: number;
  readonly #onEnd: () => void;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  /** Nothing more comes. */
  #over = false;
  /** Nothing more is handed on. */
  #ended = false;
  #fault: unknown;
  #wake: (() => void) | undefined;

  constructor(source: ReadableStream<Uint8Array>, maxBytes: number, onEnd: () => void) {
    this.#reader = source.getReader();
    this.#maxBytes = maxBytes;
    this.#onEnd = onEnd;
    this.body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#hand(controller),
        cancel: async (reason) => {
          this.#end();
          await this.#reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    void this.#take();
  }

  /** Read all that comes, since the one who writes does not wait. */
  async #take(): Promise<void> {
    try {
      for (let step = await this.#reader.read(); !step.done; step = await this.#reader.read()) {
        if (this.#ended) return;
        if (this.#bytes > this.#maxBytes && isNotice(step.value)) continue;
        this.#waiting.push(step.value);
        this.#bytes += step.value.byteLength;
        this.#wake?.();
      }
    } catch (fault) {
      this.#fault = fault;
    }
    this.#over = true;
    this.#wake?.();
  }

  async #hand(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#waiting.length === 0 && !this.#over) await new Promise<void>((wake) => (this.#wake = wake));
    const [next] = this.#waiting;
    if (next !== undefined) {
      const piece = next.subarray(0, pieceBytes);
      if (piece.byteLength === next.byteLength) this.#waiting.shift();
      else this.#waiting[0] = next.subarray(pieceBytes);
      this.#bytes -= piece.byteLength;
      return controller.enqueue(piece);
    }
    this.#end();
    if (this.#fault === undefined) controller.close();
    else controller.error(this.#fault);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting.length = 0;
    this.#onEnd();
  }
}

/** A frame of server-sent events that nobody has to answer and that answers nothing. */
function isNotice(frame: Uint8Array): boolean {
  const text = new TextDecoder().decode(frame);
  const data = /^data: (.*)$/m.exec(text)?.[1];
  if (data === undefined || data === "") return true;
  const message: unknown = JSON.parse(data);
  return typeof message === "object" && message !== null && !("id" in message);
}
